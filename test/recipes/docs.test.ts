/** docs/reference/components.md is generated from the registry: `npx vitest run test/recipes/docs.test.ts -u` updates it. */
import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { PARTS, parts, pluralOf } from '../../src/app/plugins/registry.js';
import { optionFacts } from '../../src/core/plugin-options.js';
import type { ComponentPlugin } from '../../src/plugin.js';

const INTRODUCTION = `# Components

An attack that searches rewrites has four parts: a transformation (the edits), a search, constraints and a goal. Combine them by name, without code:

    robust attack --transformation swap-synonyms --search beam:width=4 --constraint max-edits=3 --constraint same-part-of-speech --goal targeted:label=NEGATIVE
    robust list transformations            # also searches, constraints, goals; with a name, all its options

A part is written \`NAME[:option=value]\`. If it has one main option, \`max-edits=3\` is short for \`max-edits:edits=3\`. The default search is greedy. Without a
\`--constraint\`, each word is edited at most once. The edits of an attack have its name: \`--transformation pruthi\`.

\`--constraint\` and \`--goal\` apply to every attack of the run, including those of suites: \`robust attack -s typos --constraint max-words=1\`. A preset of constraints
(\`--constraint textattack\`, see \`robust list presets\`) applies to attacks that have presets. \`--protect\` lists words that are never edited.

In a configuration, and in \`attack()\` of the library, such attacks have names of their own:

    attacks:
      - name: mine
        transformation: swap-synonyms
        search: beam:width=4
        constraints: [max-edits=3, { name: words-alike, options: { least: 0.9 } }]

On the command line, write the object as JSON: \`-a '{"name":"mine","transformation":"leet"}'\`. A part can be a file of your own, \`--constraint ./mine.mjs\`: its default
export is the return value of \`constraint({ name, summary, options, create })\` of \`robust-text/plugin\` ([plugins](plugins.md)).

Parts that need gradients (\`greedy:ranking=gradient\`, \`hotflip\`) are refused on models that cannot be differentiated. A run is resumed with the same parts only; an edited file counts as another part.
`;

const cell = (text: string) => text.replaceAll('|', '\\|');

const optionsOf = (plugin: ComponentPlugin): string =>
  optionFacts(plugin)
    .map(
      (option) =>
        `\`${option.name}=${option.default === '' ? '...' : option.default}\` ${cell(option.description ?? '')}`,
    )
    .join('; ') || '-';

test('docs/reference/components.md is up to date', async () => {
  const tables = PARTS.map((kind) => {
    const all = parts[kind] as readonly ComponentPlugin[];
    const ofAttacks = all.filter(({ name }) => attacks.some((attack) => attack.name === name));
    const rows = all
      .filter((plugin) => !ofAttacks.includes(plugin))
      .map((plugin) => `| \`${plugin.name}\` | ${cell(plugin.summary)} | ${optionsOf(plugin)} |`);
    const table = [`## ${pluralOf(kind)}\n`, `| ${kind} | | options |`, '|---|---|---|', ...rows].join('\n');
    const names = ofAttacks.map(({ name }) => `\`${name}\``).join(', ');
    return names === ''
      ? table
      : `${table}\n\nThe edits of these [attacks](attacks.md), with their options for edits: ${names}.`;
  });
  await expect(`${[INTRODUCTION.trimEnd(), ...tables].join('\n\n')}\n`).toMatchFileSnapshot(
    '../../docs/reference/components.md',
  );
});
