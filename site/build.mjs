// Writes the pages of the site into pages/: the documents as they are, a reference of the commands and of the configuration from what the
// build made, the reference of the library, and a gallery of reports that are made here and now. Needs `npm ci` in the repository.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = fileURLToPath(new URL('pages', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const { homepage } = JSON.parse(read('package.json'));
const repository = homepage.replace(/#.*/, '');

rmSync(pages, { recursive: true, force: true });
mkdirSync(join(pages, 'public', 'gallery'), { recursive: true });
const write = (name, text) => writeFileSync(join(pages, name), text);

/** Links out of docs/ lead to the repository; what looks like a tag outside code is text. */
const page = (text) =>
  text
    .replace(/\]\(\.\.\/([^)]+)\)/g, (_, path) => `](${repository}/blob/main/${path})`)
    .replace(/^(?! {4}|```).*$/gm, (line) =>
      line.replace(/`[^`]*`|<(?!\/?(?:br|sub|sup|details|summary)\b)|\{\{/g, (part) =>
        part.startsWith('`') ? part : part === '<' ? '&lt;' : '{ {',
      ),
    );
for (const file of readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md')))
  write(file, page(read('docs', file)));
cpSync(join(root, 'docs', 'images'), join(pages, 'images'), { recursive: true });

// ---- commands -----------------------------------------------------------------------------------------------------

const { commands } = JSON.parse(read('oclif.manifest.json'));
const cell = (text) =>
  String(text).replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{{', '{ {').replaceAll('\n', ' ');
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
  const value = type === 'boolean' ? '' : ` ${helpValue ?? (options ? options.join('|') : 'VALUE')}`;
  const given = preset === undefined || typeof preset === 'object' || preset === false ? '' : `; ${preset} by default`;
  return `| <code>${char ? `-${char}, ` : ''}--${name}${cell(value)}</code> | ${cell(summary)}${cell(given)} |`;
};
const commandPage = ({ id, summary = '', description = '', args = {}, flags = {}, examples = [] }) =>
  [
    `## robust ${id.replaceAll(':', ' ')}`,
    cell(summary),
    ...description.split('\n\n').map(cell),
    ...(Object.keys(args).length === 0
      ? []
      : [
          '| argument | |\n|---|---|\n' +
            Object.values(args)
              .map(({ name, description: what = '' }) => `| <code>${cell(name.toUpperCase())}</code> | ${cell(what)} |`)
              .join('\n'),
        ]),
    ...(Object.keys(flags).length === 0
      ? []
      : [
          `| flag | |\n|---|---|\n${Object.values(flags)
            .filter(({ hidden }) => !hidden)
            .map(flagRow)
            .join('\n')}`,
        ]),
    ...examples.map((example) => {
      const { description: what, command } = typeof example === 'string' ? { command: example } : example;
      const line = command
        .replaceAll('<%= config.bin %>', 'robust')
        .replaceAll('<%= command.id %>', id.replaceAll(':', ' '));
      return `${what === undefined ? '' : `${cell(what)}:\n\n`}\`\`\`sh\n${line}\n\`\`\``;
    }),
  ].join('\n\n');
const shown = Object.values(commands).filter(({ hidden, pluginName }) => !hidden && pluginName === 'robust-text');
write(
  'commands.md',
  `# Commands\n\n${shown
    .sort((a, b) => a.id.localeCompare(b.id))
    .map(commandPage)
    .join('\n\n')}\n`,
);

// ---- configuration ------------------------------------------------------------------------------------------------

const schema = JSON.parse(read('schemas', 'robust.config.schema.json'));
const kindOf = (each) =>
  each.enum?.map((value) => JSON.stringify(value)).join(', ') ??
  each.type ??
  each.anyOf?.map(kindOf).join(' or ') ??
  '';
const rows = Object.entries(schema.properties).map(
  ([name, each]) =>
    `| \`${name}\` | ${cell(kindOf(each))} | ${cell(each.description ?? '')}${each.default === undefined ? '' : cell(`; ${JSON.stringify(each.default)} by default`)} |`,
);
write(
  'configuration.md',
  `# Configuration\n\n\`robust init\` writes robust.config.yaml; \`robust config show\` says where each value comes from. Each key is also a flag and a variable of the environment.\n\n| key | value | |\n|---|---|---|\n${rows.join('\n')}\n`,
);

// ---- reports ------------------------------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), 'robust-gallery-'));
const gallery = [
  [
    'attack',
    'Four ways of misspelling, on the bundled model',
    ['attack', '--model', 'distilbert', '--suite', 'typos', '--explain'],
  ],
  [
    'compare',
    'Two models under the same attacks',
    ['compare', 'distilbert', 'bert-mini', '--suite', 'typos', '-n', '100'],
  ],
  [
    'explain',
    'Why a sentence is taken for negative',
    ['explain', 'There is nothing I do not like about this movie.', '--method', 'shap', '--method', 'attention'],
  ],
];
for (const [name, , args] of gallery) {
  execFileSync(
    process.execPath,
    [join(root, 'bin', 'run.js'), ...args, '-o', join(pages, 'public', 'gallery', `${name}.html`)],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
rmSync(folder, { recursive: true });
write(
  'gallery.md',
  `# Reports\n\nEach is one file that loads nothing from elsewhere, made by the command beside it when this site was built.\n\n${gallery
    .map(
      ([name, what, args]) =>
        `- <a href="./gallery/${name}.html" target="_self">${what}</a>: \`robust ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')} -o ${name}.html\``,
    )
    .join('\n')}\n`,
);

// ---- the library --------------------------------------------------------------------------------------------------

const reference = join(root, 'dist', 'reference');
if (!existsSync(reference)) execFileSync('npm', ['run', 'docs'], { cwd: root, stdio: 'inherit' });
cpSync(reference, join(pages, 'public', 'reference'), { recursive: true });

write(
  'index.md',
  `---
layout: home
title: robust
titleTemplate: Attack a text classifier before others do
hero:
  name: robust
  text: Attack your text classifier before others do
  tagline: Typos, look-alikes, synonyms, gradients, backdoors. Success rates with their intervals, and a gate for CI.
  actions:
    - { theme: brand, text: Ten minutes with your model, link: /tutorial }
    - { theme: alt, text: Reports to look at, link: /gallery }
features:
  - { title: Any classifier, details: 'ONNX, safetensors from the Hub, scikit-learn, an endpoint, ten lines of JavaScript. No Python.', link: /models }
  - { title: Numbers you can trust, details: 'Every rate with its interval and its conditions; what was not measured is inconclusive, never green.', link: /metrics }
  - { title: In CI, details: 'Thresholds, baselines on the same examples, SARIF, JUnit, a comment on the pull request.', link: /ci }
---

<!-- unpublished -->
\`\`\`sh
git clone https://github.com/OWNER/robust.git && cd robust && git checkout COMMIT
npm ci && npm install -g .
robust attack --model distilbert --suite typos
\`\`\`
<!-- /unpublished -->
<!-- published
\`\`\`sh
npm install -g {package}
robust attack --model distilbert --suite typos
\`\`\`
-->

![The command in a terminal: a table of attack success rates with their intervals, then sentences in which one misspelt word turned the answer](./images/attack.svg)
`,
);
