/** The import rules: who may import whom, and who may name which package. The tables here are the ones ARCHITECTURE.md shows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Room -> rooms it may import besides itself. `plugin` is src/plugin.ts; a room of several folders is named by folder; `onnx` and `shield` are
 * packages, which import nothing of robust.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  results: ['core'],
  tasks: ['core', 'results'],
  files: ['core'],
  modules: ['core', 'files'],
  shield: [],
  language: ['core', 'files', 'shield'],
  'language/english': ['core', 'language'],
  'language/packs': ['core', 'language'],
  constraints: ['core', 'language'],
  search: ['core', 'tasks', 'results'],
  recipes: ['core', 'results', 'language', 'constraints', 'search'],
  verify: ['core', 'results', 'language'],
  diagnostics: ['core', 'results', 'language'],
  plugin: ['core', 'results', 'language', 'constraints', 'search', 'recipes'],
  attacks: ['plugin', 'core', 'results', 'language', 'constraints', 'search', 'shield', 'verify'],
  datasets: ['core', 'files'],
  reports: ['core', 'tasks', 'results', 'verify'],
  onnx: [],
  'onnx/graph': ['onnx'],
  'onnx/convert': ['onnx', 'onnx/graph'],
  'onnx/autodiff': ['onnx', 'onnx/graph'],
  'onnx/index': ['onnx', 'onnx/graph', 'onnx/convert', 'onnx/autodiff'],
  http: ['core'],
  protocols: ['core', 'onnx'],
  remote: ['core', 'files', 'http', 'protocols'],
  tfjs: ['core', 'files'],
  model: ['core', 'files', 'modules', 'onnx', 'onnx/graph', 'onnx/convert', 'http', 'remote', 'tfjs'],
  inspection: ['core', 'results', 'files', 'onnx/graph', 'onnx/convert', 'model', 'shield'],
  'gradient/tfjs': ['core', 'onnx', 'onnx/graph', 'tfjs', 'onnx/autodiff', 'gradient/white-box'],
  'gradient/white-box': ['core', 'onnx/graph', 'model', 'tfjs', 'onnx/autodiff', 'gradient/tfjs'],
  train: ['core', 'tasks', 'results', 'files', 'onnx', 'onnx/graph', 'onnx/autodiff', 'model', 'gradient/white-box'],
  defence: ['core', 'language', 'shield'],
  explain: ['core', 'results', 'onnx/graph', 'model', 'gradient/white-box'],
  backdoor: ['core', 'tasks', 'results', 'files', 'language', 'train'],
  run: ['core', 'tasks', 'results', 'files'],
  review: ['core', 'tasks', 'results', 'files'],
  fleet: ['core', 'results', 'files', 'run'],
  gate: ['core', 'tasks', 'results'],
  serve: ['core', 'tasks', 'http', 'protocols'],
  ui: ['core', 'results', 'http', 'reports'],
  config: ['core', 'files', 'gate'],
  app: [
    'core',
    'tasks',
    'results',
    'language',
    'language/english',
    'language/packs',
    'constraints',
    'search',
    'recipes',
    'verify',
    'diagnostics',
    'attacks',
    'datasets',
    'reports',
    'run',
    'review',
    'fleet',
    'onnx/convert',
    'model',
    'inspection',
    'gradient/white-box',
    'tfjs',
    'train',
    'backdoor',
    'defence',
    'explain',
    'gate',
    'http',
    'serve',
    'ui',
    'config',
    'files',
    'modules',
  ],
  commands: ['core', 'results', 'app', 'reports', 'model', 'modules', 'train', 'config', 'files'],
  'api.ts': ['app', 'config', 'core', 'results', 'defence', 'model', 'remote', 'review', 'run', 'serve', 'train'],
  'vitest.ts': ['app', 'core', 'results'],
  'testing.ts': ['testing'],
  testing: ['app', 'core', 'tasks', 'results', 'datasets', 'defence', 'language/english', 'plugin', 'search'],
};

/** Package (prefix) -> rooms that may name it; all others must not. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  'onnxruntime-': ['model', 'onnx/autodiff'],
  '@tensorflow/': ['tfjs', 'gradient/tfjs'],
  '@oclif/': ['commands'],
  undici: ['http'],
  chalk: ['commands', 'reports'],
  'cli-table3': ['commands', 'reports'],
  'cli-progress': ['commands'],
  bullmq: ['fleet'],
  ioredis: ['fleet'],
  aws4fetch: ['fleet'],
};

/** The sections of ARCHITECTURE.md between `<!-- NAME: begin -->` and `<!-- NAME: end -->`; `npm run lint:texts -- architecture -u` writes them. */
const SECTIONS = { imports: importTable, model: () => roomMap('model'), app: () => roomMap('app') };

const roomOf = (path: string): string => {
  if (/^src\/plugin\.[jt]s$/.test(path)) return 'plugin';
  const [, library, part] = /^packages\/(\w+)\/src\/(graph|convert|autodiff|index(?=\.))?/.exec(path) ?? [];
  if (library === 'onnx') return part === undefined ? library : `${library}/${part}`;
  if (library !== undefined) return library;
  if (/^src\/(?:gradient|language\/(?:english|packs))\//.test(path)) return path.split('/').slice(1, 3).join('/');
  return path.split('/')[path.startsWith('src/') ? 1 : 0] as string;
};

const sources = ['src', 'attacks', 'datasets', 'reports', 'packages/onnx/src', 'packages/shield/src'].flatMap((top) =>
  (existsSync(join(root, top)) ? readdirSync(join(root, top), { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
);

/** What each file imports: files of ours by their path, packages as they are named. */
const imports = new Map(
  sources.map((file) => {
    const found = readFileSync(join(root, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g,
    );
    const named = Array.from(found, (m) => (m[1] ?? m[2] ?? m[3]) as string);
    const packages = named.filter((specifier) => !specifier.startsWith('.'));
    const files = named
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'));
    return [file, { files, packages }] as const;
  }),
);

test('every file imports only what its room may', () => {
  const faults = Array.from(imports, ([file, { files, packages }]) => {
    const room = roomOf(file);
    const may = [room, ...(MAY_IMPORT[room] ?? [])];
    const foreign = packages.filter((name) =>
      Object.entries(PACKAGE_ROOMS).some(([prefix, rooms]) => name.startsWith(prefix) && !rooms.includes(room)),
    );
    return [...files.filter((other) => !may.includes(roomOf(other))), ...foreign].map((other) => `${file} -> ${other}`);
  });
  expect(faults.flat()).toEqual([]);
  expect(imports.size).toBeGreaterThan(1000);
});

test('every room is in the table', () => {
  expect(sources.filter((file) => MAY_IMPORT[roomOf(file)] === undefined)).toEqual([]);
});

// The first sets a variable that native code reads; to the second, which BullMQ starts, nothing else can be given in secret.
const WITH_VARIABLES = ['src/model/workers/no-telemetry.ts', 'src/app/queue/processor.ts'];

test('only commands print, exit or read the environment', () => {
  const offenders = sources
    .filter((file) => roomOf(file) !== 'commands' && !WITH_VARIABLES.includes(file))
    .filter((file) =>
      /\bconsole\.|process\.(exit|stdout|stderr|env)\b|Math\.random/.test(readFileSync(join(root, file), 'utf8')),
    );
  expect(offenders).toEqual([]);
});

test('every arrow of the table is used', () => {
  const used = new Set(
    Array.from(imports, ([file, { files }]) => files.map((other) => `${roomOf(file)} -> ${roomOf(other)}`)).flat(),
  );
  const allowed = Object.entries(MAY_IMPORT).flatMap(([room, others]) => others.map((other) => `${room} -> ${other}`));
  expect(allowed.filter((arrow) => !used.has(arrow))).toEqual([]);
});

/** The two tables as Markdown, one row a room: what may import the most stands first. */
function importTable(): string {
  const rows = Object.entries(MAY_IMPORT)
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([room, imports]) => {
      const packages = Object.entries(PACKAGE_ROOMS).filter(([, rooms]) => rooms.includes(room));
      const names = packages.map(([name]) => `${name}${name.endsWith('/') ? '*' : ''}`);
      return `| ${room} | ${imports.join(', ')} | ${names.join(', ')} |`;
    });
  return ['| room | may import | packages that few may name |', '|---|---|---|', ...rows].join('\n');
}

/** The folders of a room and their files. Files outside folders come first: they are the entries of the room. */
function roomMap(room: string): string {
  const folders = new Map<string, string[]>();
  for (const file of sources.filter((each) => each.startsWith(`src/${room}/`)).sort()) {
    const folder = dirname(relative(`src/${room}`, file));
    folders.set(folder, [...(folders.get(folder) ?? []), basename(file, '.ts')]);
  }
  const rows = Array.from(folders)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([folder, files]) => `| ${folder === '.' ? `src/${room}/` : `${folder}/`} | ${files.join(', ')} |`);
  return ['| folder | files |', '|---|---|', ...rows].join('\n');
}

test('ARCHITECTURE.md shows these tables and maps', async () => {
  let page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  for (const [name, write] of Object.entries(SECTIONS)) {
    const begin = `<!-- ${name}: begin -->`;
    const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(`<!-- ${name}: end -->`)];
    expect(after, name).toBeGreaterThan(before);
    page = `${page.slice(0, before)}\n\n${write()}\n\n${page.slice(after)}`;
  }
  await expect(page).toMatchFileSnapshot('../../ARCHITECTURE.md');
});
