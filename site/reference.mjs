// The pages docs/reference/commands.md, commands/ and settings.md, from the manifest of the commands and the schema of the configuration.
// `npx vitest run test/commands/reference.test.ts -u` writes them.

const withEntities = (text) => String(text).replaceAll('<', '&lt;');
const cell = (text) => withEntities(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const code = (text) => `\`${text.replaceAll('|', '\\|')}\``;
const table = (head, rows) => [`| ${head} | |`, '|---|---|', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n');

const flagRow = ({
  name,
  char,
  type,
  helpValue,
  options,
  default: preset,
  description = '',
  summary = description,
}) => {
  const value = type === 'boolean' ? '' : ` ${[helpValue ?? (options ? options.join('|') : 'VALUE')].flat().join('')}`;
  const given = preset === undefined || typeof preset === 'object' || preset === false ? '' : ` [default: ${preset}]`;
  const shown = /\[default: /.test(summary) ? summary : `${summary}${given}`;
  return [code(`${char ? `-${char}, ` : ''}--${name}${value}`), cell(shown)];
};

const example = (id, given) => {
  const { description, command } = typeof given === 'string' ? { command: given } : given;
  const line = command.replaceAll('<%= config.bin %>', 'robust').replaceAll('<%= command.id %>', id);
  return `${description === undefined ? '' : `${withEntities(description)}:\n\n`}    ${line.replaceAll('\n', '\n    ')}`;
};

const SEVERAL = 4;

/** Flags that several commands have with the same words: they are described once. */
function commonFlags(commands) {
  const found = new Map();
  for (const flag of commands.flatMap(({ flags = {} }) => Object.values(flags))) {
    const row = flagRow(flag).join('|');
    if (!flag.hidden) found.set(row, { flag, count: (found.get(row)?.count ?? 0) + 1 });
  }
  return new Map([...found].filter(([, { count }]) => count >= SEVERAL).map(([row, { flag }]) => [row, flag]));
}

const commandPage = (common, { id, summary = '', description = '', args = {}, flags = {}, examples = [] }) => {
  const name = id.replaceAll(':', ' ');
  const shown = Object.values(flags).filter(({ hidden }) => !hidden);
  const isCommon = (flag) => common.has(flagRow(flag).join('|'));
  const own = shown.filter((flag) => !isCommon(flag));
  const shared = shown.filter(isCommon).map((flag) => code(`--${flag.name}`));
  return `${[
    `# robust ${name}`,
    withEntities(summary),
    ...examples.map((each) => example(name, each)),
    ...description.split('\n\n').filter(Boolean).map(withEntities),
    ...(Object.keys(args).length === 0
      ? []
      : [
          table(
            'argument',
            Object.values(args).map(({ name: arg, description: what = '' }) => [code(arg.toUpperCase()), cell(what)]),
          ),
        ]),
    ...(own.length === 0 ? [] : [table('flag', own.map(flagRow))]),
    ...(shared.length === 0 ? [] : [`[Common flags](../commands.md#common-flags): ${shared.join(', ')}.`]),
  ].join('\n\n')}\n`;
};

/** The pages of the commands by their paths below docs/reference/; `commands` is that of oclif.manifest.json. */
export function commandPages(commands) {
  const listed = Object.values(commands)
    .filter(({ hidden, pluginName }) => !hidden && pluginName === 'robust-text')
    .sort((a, b) => a.id.localeCompare(b.id));
  const common = commonFlags(listed);
  const place = ({ id }) => `commands/${id.replaceAll(':', '-')}.md`;
  const index = [
    '# Commands',
    '`robust COMMAND --help all` prints the same; `--help` alone fits one screen.',
    table(
      'command',
      listed.map((each) => [`[robust ${each.id.replaceAll(':', ' ')}](${place(each)})`, cell(each.summary ?? '')]),
    ),
    '## Exit codes',
    table('code', [
      ['0', 'done, or the gate passed'],
      ['1', 'the gate failed'],
      ['2', 'usage or configuration error'],
      ['3', 'an input could not be loaded'],
      ['4', 'inconclusive'],
      ['70', 'internal error'],
      ['130', 'interrupted; the run is kept, and `robust attack --resume latest` continues it'],
    ]),
    '## Common flags',
    table('flag', [...common.values()].sort((a, b) => a.name.localeCompare(b.name)).map(flagRow)),
  ];
  return [
    ['commands.md', `${index.join('\n\n')}\n`],
    ...listed.map((each) => [place(each), commandPage(common, each)]),
  ];
}

const kindOf = (each) =>
  each.enum?.map((value) => JSON.stringify(value)).join(', ') ??
  each.type ??
  each.anyOf?.map(kindOf).join(' or ') ??
  '';

/** The options in the map that a setting may be; an item of a list has none, nor has a map without fixed keys. */
const optionsIn = ({ properties, anyOf = [] }) =>
  [{ properties }, ...anyOf]
    .flatMap((each) => Object.entries(each.properties ?? {}))
    .filter(([, { description }]) => description);

/** The page of all settings; `schema` is that of the configuration. */
export function settingsPage(schema) {
  const row = ([name, each]) => {
    const preset = each.default === undefined ? '' : ` [default: ${cell(JSON.stringify(each.default))}]`;
    return `| ${code(name)} | ${cell(kindOf(each))} | ${cell(each.description ?? '')}${preset} |`;
  };
  const rows = Object.entries(schema.properties).flatMap((entry) => [
    row(entry),
    ...optionsIn(entry[1]).map(([option, each]) => row([`${entry[0]}.${option}`, each])),
  ]);
  return `${[
    '# Settings',
    'Keys of `robust.config.yaml`. Each key is also a flag and an environment variable: `numExamples`, `--num-examples`, `ROBUST_NUM_EXAMPLES`. Options of a flag are a map: `--num-examples 200:offset=50` is `numExamples: { value: 200, offset: 50 }`. Flags take precedence over variables, variables over the file.',
    '`robust init` writes a configuration; `robust config show` prints each setting and its source.',
    ['| key | type | |', '|---|---|---|', ...rows].join('\n'),
  ].join('\n\n')}\n`;
}
