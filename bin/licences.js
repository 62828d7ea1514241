// The licences of packages whose code is inside files of ours.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
export function versionsOf(folders) {
  /** @type {Record<string, string>} */
  const versions = {};
  for (const folder of folders) {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (versions[name] !== undefined && versions[name] !== version)
      throw new Error(`${name}: expected one version inside the bundle, got ${versions[name]} and ${version}`);
    versions[name] = version;
  }
  return versions;
}

/**
 * Writes a manifest and a lock file of the packages inside our files, which no user's `npm audit` sees:
 * `npm audit --package-lock-only --prefix FOLDER` reads these. SECURITY.md names the command.
 *
 * @param {string} to @param {Readonly<Record<string, string>>} dependencies
 */
export function writeAuditable(to, dependencies) {
  const self = { name: 'inside-robust-text', version: '0.0.0', private: true, dependencies };
  const packages = Object.entries(dependencies).map(([name, version]) => [`node_modules/${name}`, { version }]);
  const lock = { ...self, lockfileVersion: 3, packages: { '': self, ...Object.fromEntries(packages) } };
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'package.json'), JSON.stringify(self));
  writeFileSync(join(to, 'package-lock.json'), JSON.stringify(lock));
}
