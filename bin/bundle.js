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
    'app/queue/executor',
    'app/completion/here',
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

/** Moments of a start, and the files that each loads: files that the same of them load are one chunk. */
const TOGETHER = {
  // Before anything that could crash.
  guard: ['src/commands/_shared/guarded', 'src/commands/_shared/exit-guard'],
  help: ['src/commands/_shared/oclif', 'src/commands/_shared/help', 'src/commands/_shared/failure'],
  complete: ['src/app/completion/here'],
  // Not worker.ts itself: what runs when it is loaded waits for the module that its plan names.
  worker: ['src/model/workers/inference'],
  gradient: ['src/gradient/white-box/embedding-model', 'src/gradient/white-box/table-products'],
  replica: ['src/train/replica'],
  command: ['src/commands/attack', 'src/config/load'],
  attack: ['src/app/attack', 'src/app/estimate', 'src/commands/_shared/hub', 'src/commands/_shared/progress-line'],
  report: ['src/app/runs/next-command', 'src/app/runs/output-files', 'reports/index'],
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
  // Without chunks or anything of Node, for browsers: a file that a page can load by itself.
  const shield = await rolldown({ input: join(dist, 'src', 'shield', 'index.js'), platform: 'neutral' });
  const alone = await shield.generate({ minify: true, comments: false });
  await shield.close();
  const folder = join(dist, 'bundle');
  const { output } = await build.generate({
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: false,
    codeSplitting: { groups: moments(dist) },
  });
  await build.close();
  replaceFiles(
    folder,
    new Map([
      ...output.map((file) => /** @type {const} */ ([file.fileName, file.type === 'chunk' ? file.code : file.source])),
      ['shield.js', alone.output[0].code],
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

/**
 * A chunk for each choice of moments, of the files that they all load and no other does. The largest choices come first: what a file
 * imports is loaded whenever it is, so no chunk imports one that came later.
 */
function moments(dist) {
  const names = Object.keys(TOGETHER);
  // Each number is a choice: bit i says whether it holds the i-th moment.
  const choices = Array.from({ length: 2 ** names.length }, (_, bits) => names.filter((_, i) => bits & (1 << i)))
    .sort((a, b) => b.length - a.length)
    .map((choice) => choice.join('-'));
  /** @type {Map<string, string> | undefined} */
  let choiceOf;
  const found = (context) => {
    const all = new Map();
    for (const name of names) {
      const seen = new Set(TOGETHER[name].map((each) => join(dist, `${each}.js`)));
      // A set gives what is added to it while it is gone through.
      for (const each of seen) for (const next of context.getModuleInfo(each)?.importedIds ?? []) seen.add(next);
      for (const each of seen) all.set(each, all.has(each) ? `${all.get(each)}-${name}` : name);
    }
    return all;
  };
  return choices.slice(0, -1).map((choice) => ({
    debugName: choice,
    name: (file, context) => {
      choiceOf ??= found(context);
      return choiceOf.get(file) === choice ? choice : null;
    },
  }));
}
