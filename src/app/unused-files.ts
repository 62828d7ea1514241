/** @file Files of installed packages that robust never loads here. */
import { existsSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { messageOf, OutputError } from '../core/errors.js';

export interface UnusedFiles {
  /** The package, as npm names it. */
  readonly package: string;
  /** Sizes in bytes. */
  readonly total: number;
  readonly unused: number;
  /** Whole paths. */
  readonly files: readonly string[];
}

/** The files of a package that are loaded; its terms, its package.json and its types always stay. */
const LOADED: Readonly<Record<string, (path: string) => boolean>> = {
  // The fallback holds the libraries of every platform. CUDA's, which its installer adds, are for --runtime device=cuda.
  'onnxruntime-node': (path) => !path.startsWith('bin/') || path.includes(`/${process.platform}/${process.arch}/`),
  // The sources of what is compiled.
  zod: (path) => !path.startsWith('src/'),
};
const KEPT = /(?:^|\/)(?:licen[cs]e|notice|thirdparty|package\.json)[^/]*$|\.d\.ts$/i;

/** Package by package, those that are installed. */
export const unusedFiles = (): UnusedFiles[] =>
  Object.entries(LOADED).flatMap(([name, loaded]) => {
    const folder = folderOf(name);
    return folder === undefined ? [] : [unusedOf(name, folder, loaded)];
  });

/** The unused files of one package; paths have slashes on every system. */
export function unusedOf(name: string, folder: string, loaded: (path: string) => boolean): UnusedFiles {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(folder, file).split(sep).join('/');
      return {
        file,
        size: statSync(file).size,
        used: KEPT.test(path) || path.startsWith('node_modules/') || loaded(path),
      };
    });
  const unused = all.filter(({ used }) => !used);
  const bytes = (of: readonly { readonly size: number }[]) => of.reduce((sum, { size }) => sum + size, 0);
  return { package: name, total: bytes(all), unused: bytes(unused), files: unused.map(({ file }) => file) };
}

/** Deletes them; the bytes that were freed. Throws OutputError where the installation cannot be written. */
export function deleteUnusedFiles(found: readonly UnusedFiles[] = unusedFiles()): number {
  for (const { files } of found) {
    for (const file of files) {
      try {
        rmSync(file);
      } catch (error) {
        throw new OutputError(`${file} cannot be deleted: ${messageOf(error)}`, {
          code: 'OUTPUT_NOT_WRITABLE',
          hint: 'Run robust doctor --prune as whoever installed robust.',
          cause: error,
        });
      }
    }
  }
  return found.reduce((sum, { unused }) => sum + unused, 0);
}

/** Where a package that robust imports is installed. */
function folderOf(name: string): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    while (!folder.endsWith(join(sep, ...name.split('/')))) {
      if (dirname(folder) === folder) return undefined;
      folder = dirname(folder);
    }
    return existsSync(join(folder, 'package.json')) ? realpathSync(folder) : undefined;
  } catch {
    return undefined;
  }
}
