// Writes the pages of the site into pages/: the documents, the reference of the library, and a gallery of reports that are made here.
// Needs `npm ci` in the repository.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = fileURLToPath(new URL('pages', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const { homepage } = JSON.parse(read('package.json'));
const repository = homepage.replace(/#.*/, '');

rmSync(pages, { recursive: true, force: true });
mkdirSync(join(pages, 'public', 'gallery'), { recursive: true });
const write = (name, text) => writeFileSync(join(pages, name), text);

/** Links out of docs/ lead to the repository; what looks like a tag outside code is text. `folder` is where the document lies below docs/. */
const page = (text, folder) =>
  text
    .replace(/\]\((\.\.\/[^)]+)\)/g, (link, path) => {
      const target = join('docs', folder, path);
      return target.startsWith('docs/') ? link : `](${repository}/blob/main/${target})`;
    })
    .replace(/^(?! {4}|```).*$/gm, (line) =>
      line.replace(/`[^`]*`|<(?!\/?(?:br|sub|sup|details|summary)\b)|\{\{/g, (part) =>
        part.startsWith('`') ? part : part === '<' ? '&lt;' : '{ {',
      ),
    );
for (const file of readdirSync(join(root, 'docs'), { recursive: true }).filter((name) => name.endsWith('.md'))) {
  mkdirSync(join(pages, dirname(file)), { recursive: true });
  write(file, page(read('docs', file), dirname(file)));
}
cpSync(join(root, 'docs', 'images'), join(pages, 'images'), { recursive: true });

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
    'Why a sentence is classified as negative',
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
  `# Reports\n\nEach report is one file that loads nothing from elsewhere. The command beside it made the report when this site was built.\n\n${gallery
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
    - { theme: brand, text: Quick start, link: /quick-start }
    - { theme: alt, text: Reports to look at, link: /gallery }
features:
  - { title: Any classifier, details: 'ONNX, safetensors from the Hub, scikit-learn, an endpoint, ten lines of JavaScript. No Python.', link: /models }
  - { title: Numbers you can trust, details: 'Every rate has its interval and conditions; what could not be measured is inconclusive and never passes.', link: /reports }
  - { title: In CI, details: 'Requirements, baselines on the same examples, SARIF, JUnit, a comment on the pull request.', link: /ci }
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

![The command in a terminal: a table of attack success rates with their intervals, then sentences in which one misspelt word flipped the prediction](./images/attack.svg)

## The same run as a page

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="./images/report-dark.png">
  <img alt="The report as an HTML page: success rates with their intervals" src="./images/report-light.png">
</picture>
`,
);
