/** Users run the bundle, dist/bundle. It contains all files that are loaded by path, and shares its classes with code from outside. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';

const bundle = join(packageRoot, 'dist', 'bundle');

test('a file that is named by its path is among the entries', () => {
  const named = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      Array.from(
        readFileSync(join(packageRoot, 'src', file), 'utf8').matchAll(
          /(?:(?:compiled|worker)File\(|\b(?:module|file)(?::| =) )'([\w/-]+\.js)'/g,
        ),
        ([, path]) => path as string,
      ),
    );
  expect(named).toEqual(expect.arrayContaining(['model/workers/worker.js', 'train/replica.js', 'plugin.js']));
  expect(named.filter((path) => !existsSync(join(bundle, path)))).toEqual([]);
});

test('what runs as soon as it is loaded is imported by nobody: it would run in whichever thread loads their chunk', () => {
  const sources = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const imports = sources.flatMap((file) =>
    Array.from(
      readFileSync(join(packageRoot, 'src', file), 'utf8').matchAll(
        /^(?:import|export) (?!type )[^;]*? from '(\..*?)';$/gm,
      ),
      ([, from]) => join(dirname(file), from as string),
    ),
  );
  expect(imports.length).toBeGreaterThan(1000);
  const run = ['model/workers/worker.js', 'app/queue/processor.js', 'commands/_shared/watchdog-thread.js'];
  expect(run.filter((file) => !existsSync(join(bundle, file)) || imports.includes(file))).toEqual([]);
});

/** Files of the bundle that a file loads with it. */
function loadedWith(file: string): readonly string[] {
  const loaded = new Set([file]);
  // A set yields what is added to it during the loop.
  for (const each of loaded)
    for (const [, from] of readFileSync(join(bundle, each), 'utf8').matchAll(
      /^(?:import|export) [^;]*?from "(\.[^"]*)"/gm,
    ))
      loaded.add(join(dirname(each), from as string));
  return [...loaded];
}

test.each([
  'model/workers/inference.js',
  'model/workers/session.js',
  'gradient/white-box/embedding-model.js',
  'gradient/white-box/table-products.js',
  'train/replica.js',
])('each thread of %s costs memory: it loads little code, and no schemas', (file) => {
  const code = loadedWith(file).map((each) => readFileSync(join(bundle, each), 'utf8'));
  expect(code.join('').length).toBeLessThan(500_000);
  expect(code.filter((each) => each.includes('node_modules/zod'))).toEqual([]);
});

test('every command is', () => {
  const commands = readdirSync(join(packageRoot, 'src', 'commands'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(^|[/\\])_/.test(file))
    .map((file) => join('commands', file.replace(/\.ts$/, '.js')));
  expect(commands).toContain(join('commands', 'backdoor', 'scan.js'));
  expect(commands.filter((path) => !existsSync(join(bundle, path)))).toEqual([]);
});

test('library, tests, plugin API and a plugin of a file are of the same classes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-bundle-'));
  writeFileSync(
    join(folder, 'own.mjs'),
    `import { RobustError } from 'robust-text/plugin';
    globalThis.metByPlugin = RobustError;
    export default { labels: ['negative', 'positive'], async classify(texts) { return texts.map(() => Float32Array.from([0.25, 0.75])); } };`,
  );
  const at = (file: string): string => JSON.stringify(pathToFileURL(join(bundle, file)).href);
  // A process of its own: in this one other tests may have said already where robust-text/plugin is.
  writeFileSync(
    join(folder, 'main.mjs'),
    `import assert from 'node:assert/strict';
    import * as api from ${at('api.js')};
    import * as plugin from ${at('plugin.js')};
    import * as testing from ${at('testing.js')};
    assert.equal(api.RobustError, plugin.RobustError);
    assert.equal(typeof plugin.z, 'object');
    assert(Object.keys(testing).length > 0);
    await api.evaluate({ model: './own.mjs', numExamples: 2 });
    assert.equal(globalThis.metByPlugin, plugin.RobustError);
    console.log('the same');`,
  );
  expect(execFileSync(process.execPath, ['main.mjs'], { cwd: folder, encoding: 'utf8' })).toBe('the same\n');
  rmSync(folder, { recursive: true });
});

test('a build touches only what changed, so that commands that run meanwhile miss no file', async () => {
  const { replaceFiles } = await import(pathToFileURL(join(packageRoot, 'bin', 'bundle.js')).href);
  const folder = mkdtempSync(join(tmpdir(), 'robust-bundle-'));
  const js = (file: string) => file.endsWith('.js');
  mkdirSync(join(folder, 'chunks'));
  for (const name of ['same.js', 'other.js', 'gone.js']) writeFileSync(join(folder, 'chunks', name), 'before');
  writeFileSync(join(folder, 'names.json'), '{}');
  const inode = (name: string) => statSync(join(folder, name)).ino;
  const [same, other] = [inode('chunks/same.js'), inode('chunks/other.js')];
  replaceFiles(
    folder,
    new Map([
      ['chunks/same.js', 'before'],
      ['chunks/other.js', 'after'],
      ['new/own.js', 'new'],
    ]),
    js,
  );
  expect(inode('chunks/same.js')).toBe(same);
  // Another file under the same name: who has begun to read the old one reads it to its end.
  expect(inode('chunks/other.js')).not.toBe(other);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  expect(files.sort()).toEqual(['chunks', 'chunks/other.js', 'chunks/same.js', 'names.json', 'new', 'new/own.js']);
  expect(readFileSync(join(folder, 'chunks/other.js'), 'utf8')).toBe('after');
  rmSync(folder, { recursive: true });
});
