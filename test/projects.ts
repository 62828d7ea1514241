/**
 * @file Which project of vitest a test file belongs to: that of its package, or by what it and the helpers it imports need: Chromium, a
 * server, a process or a real model. What needs none of these is a unit, and answers at once. What changes the registries of its process
 * is `alone`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages whose tests are projects of their own. */
const LIBRARIES = ['onnx', 'shield'] as const;

/** The first that matches the path or the text of a file, or of a helper it imports. */
const NEEDS = {
  alone: /^test\/tasks\/ordinal\.test/,
  pages: /^test\/reports\/chromium\.ts$|playwright|puppeteer/m,
  services: /^test\/fleet\/redis\.ts$|\bnginx\b/m,
  contract:
    /^test\/(?:attacks\/contract|convert\/family-contract|recipes\/components|language\/languages|testing\.test)/m,
  commands:
    /^test\/commands\/|node:child_process|node:worker_threads|'(?:\.\.\/)+src\/(?:api|app\/|model\/(?:load|opening|workers)|gradient\/|train\/|onnx\/load)/m,
} as const;

/** Arithmetic, and seconds of it: with the commands. */
const LONG = new Set(
  [
    ...['backdoor/auto', 'backdoor/same-kind', 'backdoor/scan', 'campaigns/text', 'diagnostics/planted', 'docs'],
    ...['model/linear-pattern', 'model/spans', 'model/unicode', 'review/panel', 'run/determinism', 'run/label-order'],
    ...['run/measures', 'backdoor/filter', 'language/negation', 'run/damage'],
  ].map((name) => `test/${name}.test.ts`),
);

export type Project = keyof typeof NEEDS | 'unit' | (typeof LIBRARIES)[number];
export const PROJECTS: readonly Project[] = [
  'unit',
  'contract',
  'commands',
  'pages',
  'services',
  'alone',
  ...LIBRARIES,
];

/** A test file and the helpers that it imports, directly or not. */
function reached(file: string): readonly string[] {
  const found = new Set([file]);
  // A set yields what is added to it during the loop.
  for (const each of found)
    for (const [, from = ''] of readFileSync(join(root, each), 'utf8').matchAll(/'(\.{1,2}\/[^']+)\.js'/g)) {
      const helper = `${normalize(join(dirname(each), from))}.ts`;
      if (/^(?:packages\/\w+\/)?test\//.test(helper) && existsSync(join(root, helper))) found.add(helper);
    }
  return [...found];
}

/** By file: each project asks about all of them. */
const known = new Map<string, Project>();

function projectOf(file: string): Project {
  const found = known.get(file) ?? needed(file);
  known.set(file, found);
  return found;
}

function needed(file: string): Project {
  const library = LIBRARIES.find((name) => file.startsWith(`packages/${name}/`));
  if (library !== undefined) return library;
  if (LONG.has(file)) return 'commands';
  const all = reached(file)
    .map((each) => `${each}\n${readFileSync(join(root, each), 'utf8')}`)
    .join('\n');
  return (Object.keys(NEEDS) as (keyof typeof NEEDS)[]).find((name) => NEEDS[name].test(all)) ?? 'unit';
}

/** Test files of a project. */
export const filesOf = (project: Project): string[] =>
  ['test', ...LIBRARIES.map((name) => `packages/${name}/test`)]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (file) => `${folder}/${file.replaceAll('\\', '/')}`,
      ),
    )
    .filter((file) => file.endsWith('.test.ts') && !/^test\/(?:slow|lint)\//.test(file))
    .filter((file) => projectOf(file) === project);
