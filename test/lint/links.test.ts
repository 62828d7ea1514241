/** Every link of the documents, also to addresses of this repository, leads to a file and a heading, and every document that code names exists. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { documents, readDocument } from '../documents.js';

const tracked = execFileSync('git', ['ls-files'], { cwd: packageRoot, encoding: 'utf8' }).split('\n');
const pages = [
  ...new Set([
    ...documents,
    ...tracked.filter((file) => file.endsWith('.md') && !/^(?:docs|test|\.changeset)\//.test(file)),
  ]),
]
  // A template: its links are filled in.
  .filter((file) => !file.startsWith('templates/') && existsSync(join(packageRoot, file)));
/** Pages whose text is that of the code: headers of attacks, help, descriptions of parts. */
const GENERATED =
  /^docs\/reference\/(?:attacks\/|attacks\.md|commands\/|commands\.md|settings\.md|components\.md|plugins\.md|supported-ops\.md)/;
const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```|^ {4}.*$|`[^`\n]*`/gm, '');

/** The anchors of a page, as GitHub and the site name them. */
function anchors(file: string): Set<string> {
  const headings = readDocument(file)
    .replace(/^```[\s\S]*?^```/gm, '')
    .matchAll(/^#+ (.*)$/gm);
  const names = Array.from(headings, ([, heading]) =>
    (heading as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(names);
}

/** What the npm package lacks is linked by its address. */
const REPOSITORY = 'https://github.com/OWNER/robust/';

const broken = (file: string): string[] =>
  Array.from(withoutCode(readDocument(file)).matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link as string)
    .filter((link) => link.startsWith(REPOSITORY) || !/^https?:/.test(link))
    .filter((link) => {
      const [path, anchor] = link.split('#') as [string, string?];
      const inRepository = path.startsWith(REPOSITORY) && path.slice(REPOSITORY.length).replace(/^\w+\/main\//, '');
      const target = inRepository || (path === '' ? file : normalize(join(dirname(file), path)));
      if (!existsSync(join(packageRoot, target))) return true;
      return (
        anchor !== undefined && (statSync(join(packageRoot, target)).isDirectory() || !anchors(target).has(anchor))
      );
    });

test('every link leads to a file and a heading', () => {
  expect(pages.flatMap((file) => broken(file).map((link) => `${file}: ${link}`))).toEqual([]);
  expect(pages.length).toBeGreaterThan(40);
});

test('no page for users sends them to data that only contributors have', () => {
  const written = documents.filter((file) => !GENERATED.test(file)).concat('README.md');
  expect(written.filter((file) => readDocument(file).includes('../shared'))).toEqual([]);
});

test('every document that code, tests or workflows name exists', () => {
  const named = tracked
    .filter(
      (file) =>
        /\.(?:ts|js|mjs|py|json|ya?ml|sh)$/.test(file) &&
        !/fuzz-corpus|package-lock/.test(file) &&
        existsSync(join(packageRoot, file)),
    )
    .flatMap((file) =>
      Array.from(
        readFileSync(join(packageRoot, file), 'utf8').matchAll(/(?<![\w/.-])docs\/[a-z][a-z/-]*\.md\b/g),
        ([name]) => ({ file, name }),
      ),
    )
    // Documents of onnxruntime and of servers.
    .filter(({ name }) => !/^docs\/openapi/.test(name));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ name }) => !documents.includes(name))).toEqual([]);
});
