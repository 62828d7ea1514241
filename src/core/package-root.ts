import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Where the package is installed: the folder of the package.json above this file. The one place that knows it, because
 * tsc copies no data and the same module runs from src/ (tests) and from dist/src/ (users).
 */
export const packageRoot: string = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
})();
