/** The examples of the documents in TypeScript compile against the built package, run, and print what the document says. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';
import { documents, readDocument } from './documents.js';

interface Example {
  readonly name: string;
  readonly code: string;
  /** The output that the document shows. */
  readonly prints?: string | undefined;
}

const examples: readonly Example[] = documents.flatMap((file) => {
  const blocks = readDocument(file).matchAll(/^```ts\n(.*?)^```(?:\n\nprints\n\n((?: {4}.*?\n)+))?/gms);
  return Array.from(blocks, ([, code, prints], at) => ({
    name: `${file}, example ${at + 1}`,
    code: code as string,
    prints: prints?.replace(/^ {4}/gm, ''),
  }));
});

/** Below the package, so that `robust-text` is this package. */
const compiled = join(packageRoot, 'dist', 'examples');
const before = process.cwd();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'robust-examples-'));
  symlinkSync(join(packageRoot, 'models', 'bert-mini'), join(folder, 'my-model'));
  const rows = Array.from({ length: 40 }, (_, at) => `A ${at % 2 ? 'great' : 'dull'} film, number ${at}.\t${at % 2}`);
  writeFileSync(join(folder, 'dev.tsv'), `text\tlabel\n${rows.join('\n')}\n`);
  process.chdir(folder);
});

afterEach(() => void vi.restoreAllMocks());

afterAll(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true, force: true });
});

test('there are examples', () => expect(examples.length).toBeGreaterThan(1));

test('they compile', () => {
  rmSync(compiled, { recursive: true, force: true });
  mkdirSync(compiled, { recursive: true });
  const files = examples.map(({ code }, at) => {
    const file = join(compiled, `${at}.mts`);
    const given = /\bexpect\(/.test(code) ? "import { expect } from 'vitest';\n" : '';
    writeFileSync(file, `${given}${code}\nexport {};\n`);
    return file;
  });
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      target: 'ES2023',
      lib: ['ES2023'],
      module: 'NodeNext',
      strict: true,
      skipLibCheck: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(packageRoot, 'node_modules', '@types')],
    },
    packageRoot,
  );
  const faults = ts.getPreEmitDiagnostics(ts.createProgram(files, options));
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

test.each(examples)('$name runs', async ({ code, prints }) => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  vi.spyOn(console, 'error').mockReturnValue();
  const imported = code.replace(/^import (\{.*?\}) from '(.*?)';$/gm, "const $1 = await load('$2');");
  expect(imported).not.toMatch(/^import /m);
  const { outputText } = ts.transpileModule(imported, { compilerOptions: { target: ts.ScriptTarget.ES2023 } });
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const load = (name: string) => import(join(packageRoot, 'dist', 'bundle', ENTRIES[name] as string));
  const ended = new AsyncFunction('load', 'expect', outputText)(load, expect);
  // The model of the examples is not robust, and the matcher has to say so.
  if (code.includes('toBeRobust'))
    await expect(ended).rejects.toThrow('failed: overall.accuracyUnderAttack at least 60 %, got');
  else await ended;
  expect(prints !== undefined, 'an example that prints says what it prints').toBe(code.includes('console.log'));
  if (prints !== undefined) expect(log.mock.calls.map((words) => `${words.join(' ')}\n`).join('')).toBe(prints);
});

/** Where package.json's `exports` point. */
const ENTRIES: Readonly<Record<string, string>> = {
  'robust-text': 'api.js',
  'robust-text/plugin': 'plugin.js',
  'robust-text/vitest': 'vitest.js',
};
