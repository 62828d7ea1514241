/**
 * docs/attacks.md is made from the attacks: their headers, summaries, constraints and options. This test writes it and
 * fails when the file says something else; `npx vitest run test/attacks/docs.test.ts -u` brings it up to date.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { packageRoot } from '../../src/core/package-root.js';
import { type EvasionPlugin, z } from '../../src/plugin.js';

const INTRODUCTION = `# The attacks

Made from the headers of the files in \`attacks/\`: change those, then run \`npx vitest run test/attacks/docs.test.ts -u\`.

    robust attack -m distilbert --suite typos                # every attack of a suite
    robust attack -m distilbert -a pruthi:max-words=2        # one attack, with an option

What holds for all of them: an example the model gets wrong is skipped; words given with \`--protect\` are never touched;
placeholders (\`@user\`, \`http\`, addresses, \`<NAME>\`, \`[NAME]\`, \`{{x}}\`, \`{x}\`) stay as they are (in \`augment\` too) unless \`--placeholders edit\` is given, but for attacks that rewrite the
whole text and for word swaps under \`constraints=textattack\` or \`none\`;
the same seed gives the same texts; every text a search scores counts as a query, those that only rank words included.
The edits of an attack can be searched and bounded in other ways: [components.md](components.md).
Read a success rate together with the constraints printed beside it: without them it means nothing.
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
  if (readers) points.push(`- **Still read by:** ${readers}; a test reads all it makes.`);
  return [
    `### ${plugin.name}`,
    `${what}`,
    [...points, `- **Constraints:** ${constraints.join('; ')}.`].join('\n'),
    optionsOf(plugin),
  ].join('\n\n');
}

const named = (name: string) => attacks.filter((plugin) => plugin.name === name.split(':')[0]);

test('docs/attacks.md is up to date', async () => {
  const inSuites = new Set(suites.flatMap((suite) => suite.attacks.flatMap(named)));
  const alone = attacks.filter((plugin) => !inSuites.has(plugin));
  const parts = [INTRODUCTION.trimEnd()];
  const told = new Set<EvasionPlugin>();
  for (const suite of suites) {
    parts.push(`## Suite ${suite.name}`, suite.summary);
    const chapters = [...new Set(suite.attacks.flatMap(named))];
    // "all" holds the others' attacks: their chapters stand there.
    parts.push(...chapters.filter((plugin) => !told.has(plugin)).map(chapter));
    for (const plugin of chapters) told.add(plugin);
  }
  if (alone.length > 0) parts.push('## In no suite', ...alone.map(chapter));
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('../../docs/attacks.md');
});

test('README says how many attacks there are', () => {
  expect(readFileSync(join(packageRoot, 'README.md'), 'utf8')).toContain(
    `[${attacks.length} of them](docs/attacks.md)`,
  );
});
