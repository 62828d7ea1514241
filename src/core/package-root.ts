import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/**
 * Where the package is installed: the folder of the package.json above this file. The one place that knows it, because
 * tsc copies no data and the same module runs from src/ (tests), dist/src/ (benchmarks) and dist/bundle/ (users).
 */
export const packageRoot: string = (() => {
  let folder = here;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();

const BUNDLE = join(packageRoot, 'dist', 'bundle');

/**
 * A file of ours that is loaded by its path, such as a worker: `compiledFile('model/workers/worker.js')`. It lies in the bundle where this code
 * does, so that both have the same classes. Files so named are among the entries of bin/bundle.js.
 */
export const compiledFile = (pathBelowSrc: string): string =>
  join(here.startsWith(BUNDLE) ? BUNDLE : join(packageRoot, 'dist', 'src'), pathBelowSrc);
