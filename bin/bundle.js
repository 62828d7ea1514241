// Puts what tsc compiled into few files, dist/bundle/: to find and read six hundred takes longer than to run them (docs/research/performance.md).
// Each way in keeps its path below src/. What several of them need is in chunks/, once, so that classes and registries are the same for all.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { licences, PACKAGE, versionsOf } from './licences.js';

/** Entries named by package.json and bin/run.js, and files loaded by path: `compiledFile` and `workerFile` in src/core/package-root.ts. */
const ENTRIES = [
  ...['api', 'plugin', 'testing', 'vitest', 'config/define-config'],
  ...['guarded', 'exit-guard', 'oclif', 'help', 'failure', 'unknown-command', 'watchdog-thread'].map(
    (name) => `commands/_shared/${name}`,
  ),
  ...['worker', 'inference', 'session', 'device-trial'].map((name) => `model/workers/${name}`),
  ...[
    'gradient/white-box/embedding-model',
    'gradient/white-box/tfjs-model',
    'gradient/white-box/table-products',
    'train/replica',
    'app/queue/processor',
  ],
];

/** Packages of many files that a start loads. The others stay where npm puts them, each its own file, and are loaded from there. */
const INSIDE = [
  '@oclif/core',
  'zod',
  'chalk',
  'cli-table3',
  'csv-parse',
  'diff',
  'tinyglobby',
  'lilconfig',
  'pure-rand',
  'fastest-levenshtein',
];

/**
 * Chunks, each of the files named and all that these load; a file belongs to the first that reaches it. Where a later chunk is needed at
 * an earlier moment, that moment loads all of it: hence this order.
 */
const CHUNKS = {
  // Before anything that could crash.
  guard: /\/src\/commands\/_shared\/(?:guarded|exit-guard)\.js$/,
  // What both flags and threads need, so that neither loads the other.
  core: /\/src\/core\/(?:errors|json|defined|get-or-compute|package-root|random|pair|statistics\/softmax)\.js$/,
  // Threads, each of which holds its own copy. Not worker.ts itself: what runs when it is loaded waits for the module that its plan names.
  worker:
    /\/src\/(?:model\/workers\/inference|gradient\/white-box\/(?:embedding-model|table-products)|train\/replica)\.js$/,
  help: /\/src\/commands\/_shared\/(?:oclif|help|failure)\.js$/,
  // Before the flags are read, so that a mistake in them loads no more.
  command:
    /\/src\/(?:config\/(?:load|settings\/index)|app\/(?:command-line|runs\/runs)|commands\/_shared\/(?:base-command|shard-here))\.js$/,
  attack:
    /\/(?:src\/(?:app\/attack|app\/estimate|app\/runs\/(?:next-command|output-files)|commands\/_shared\/(?:hub|progress-line))|reports\/index)\.js$/,
};

/** @param {string} root where package.json is, with a slash at its end */
export async function bundle(root) {
  const dist = join(root, 'dist');
  const commands = readdirSync(join(root, 'src', 'commands'), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !/(^|\/)_/.test(file))
    .map((file) => `commands/${file.slice(0, -'.ts'.length)}`);
  const input = Object.fromEntries([...ENTRIES, ...commands].map((name) => [name, join(dist, 'src', `${name}.js`)]));
  const build = await rolldown({
    input,
    platform: 'node',
    // Bundled packages include their dependencies. TypeScript is only for plugins that oclif would compile, if it is installed.
    external: (id, from) =>
      id === 'typescript' ||
      (/^[@a-z]/.test(id) &&
        !PACKAGE.test(from ?? '') &&
        !INSIDE.some((name) => id === name || id.startsWith(`${name}/`))),
    checks: { ineffectiveDynamicImport: false },
  });
  await library(root, 'onnx', { platform: 'node' });
  // Without anything of Node, for browsers: a file that a page can load by itself.
  const shield = await library(root, 'shield', { platform: 'neutral', minify: true });
  const folder = join(dist, 'bundle');
  const { output } = await build.generate({
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    codeSplitting: {
      // The highest first, and none below zero, where all would be equal.
      groups: Object.entries(CHUNKS).map(([name, test], at, { length }) => ({ name, test, priority: length - at })),
    },
  });
  await build.close();
  replaceFiles(
    folder,
    new Map([
      ...output.map((file) => /** @type {const} */ ([file.fileName, file.type === 'chunk' ? file.code : file.source])),
      ['shield.js', shield],
    ]),
    (file) => file.endsWith('.js'),
  );
  const parts = output.flatMap((chunk) =>
    chunk.type === 'chunk' ? [[chunk.fileName, Object.keys(chunk.modules).map((file) => relative(root, file))]] : [],
  );
  // Sources of each file, for tests and for readers of a stack trace.
  writeFileSync(join(dist, 'bundle.json'), `${JSON.stringify(Object.fromEntries(parts), null, 1)}\n`);
  const packages = new Set(
    output.flatMap((chunk) =>
      chunk.type === 'chunk' ? Object.keys(chunk.modules).flatMap((file) => PACKAGE.exec(file)?.[0] ?? []) : [],
    ),
  );
  const inside = [...packages].sort();
  writeFileSync(join(folder, 'LICENSES.txt'), licences(inside));
  writeFileSync(join(folder, 'packages.json'), `${JSON.stringify({ packages: versionsOf(inside) }, null, 1)}\n`);
}

/**
 * Puts a package of the workspace into its `dist`: one file, and its types.
 *
 * @param {string} root
 * @param {string} name of its folder
 * @param {{ platform: 'node' | 'neutral', minify?: boolean }} options
 * @returns {Promise<string>} the file
 */
async function library(root, name, { platform, minify = false }) {
  const compiled = join(root, 'dist', 'packages', name, 'src');
  const build = await rolldown({ input: join(compiled, 'index.js'), platform, external: /^[@a-z]/ });
  const { output } = await build.generate({ minify, comments: false, codeSplitting: false });
  await build.close();
  const types = readdirSync(compiled, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
  const { code } = output[0];
  replaceFiles(
    join(root, 'packages', name, 'dist'),
    new Map([
      ['index.js', code],
      ...types.map(
        (file) => /** @type {const} */ ([file.replaceAll('\\', '/'), readFileSync(join(compiled, file), 'utf8')]),
      ),
    ]),
    (file) => /\.(?:js|d\.ts)$/.test(file),
  );
  return code;
}

/**
 * Makes `files` those of a folder that are `ours`, for commands that run from it meanwhile: what is as it should be is not touched, what
 * changed is whole at every moment, and what is there no more goes last.
 *
 * @param {string} folder
 * @param {ReadonlyMap<string, string | Uint8Array>} files path with slashes -> content
 * @param {(path: string) => boolean} ours
 */
export function replaceFiles(folder, files, ours) {
  for (const [path, content] of files) {
    const file = join(folder, path);
    if (existsSync(file) && Buffer.from(content).equals(readFileSync(file))) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, content);
    renameSync(`${file}.new`, file);
  }
  for (const found of existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []) {
    const path = found.replaceAll('\\', '/');
    if (ours(path) && !files.has(path)) rmSync(join(folder, found));
  }
}
