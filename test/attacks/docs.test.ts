/**
 * docs/reference/attacks.md and a page for each suite are generated from the attacks: headers, summaries, constraints and options.
 * `npx vitest run test/attacks/docs.test.ts -u` updates them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import { type EvasionPlugin, z } from '../../src/plugin.js';

const INTRODUCTION = `# Attacks

    robust attack -m distilbert --suite typos                # every attack of a suite
    robust attack -m distilbert -a pruthi:max-words=2        # one attack, with an option
    robust list pruthi                                       # its paper, constraints and options

[Choosing attacks](../choosing-attacks.md) helps you pick a suite. [Components](components.md) lists the parts from which you can build your own attack. The head of each file in
[attacks/](https://github.com/OWNER/robust/tree/main/attacks) states the threat, why readers still understand the text, and every difference from the paper.

These rules hold for every attack:

- An example that the model classifies incorrectly is skipped.
- Words given with \`--protect\` are never edited.
- Placeholders (\`@user\`, \`http\`, addresses, \`<NAME>\`, \`[NAME]\`, \`{{x}}\`, \`{x}\`) are not edited unless you pass \`--protect placeholders=edit\`. Exceptions: attacks that
  rewrite the whole text, and word swaps under \`constraints=textattack\` or \`none\`.
- The same seed gives the same texts.
- Where a reader is named, a test decodes everything that the attack produces for it.
- Every text that a search scores counts as a query, including texts that only rank words.
- A success rate is only meaningful together with the constraints printed beside it.
`;

const kebab = (key: string) => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const cell = (text: string) => text.replaceAll('|', '\\|');

/** The header comment as paragraphs: what it does, then one for each "Section: ". */
function sectionsOf(name: string): string[] {
  const header = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(readFileSync(`attacks/${name}.ts`, 'utf8'))?.[1] ?? '';
  const lines = header.split('\n').map((line) => line.replace(/^ \* ?/, ''));
  return lines
    .join('\n')
    .split(/\n\s*\n|\n(?=(?:Threat|Example|Readable because|Paper|Differs): )/)
    .map((part) => part.replaceAll('\n', ' ').trim());
}

interface Option {
  readonly text: string;
  readonly meaning: string;
}

function optionsOf(plugin: EvasionPlugin): Option[] {
  const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
  return Object.entries(properties).flatMap(([key, property]) => {
    if (typeof property === 'boolean') return [];
    const value = property.default === undefined ? '...' : JSON.stringify(property.default).replaceAll('"', '');
    const others = property.enum?.filter((each) => each !== property.default).map((each) => `\`${each}\``) ?? [];
    const choice = others.length === 0 ? '' : ` (or ${others.join(', ')})`;
    return [{ text: `\`${kebab(key)}=${value}\`${choice}`, meaning: property.description ?? '' }];
  });
}

const SEVERAL = 3;
const meanings = attacks.flatMap((plugin) => optionsOf(plugin).map(({ meaning }) => meaning));
/** Options that several attacks have are explained once, on the page of all attacks. */
const isCommon = ({ meaning }: Option): boolean => meanings.filter((each) => each === meaning).length >= SEVERAL;

const common = [
  ...new Map(
    attacks
      .flatMap(optionsOf)
      .filter(isCommon)
      .map((option) => [option.meaning, option]),
  ).values(),
]
  .map(({ text, meaning }) => `| ${cell(text.replace(/=[^`]*/, ''))} | ${cell(meaning)} |`)
  .sort();

/** A citation, "AUTHORS, "TITLE", PLACE; URL", without its authors and as a link; of a source that is no paper the link. */
const paperOf = (section: string): string =>
  section
    .replace(/^Paper: |\.$/g, '')
    .replace(/^none[;.][\s\S]*?(https?:\/\/[^\s),]+?)(?=[\s),;]|$)[\s\S]*$/, 'none ([source]($1))')
    .replace(
      /^(?!none)[^"]+, "([^"]+?),?",? ([^;"]+); (https?:\/\/\S+)$/,
      (_, title, place, url) => `[${title}](${url}), ${place}`,
    );

/** What `constraints=default` adds to an attack on words. */
const OF_PRESET = [
  'each word edited once',
  'no opposites',
  'same part of speech',
  'no word becomes a stop word',
  'articles agree',
];

function constraintsOf(plugin: EvasionPlugin): string {
  const { constraints } = plugin.create(plugin.options.parse({}));
  if (!OF_PRESET.every((name) => constraints.includes(name))) return constraints.join('; ');
  return ['those of `constraints=default`', ...constraints.filter((name) => !OF_PRESET.includes(name))].join('; ');
}

function chapter(plugin: EvasionPlugin): string {
  const [what = '', ...sections] = sectionsOf(plugin.name);
  const section = (name: string) => sections.find((each) => each.startsWith(`${name}: `)) ?? '';
  const readers = plugin.readers?.map((reader) => `a ${reader}`).join(', ');
  const options = optionsOf(plugin).map((option) =>
    isCommon(option) ? option.text.replace(/ \(or .*/, '') : `${option.text} ${option.meaning}`,
  );
  return [
    `## ${plugin.name}`,
    [what, section('Example').replace('Example: ', '')].filter(Boolean).join(' '),
    [
      `Paper: ${paperOf(section('Paper'))}.`,
      ...(readers ? [`Still read by ${readers}.`] : []),
      `Constraints: ${constraintsOf(plugin)}.`,
      ...(options.length === 0 ? [] : [`Options: ${options.join('; ')}.`]),
    ].join(' '),
  ].join('\n\n');
}

const named = (name: string) => attacks.filter((plugin) => plugin.name === name.split(':')[0]);

/** The members of a suite that no earlier suite has: `all` repeats the others. */
const pages = (() => {
  const described = new Set<EvasionPlugin>();
  return suites.map((suite) => {
    const members = [...new Set(suite.attacks.flatMap(named))];
    const own = members.filter((plugin) => !described.has(plugin));
    for (const plugin of own) described.add(plugin);
    return { suite, members, own };
  });
})();
const inNamedSuites = new Set(pages.filter(({ suite }) => suite.name !== 'all').flatMap(({ own }) => own));
const others = attacks.filter((plugin) => !inNamedSuites.has(plugin));
const listed = (plugins: readonly EvasionPlugin[]): string => plugins.map(({ name }) => `\`${name}\``).join(', ');

describe('docs/reference/attacks', () => {
  test('the list is up to date', async () => {
    const rows = pages.map(({ suite, members }) =>
      suite.name === 'all'
        ? `| \`all\` | ${cell(suite.summary)} | ${members.length} attacks |`
        : `| [\`${suite.name}\`](attacks/${suite.name}.md) | ${cell(suite.summary)} | ${listed(members)} |`,
    );
    const outside = `[Attacks outside these suites](attacks/others.md): ${listed(others)}.`;
    const text = [
      INTRODUCTION,
      ['| suite | question | attacks |', '|---|---|---|', ...rows].join('\n'),
      '',
      outside,
      '',
      `\`constraints=default\` stands for: ${OF_PRESET.join('; ')}. Options of several attacks:`,
      '',
      ['| option | |', '|---|---|', ...common].join('\n'),
      '',
    ];
    await expect(text.join('\n')).toMatchFileSnapshot('../../docs/reference/attacks.md');
  });

  test.each(pages.filter(({ suite }) => suite.name !== 'all'))('$suite.name is up to date', async ({ suite, own }) => {
    const head = [`# Suite ${suite.name}`, suite.summary, `    robust attack -m distilbert --suite ${suite.name}`];
    await expect(`${[...head, ...own.map(chapter)].join('\n\n')}\n`).toMatchFileSnapshot(
      `../../docs/reference/attacks/${suite.name}.md`,
    );
  });

  test('the page of the others is up to date', async () => {
    const head = ['# Attacks outside the suites', 'Name them with `-a`. The suite `all` contains `a2t`, too.'];
    await expect(`${[...head, ...others.map(chapter)].join('\n\n')}\n`).toMatchFileSnapshot(
      '../../docs/reference/attacks/others.md',
    );
  });

  test('no page describes a suite that does not exist', () => {
    const names = pages.flatMap(({ suite }) => (suite.name === 'all' ? 'others' : suite.name));
    expect(readdirSync(join(packageRoot, 'docs/reference/attacks')).sort()).toEqual(
      names.map((name) => `${name}.md`).sort(),
    );
  });
});

test('README says how many attacks there are', () => {
  expect(readFileSync(join(packageRoot, 'README.md'), 'utf8')).toContain(
    `[${attacks.length} of them](docs/reference/attacks.md)`,
  );
});
