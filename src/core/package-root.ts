import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Folder of the installed package: that of the package.json above this file. Only this module determines it, because tsc copies no data and
 * the same code runs from src/ (tests), dist/src/ (benchmarks) and dist/bundle/ (users).
 */
export const packageRoot: string = (() => {
  let folder = here;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

/** The text of a file of the package: `packaged('datasets', 'data', 'words.tsv')`. */
export const packaged = (...path: readonly string[]): string => readFileSync(join(packageRoot, ...path), 'utf8');

/** The used parts of a large package, put there by bin/vendor.js: `vendored('tfjs.cjs')`. */
export const vendored = (path: string): string => join(packageRoot, 'dist', 'vendor', path);

const BUNDLE = join(packageRoot, 'dist', 'bundle');

/**
 * A compiled file that is loaded by path into this thread: `compiledFile('plugin.js')`. It is part of the bundle if this code is, so that
 * both share the same classes. Such files are entries of bin/bundle.js.
 */
export const compiledFile = (pathBelowSrc: string): string =>
  join(here.startsWith(BUNDLE) ? BUNDLE : join(packageRoot, 'dist', 'src'), pathBelowSrc);

/** A compiled file that a worker loads: `workerFile('model/workers/worker.js')`. It is always part of the bundle, whose few files are read faster. */
export const workerFile = (pathBelowSrc: string): string => join(BUNDLE, pathBelowSrc);
