// The licences of packages whose code is inside files of ours.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that a file belongs to. */
export const PACKAGE = /^.*[/\\]node_modules[/\\]((?:@[^/\\]+[/\\])?[^/\\]+)/;

/** @param {readonly string[]} folders of packages */
export function licences(folders) {
  const texts = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const by = typeof author === 'object' ? author.name : author;
    return `${name} ${version}\n\n${file ? readFileSync(join(folder, file), 'utf8') : `${license}, ${by}\n`}`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** Package -> version. @param {readonly string[]} folders of packages */
export const versionsOf = (folders) =>
  Object.fromEntries(
    folders
      .map((folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
      .map(({ name, version }) => [name, version]),
  );
