/** docs/components.md is made from the registry; `npx vitest run test/recipes/docs.test.ts -u` brings it up to date. */
import { expect, test } from 'vitest';
import { KINDS, parts } from '../../src/app/attacks/parts.js';
import { optionFacts } from '../../src/core/plugin-options.js';
import type { ComponentPlugin, Parts } from '../../src/plugin.js';

const INTRODUCTION = `# Attacks of your own, without code

Every attack that searches rewrites is made of four parts: a transformation (the edits), a search, constraints and a goal. Name them and you have an attack:

    robust attack --transformation swap-synonyms --search beam:width=4 --constraint max-edits=3 --constraint same-part-of-speech --goal targeted:label=NEGATIVE
    robust list transformations            # or searches, constraints, goals; with a name, all its options

A part is written \`NAME[:option=value]\`; where it has one main option, \`max-edits=3\` is short for \`max-edits:edits=3\`. Without \`--search\` it is greedy; without any
\`--constraint\` each word is edited once, and that is all that bounds it. The edits of an attack bear its name: \`--transformation pruthi\`.

\`--constraint\` and \`--goal\` hold for every attack of the run, those of suites too: \`robust attack -s typos --constraint max-words=1\`. A set of constraints
(\`--constraint textattack\`, see \`robust list presets\`) is for the attacks that have sets to choose from. \`--protect\` says which words nobody may touch.

In a configuration several such attacks have names of their own, and in \`attack()\` of the library it is the same:

    attacks:
      - name: mine
        transformation: swap-synonyms
        search: beam:width=4
        constraints: [max-edits=3, { name: words-alike, options: { least: 0.9 } }]

On the command line such an object stands as JSON: \`-a '{"name":"mine","transformation":"leet"}'\`. A part may be a file of yours too, \`--constraint ./mine.mjs\`: its default
export is what \`constraint({ name, summary, options, create })\` of \`robust-text/plugin\` returns. Built-in constraints stand in \`src/constraints/\`, each in the list at the end of its file.

What needs gradients (\`greedy:ranking=gradient\`, \`hotflip\`) is refused on models that cannot be differentiated; a run is resumed with the same parts only, and a file of yours that was edited since is another part.
`;

const cell = (text: string) => text.replaceAll('|', '\\|');

const optionsOf = (plugin: ComponentPlugin): string =>
  optionFacts(plugin)
    .map(
      (option) =>
        `\`${option.name}=${option.default === '' ? '...' : option.default}\` ${cell(option.description ?? '')}`,
    )
    .join('; ') || '-';

test('docs/components.md is up to date', async () => {
  const tables = (Object.keys(KINDS) as (keyof Parts)[]).map((kind) => {
    const rows = (parts[kind] as readonly ComponentPlugin[]).map(
      (plugin) => `| \`${plugin.name}\` | ${cell(plugin.summary)} | ${optionsOf(plugin)} |`,
    );
    return [`## ${KINDS[kind]}\n`, `| ${kind} | | options |`, '|---|---|---|', ...rows].join('\n');
  });
  await expect(`${[INTRODUCTION.trimEnd(), ...tables].join('\n\n')}\n`).toMatchFileSnapshot('../../docs/components.md');
});
