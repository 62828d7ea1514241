/** @file Finds onnxruntime and loads it: a package that holds the libraries of this platform alone, or onnxruntime-node, which holds all of them. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Common from 'onnxruntime-common';
import { ModelError, messageOf } from '../../core/errors.js';
import { packaged, packageRoot } from '../../core/package-root.js';
import { ANY_SIZE, readFileSync } from '../../files/read.js';

export type Runtime = typeof Common & { listSupportedBackends(): readonly { readonly name: string }[] };

export interface InstalledRuntime {
  /** As npm names the package. */
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/** package.json of a runtime. onnxruntime-node lists the platforms that it serves, a package of release/runtime.js its only one. */
interface Made {
  readonly name: string;
  readonly version: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** The package of this platform, made by release/runtime.js. Not every platform has one. */
const PACKAGE = `robust-text-${process.platform}-${process.arch}`;

const require = createRequire(import.meta.url);

const { dependencies, optionalDependencies } = JSON.parse(packaged('package.json')) as {
  dependencies: { 'onnxruntime-common': string };
  optionalDependencies?: object;
};

/** The version of onnxruntime that robust is tested with: package.json states it once. */
const runtimeVersion: string = dependencies['onnxruntime-common'];

/**
 * In the order in which they are tried: the one that a user installs for CUDA, the one that a build of a clone puts into its own package,
 * the one that npm installs with robust, and the fallback.
 */
const places = (): (string | undefined)[] => [
  folderOf('robust-text-cuda'),
  join(packageRoot, 'dist', 'runtime'),
  folderOf(PACKAGE),
  folderOf('onnxruntime-node'),
];

/** The first that is installed and made for this platform: a package of a clone holds the libraries of the machine that built it. */
export function installedRuntime(): InstalledRuntime | undefined {
  for (const folder of places()) {
    if (folder === undefined || !existsSync(join(folder, 'package.json'))) continue;
    const { name, version, os, cpu } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Made;
    if (os?.includes(process.platform) === false || cpu?.includes(process.arch) === false) continue;
    return { name, version, folder };
  }
  return undefined;
}

/** The one that is used. Throws ModelError RUNTIME_DAMAGED. */
export function expectedRuntime(): InstalledRuntime {
  const found = installedRuntime();
  if (found === undefined) throw missing();
  if (!sameMinor(found.version, runtimeVersion))
    throw new ModelError(
      `expected onnxruntime ${runtimeVersion}, found ${found.name} ${found.version} in ${found.folder}`,
      { code: 'RUNTIME_DAMAGED', hint: `Another version may compute other figures: ${FALLBACK}` },
    );
  return found;
}

/** Throws ModelError RUNTIME_DAMAGED. */
export function loadRuntime(): Runtime {
  const found = expectedRuntime();
  try {
    return require(found.folder) as Runtime;
  } catch (cause) {
    throw broken(found, cause);
  }
}

/** Files of a runtime that are missing or differ from its checksums; none for onnxruntime-node, which has no checksums. */
export function damagedFiles(folder: string): string[] {
  const list = join(folder, 'checksums.json');
  if (!existsSync(list)) return [];
  const { files } = JSON.parse(readFileSync(list, 'utf8')) as { files: Readonly<Record<string, string>> };
  return Object.entries(files).flatMap(([path, sha256]) => {
    const file = join(folder, path);
    const same =
      existsSync(file) &&
      createHash('sha256')
        .update(readFileSync(file, null, ANY_SIZE))
        .digest('hex') === sha256;
    return same ? [] : [path];
  });
}

const sameMinor = (a: string, b: string): boolean => a.split('.', 2).join('.') === b.split('.', 2).join('.');

function folderOf(name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** A name that is not registered yet is anybody's: until then a build of a clone holds the runtime of its own platform. */
const REINSTALL = optionalDependencies
  ? `Install it: npm install ${PACKAGE}@${runtimeVersion}. npm leaves it out with --omit=optional or --no-optional, and if the lock file was made on another platform.`
  : 'This robust was built on another platform: build it on this one.';
const FALLBACK = `npm install onnxruntime-node@${runtimeVersion}`;

/** Linux without glibc, such as Alpine. */
const musl = (): boolean => {
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
};

const PUBLISHED_FOR = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win32-x64', 'win32-arm64'];

function missing(): ModelError {
  const platform = `${process.platform}-${process.arch}`;
  const [message, hint] = musl()
    ? [
        'this system uses musl, and onnxruntime is built for glibc',
        'Use a system with glibc, such as the image node:22-slim.',
      ]
    : PUBLISHED_FOR.includes(platform)
      ? [
          `expected the package ${PACKAGE}, which is not installed`,
          `${REINSTALL} Or install all platforms: ${FALLBACK}`,
        ]
      : [
          `onnxruntime ${runtimeVersion} has no build for ${platform}`,
          'Models behind an address work without it. If you built onnxruntime yourself, install it as onnxruntime-node.',
        ];
  return new ModelError(`onnxruntime is missing: ${message}`, { code: 'RUNTIME_DAMAGED', hint });
}

function broken({ name, folder }: InstalledRuntime, cause: unknown): ModelError {
  const damaged = damagedFiles(folder);
  const [first] = messageOf(cause).split('\n', 1);
  const message =
    damaged.length === 0
      ? `${name} in ${folder} cannot be loaded: ${first}`
      : `${name} in ${folder} is damaged: ${damaged.length} files are missing or differ from checksums.json, first ${damaged[0]}`;
  const hint = musl()
    ? 'onnxruntime needs glibc. Use an image such as node:22-slim.'
    : `Delete ${folder} and install again.`;
  return new ModelError(message, { code: 'RUNTIME_DAMAGED', hint, cause });
}
