/** @file The sizes of robust and of the packages that it depends on. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '../core/package-root.js';
import { readFileSync } from '../files/read.js';
import { installedRuntime } from '../model/workers/runtime.js';

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly bytes: number;
  readonly files: number;
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The largest first. In a clone, robust's own folder holds its sources and development dependencies too, so that only packages are counted. */
export function installedPackages(): InstalledPackage[] {
  const runtime = installedRuntime()?.folder;
  const folders = new Set([realpathSync(packageRoot), ...(runtime === undefined ? [] : [realpathSync(runtime)])]);
  // A set gives what is added to it while it is iterated.
  for (const folder of folders) {
    const { dependencies, optionalDependencies } = manifestOf(folder);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = folderFrom(folder, name);
      if (found !== undefined) folders.add(found);
    }
  }
  return [...folders]
    .map((folder) => {
      const { name, version } = manifestOf(folder);
      return { name, version, ...sizeOf(folder, folders) };
    })
    .sort((a, b) => b.bytes - a.bytes);
}

const manifestOf = (folder: string): PackageManifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Where Node.js finds a package from a folder. */
function folderFrom(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(join(found, 'package.json'))) return realpathSync(found);
    if (folder === dirname(folder)) return undefined;
  }
}

/** Without nested packages, which count for themselves. */
function sizeOf(folder: string, others: ReadonlySet<string>): { readonly bytes: number; readonly files: number } {
  let [bytes, files] = [0, 0];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) {
      bytes += statSync(path).size;
      files++;
    } else if (entry.isDirectory() && entry.name !== 'node_modules' && !others.has(path)) {
      const inside = sizeOf(path, others);
      bytes += inside.bytes;
      files += inside.files;
    }
  }
  return { bytes, files };
}
