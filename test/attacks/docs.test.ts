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

[Choosing attacks](../choosing-attacks.md) helps you pick a suite. [Components](components.md) lists the transformations, searches, constraints and goals, from
which you can build an attack of your own.

These rules hold for every attack:

- An example that the model classifies incorrectly is skipped.
- Words given with \`--protect\` are never edited.
- Placeholders (\`@user\`, \`http\`, addresses, \`<NAME>\`, \`[NAME]\`, \`{{x}}\`, \`{x}\`) are not edited unless you pass \`--protect placeholders=edit\`. Exceptions: attacks that
  rewrite the whole text, and word swaps under \`constraints=textattack\` or \`none\`.
- The same seed gives the same texts.
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

function optionsOf(plugin: EvasionPlugin): string {
  const { properties = {} } = z.toJSONSchema(plugin.options, { io: 'input' });
  const rows = Object.entries(properties).map(([key, property]) => {
    if (typeof property === 'boolean') return '';
    const type = property.enum?.map((value) => `\`${value}\``).join(', ') ?? `${property.type}`;
    return `| \`${kebab(key)}\` | \`${JSON.stringify(property.default)}\` | ${type} | ${cell(property.description ?? '')} |`;
  });
  return rows.length === 0
    ? 'No options.'
    : ['| option | default | values | |', '|---|---|---|---|', ...rows].join('\n');
}

function chapter(plugin: EvasionPlugin): string {
  const [what, ...sections] = sectionsOf(plugin.name);
  const points = sections.map((section) => `- **${section.replace(/^([A-Z][a-z ]+): /, '$1:** ')}`);
  const { constraints } = plugin.create(plugin.options.parse({}));
  const readers = plugin.legibility?.readers.map((reader) => `a ${reader}`).join(', ');
  if (readers) points.push(`- **Still read by:** ${readers}; a test decodes everything that it produces.`);
  return [
    `## ${plugin.name}`,
    `${what}`,
    [...points, `- **Constraints:** ${constraints.join('; ')}.`].join('\n'),
    optionsOf(plugin),
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
const link = ({ name }: EvasionPlugin): string =>
  `[${name}](attacks/${pages.find(({ suite, own }) => suite.name !== 'all' && own.some((plugin) => plugin.name === name))?.suite.name ?? 'others'}.md#${name})`;

describe('docs/reference/attacks', () => {
  test('the list is up to date', async () => {
    const rows = pages.map(({ suite, members }) =>
      suite.name === 'all'
        ? `| \`all\` | ${cell(suite.summary)} | ${members.length} attacks |`
        : `| [\`${suite.name}\`](attacks/${suite.name}.md) | ${cell(suite.summary)} | ${members.map(link).join(', ')} |`,
    );
    const outside = `Attacks outside these suites: ${others.map(link).join(', ')}.`;
    const text = [
      INTRODUCTION,
      ['| suite | question | attacks |', '|---|---|---|', ...rows].join('\n'),
      '',
      outside,
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
