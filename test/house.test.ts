/** The import rules of ARCHITECTURE.md: who may import whom, and who may name which package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Room -> rooms it may import besides itself. `kit` is src/index.ts; a room of several folders is named by folder. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: [],
  files: ['core'],
  language: ['core'],
  constraints: ['core', 'language'],
  search: ['core', 'constraints'],
  kit: ['core', 'language', 'constraints', 'search', 'config'],
  attacks: ['kit'],
  datasets: ['kit'],
  reports: ['kit'],
  onnx: ['core'],
  model: ['core', 'files', 'onnx'],
  'gradient/autodiff': ['core', 'onnx'],
  'gradient/tfjs': ['core', 'onnx', 'gradient/autodiff', 'gradient/white-box'],
  'gradient/white-box': ['core', 'onnx', 'model', 'gradient/autodiff', 'gradient/tfjs'],
  train: ['core', 'files', 'onnx', 'model', 'gradient/white-box'],
  defence: ['core', 'language'],
  explain: ['core', 'onnx', 'model', 'gradient/white-box'],
  backdoor: ['core', 'files', 'language', 'train'],
  run: ['core', 'files'],
  gate: ['core'],
  config: ['core', 'gate'],
  app: [
    'core',
    'kit',
    'attacks',
    'datasets',
    'reports',
    'run',
    'model',
    'gradient/white-box',
    'gradient/tfjs',
    'train',
    'backdoor',
    'defence',
    'explain',
    'gate',
    'config',
    'language',
    'constraints',
    'search',
    'onnx',
    'files',
  ],
  commands: [
    'core',
    'app',
    'kit',
    'attacks',
    'datasets',
    'reports',
    'run',
    'model',
    'gradient/white-box',
    'gradient/tfjs',
    'train',
    'backdoor',
    'defence',
    'explain',
    'gate',
    'config',
    'files',
  ],
  'api.ts': ['app', 'config', 'core'],
  'vitest.ts': ['app', 'core'],
};

/** Package (prefix) -> rooms that may name it; all others must not. */
const PACKAGE_ROOMS: Record<string, readonly string[]> = {
  'onnxruntime-node': ['model', 'gradient/white-box'],
  '@tensorflow/': ['gradient/tfjs'],
  '@oclif/': ['commands'],
  chalk: ['commands', 'reports'],
  'cli-table3': ['commands', 'reports'],
  'cli-progress': ['commands'],
};

const roomOf = (path: string): string =>
  path === 'src/index.ts'
    ? 'kit'
    : path.startsWith('src/gradient/')
      ? path.split('/').slice(1, 3).join('/')
      : (path.split('/')[path.startsWith('src/') ? 1 : 0] as string);

const sources = ['src', 'attacks', 'datasets', 'reports'].flatMap((top) =>
  (existsSync(join(root, top)) ? readdirSync(join(root, top), { recursive: true, withFileTypes: true }) : [])
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name))),
);

const importsOf = (file: string): string[] =>
  Array.from(
    readFileSync(join(root, file), 'utf8').matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s*'([^']+)'/g,
    ),
    (m) => (m[1] ?? m[2] ?? m[3]) as string,
  );

test.each(sources)('%s imports only what its room may', (file) => {
  const room = roomOf(file);
  const allowed = MAY_IMPORT[room];
  expect(allowed, `room "${room}" is not in the table`).toBeDefined();
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) {
      const target = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
      const other = roomOf(target);
      if (other !== room) expect(allowed, `${file} imports ${target}`).toContain(other);
    } else {
      for (const [name, rooms] of Object.entries(PACKAGE_ROOMS)) {
        if (specifier.startsWith(name)) expect(rooms, `${file} imports ${specifier}`).toContain(room);
      }
    }
  }
});

test('only commands print, exit or read the environment', () => {
  const offenders = sources
    .filter((file) => roomOf(file) !== 'commands')
    .filter((file) =>
      /\bconsole\.|process\.(exit|stdout|stderr|env)\b|Math\.random/.test(readFileSync(join(root, file), 'utf8')),
    );
  expect(offenders).toEqual([]);
});
