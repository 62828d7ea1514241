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

const SEVERAL = 3;

/** The description of a flag: its text, its default, and the texts of the options that it takes. */
const partsOf = (row) => {
  const [text, options = ''] = row[1].split('; options: ');
  const [, main, preset = ''] = /^([\s\S]*?)( \[default: [\s\S]*\])?$/.exec(text);
  return { main, preset, options: options === '' ? [] : options.split(/; (?=[a-z][\w-]*(?:=\S+)?(?: \([^)]*\))?: )/) };
};

/** Flags that several commands have are described once, with the options that any of them takes. */
function commonFlags(commands) {
  const found = new Map();
  for (const flag of commands.flatMap(({ flags = {} }) => Object.values(flags)).filter(({ hidden }) => !hidden)) {
    const row = flagRow(flag);
    const { main, preset, options } = partsOf(row);
    const known = found.get(flag.name) ?? { name: flag.name, texts: new Map(), options: new Map() };
    const text = known.texts.get(main) ?? { row, preset, count: 0 };
    known.texts.set(main, { ...text, count: text.count + 1 });
    for (const option of options) {
      const [name] = /^[\w-]+/.exec(option);
      if (!known.options.has(name)) known.options.set(name, option);
    }
    found.set(flag.name, known);
  }
  return new Map(
    [...found.values()].flatMap(({ name, texts, options }) => {
      const [[main, { row, preset, count }]] = [...texts].sort(([, a], [, b]) => b.count - a.count);
      return count < SEVERAL
        ? []
        : [[name, { name, head: row[0].replace(/(?<=\S)\[:option=value\]|$/, ''), main, preset, options }]];
    }),
  );
}

const commonRow = ({ head, main, preset, options }) => [
  head,
  `${main}${preset}${options.size === 0 ? '' : `; options: ${Array.from(options.values(), (option) => option.split('; ')[0]).join('; ')}`}`,
];

/** The row of a flag on the page of a command, in short: what the table of common flags does not say of it. */
function ownRow(common, flag) {
  const row = flagRow(flag);
  const { main, preset, options } = partsOf(row);
  const shared = common.get(flag.name);
  const known = new Set(shared?.options.values());
  const [first, ...more] = main.split(/; (?![^(]*\))/);
  const added = options.filter((option) => !known.has(option)).map((option) => /^[\w-]+(?:=[^\s:]+)?/.exec(option)[0]);
  const text = main.startsWith(`${shared?.main}; `) ? main.slice(shared.main.length + 2) : first;
  const isOwn = main !== shared?.main;
  const isSame = preset === shared?.preset;
  const told = [
    ...(isOwn ? [more.includes('repeat') ? `${text}; repeat` : text] : []),
    ...(added.length === 0 ? [] : [`options: ${added.join(', ')}`]),
    ...(isOwn || isSame || preset !== '' ? [] : ['no default']),
  ].join('; ');
  const given = isOwn || !isSame ? preset : '';
  return told === '' && given === '' ? [] : [[row[0], `${told}${given}`.trim()]];
}

const commandPage = (common, { id, summary = '', description = '', args = {}, flags = {}, examples = [] }) => {
  const name = id.replaceAll(':', ' ');
  const shown = Object.values(flags).filter(({ hidden }) => !hidden);
  const own = shown.flatMap((flag) => ownRow(common, flag));
  return `${[
    `# robust ${name}`,
    withEntities(summary),
    ...examples.slice(0, 1).map((each) => example(name, each)),
    ...description
      .split('\n\n')
      .filter(Boolean)
      .slice(0, 1)
      .map((text) =>
        withEntities(
          text
            .split(/(?<=\.) (?=[A-Z])/)
            .slice(0, 2)
            .join(' '),
        ),
      ),
    ...(Object.keys(args).length === 0
      ? []
      : [
          table(
            'argument',
            Object.values(args).map(({ name: arg, description: what = '' }) => [code(arg.toUpperCase()), cell(what)]),
          ),
        ]),
    ...(own.length === 0 ? [] : [table('flag', own)]),
    'Also [common flags](../commands.md#common-flags).',
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
    '`robust COMMAND --help all` prints every flag of a command in full, with examples; `--help` alone fits one screen.',
    table(
      'command',
      listed.map((each) => [`[robust ${each.id.replaceAll(':', ' ')}](${place(each)})`, cell(each.summary ?? '')]),
    ),
    '## Exit codes',
    table('code', [
      ['0', 'done, or the gate passed'],
      ['1', 'the gate failed'],
      ['2', 'the command must be changed: a flag, name or configuration, or a combination that is not supported'],
      ['3', 'an input is damaged, too small or out of reach'],
      ['4', 'inconclusive'],
      ['70', 'internal error'],
      ['130', 'interrupted; the run is kept, and `robust attack --resume latest` continues it'],
    ]),
    'Each failure also has a code: [error codes](error-codes.md).',
    '## Common flags',
    'Each command takes those that apply to it.',
    table('flag', [...common.values()].sort((a, b) => a.name.localeCompare(b.name)).map(commonRow)),
  ];
  return [
    ['commands.md', `${index.join('\n\n')}\n`],
    ...listed.map((each) => [place(each), commandPage(common, each)]),
  ];
}

/** The options in the map that a setting may be; an item of a list has none, nor has a map without fixed keys. */
const optionsIn = ({ properties, anyOf = [] }) =>
  [{ properties }, ...anyOf]
    .flatMap((each) => Object.entries(each.properties ?? {}))
    .filter(([, { description }]) => description);

/** The page of all settings; `schema` is that of the configuration. */
export function settingsPage(schema) {
  const row = ([name, each]) => {
    const text = each.description ?? '';
    const [told = ''] = / \[default: [^\]]*\]/.exec(text) ?? [];
    const [meaning] = text.replace(told, '').split(/; (?![^(]*\))/);
    const preset = [undefined, false].includes(each.default) ? told : ` [default: ${JSON.stringify(each.default)}]`;
    const values = each.enum === undefined ? '' : `${each.enum.map((value) => code(String(value))).join(', ')}: `;
    return `| ${code(name)} | ${values}${cell(`${meaning}${preset}`)} |`;
  };
  const rows = Object.entries(schema.properties).flatMap((entry) => [
    row(entry),
    ...optionsIn(entry[1]).map(([option, each]) => row([`${entry[0]}.${option}`, each])),
  ]);
  return `${[
    '# Settings',
    'Keys of `robust.config.yaml`. Each key is also a flag and an environment variable: `numExamples`, `--num-examples`, `ROBUST_NUM_EXAMPLES`. Options of a flag are a map: `--num-examples 200:offset=50` is `numExamples: { value: 200, offset: 50 }`. Flags take precedence over variables, variables over the file. `robust COMMAND --help all` prints the full text of each flag.',
    '`robust init` writes a configuration; `robust config show` prints each setting and its source.',
    ['| key | |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')}\n`;
}
