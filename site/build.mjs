// Writes the pages of the site into pages/: the documents, the reference of the library, and a gallery of reports that are made here.
// Needs `npm ci` in the repository.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = fileURLToPath(new URL('pages', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');
const { homepage } = JSON.parse(read('package.json'));
const repository = homepage.replace(/#.*/, '');

rmSync(pages, { recursive: true, force: true });
mkdirSync(join(pages, 'public', 'examples'), { recursive: true });
const write = (name, text) => writeFileSync(join(pages, name), text);

/** Links out of docs/ lead to the repository, and links to its documents stay on the site; what looks like a tag outside code is text. `folder` is where the document lies below docs/. */
const page = (text, folder) =>
  text
    .replace(/\]\((https:[^)#]+\.md)(?=[)#])/g, (link, address) => {
      const documents = `${repository}/blob/main/docs/`;
      return address.startsWith(documents) ? `](./${relative(folder, address.slice(documents.length))}` : link;
    })
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
    [join(root, 'bin', 'run.js'), ...args, '-o', join(pages, 'public', 'examples', `${name}.html`)],
    { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
rmSync(folder, { recursive: true });

/** Pictures that `npm run screenshots` made: `NAME-light.webp` and `NAME-dark.webp` in docs/images. */
const picture = (name, alt, scheme) =>
  `<img class="${scheme}" src="./images/${name}-${scheme}.webp" alt="${alt}" loading="lazy">`;
const card = ([name, what, args]) => {
  const command = `robust ${args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')} -o ${name}.html`;
  const picked = name === 'attack' ? 'report' : name;
  return `<div><a href="./examples/${name}.html" target="_self">${['light', 'dark'].map((scheme) => picture(picked, '', scheme)).join('')}<b>${what}</b></a><br><code>${command.replaceAll('"', '&quot;')}</code></div>`;
};
write(
  'gallery.md',
  `# Reports\n\nEach report is one file that loads nothing from elsewhere. Its command made it when this site was built.\n\n<div class="gallery">\n${gallery.map(card).join('\n')}\n</div>\n`,
);

// ---- the library --------------------------------------------------------------------------------------------------

const reference = join(root, 'dist', 'reference');
if (!existsSync(reference)) execFileSync('npm', ['run', 'docs'], { cwd: root, stdio: 'inherit' });
cpSync(reference, join(pages, 'public', 'reference'), { recursive: true });

write(
  'index.md',
  `---
title: robust
titleTemplate: Attack a text classifier before others do
sidebar: false
aside: false
---

# Attack your text classifier before others do

Does it still work after a typo, a split word, a look-alike letter? robust attacks it and reports how often an attack flips the prediction, with a 95 % interval.

<!-- unpublished -->
\`\`\`sh
git clone https://github.com/OWNER/robust.git && cd robust && git checkout COMMIT
npm ci && npm install -g .
robust attack --model distilbert --suite typos -o report.html
\`\`\`
<!-- /unpublished -->
<!-- published
\`\`\`sh
npm install -g {package}
robust attack --model distilbert --suite typos -o report.html
\`\`\`
-->

<div class="first">
<div><img src="./images/attack.svg" alt="The command in a terminal: attack success rates with their intervals, then sentences in which one misspelt word flipped the prediction"></div>
<div>${['light', 'dark'].map((scheme) => picture('report', 'The report as an HTML page: success rates with their intervals', scheme)).join('')}</div>
</div>

- **Any classifier.** [ONNX, safetensors from the Hub, scikit-learn, an endpoint, ten lines of JavaScript](./models.md). No Python.
- **Numbers you can trust.** [Every rate has its interval and conditions](./reports.md). What could not be measured is inconclusive and never passes.
- **In CI.** [Requirements, baselines on the same examples, SARIF, JUnit, a comment on the pull request](./ci.md).

Begin with the [quick start](./quick-start.md), or look at [reports](./gallery.md).
`,
);
