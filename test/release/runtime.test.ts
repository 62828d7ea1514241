/** The packages of onnxruntime: each holds the files of its platform as upstream published them, and robust explains what is wrong with one. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from '../commands/cli.js';
import { WHOLE } from '../cover.js';

const source = join(packageRoot, 'node_modules', 'onnxruntime-node');
const manifest = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
const { filesBelow, platformsOf, writeRuntime } = (await import(
  pathToFileURL(join(packageRoot, 'release', 'runtime.js')).href
)) as {
  filesBelow(folder: string): string[];
  platformsOf(source: string): string[];
  writeRuntime(source: string, platform: string, to: string): void;
};
const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const json = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

test('package.json states the version of onnxruntime once, exactly, and the lock file has that one', () => {
  const version = manifest.dependencies['onnxruntime-common'];
  expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(manifest.devDependencies['onnxruntime-node']).toBe(version);
  expect(json(join(source, 'package.json')).version).toBe(version);
});

/** All that upstream has are some 600 MB to hash: whole in CI, this machine's in `npm test`. */
const platforms = platformsOf(source).filter((each) => WHOLE || each === `${process.platform}-${process.arch}`);

describe.each(platforms)('the package for %s', (platform) => {
  const [os, cpu] = platform.split('-') as [string, string];
  let to: string;
  beforeAll(() => {
    to = join(folder(), 'made');
    writeRuntime(source, platform, to);
  });

  test('holds upstream’s files unchanged, terms, and checksums of all of them', () => {
    const { files } = json(join(to, 'checksums.json')) as { files: Record<string, string> };
    const copied = Object.keys(files).filter((file) => file.includes('/'));
    expect(copied.filter((file) => sha256(join(to, file)) !== sha256(join(source, file)))).toEqual([]);
    expect(Object.entries(files).filter(([file, sum]) => sha256(join(to, file)) !== sum)).toEqual([]);
    const ours = ['README.md', 'checksums.json', 'package.json'];
    expect(filesBelow(to)).toEqual([...Object.keys(files), ...ours].sort());
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['LICENSE', 'ThirdPartyNotices.txt', 'dist/index.d.ts']));
    // The libraries that this platform's binding names are there.
    const libraries = readdirSync(join(to, 'bin', 'napi-v6', os, cpu));
    const binding = readFileSync(join(to, 'bin', 'napi-v6', os, cpu, 'onnxruntime_binding.node'), 'latin1');
    const named = /libonnxruntime\.so\.1|libonnxruntime\.1\.dylib|onnxruntime\.dll/.exec(binding)?.[0];
    expect(libraries).toContain(named);
    expect(readdirSync(join(to, 'bin', 'napi-v6'))).toEqual([os]);
  });

  test('is for its platform alone, and runs nothing', () => {
    const made = json(join(to, 'package.json'));
    const { version } = json(join(source, 'package.json'));
    expect(made).toMatchObject({ name: `robust-text-${platform}`, version, os: [os], cpu: [cpu], license: 'MIT' });
    expect(made).not.toHaveProperty('scripts');
    expect(made.libc).toEqual(os === 'linux' ? ['glibc'] : undefined);
  });
});

describe('a runtime that is', () => {
  /** robust in a folder of its own, where it finds nothing of this clone's; `runtime` may change what is beside it. */
  const evaluate = (runtime: (home: string) => void) => {
    const modules = join(folder(), 'node_modules');
    const home = join(modules, 'robust-text');
    for (const file of ['bin/run.js', 'package.json', 'oclif.manifest.json'])
      cpSync(join(packageRoot, file), join(home, file), { recursive: true });
    for (const file of filesBelow(join(packageRoot, 'dist')).filter((each) => /^(?:bundle|vendor)\//.test(each))) {
      mkdirSync(dirname(join(home, 'dist', file)), { recursive: true });
      linkSync(join(packageRoot, 'dist', file), join(home, 'dist', file));
    }
    for (const data of ['models', 'datasets', 'src', 'reports', 'schemas'])
      symlinkSync(join(packageRoot, data), join(home, data));
    for (const name of readdirSync(join(packageRoot, 'node_modules')))
      if (!name.startsWith('.') && name !== 'onnxruntime-node')
        symlinkSync(join(packageRoot, 'node_modules', name), join(modules, name));
    runtime(home);
    const args = [join(home, 'bin', 'run.js'), 'evaluate', '-m', 'char-bilstm', '-n', '4', '--json'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder(), encoding: 'utf8' });
    const { error, result } = JSON.parse(stdout) as { error?: { code: string; message: string }; result?: object };
    return { status, code: error?.code, message: error?.message, answered: result !== undefined };
  };
  const own = `robust-text-${process.platform}-${process.arch}`;
  const made = (to: string): void => writeRuntime(source, `${process.platform}-${process.arch}`, to);
  const beside = (home: string, name: string): string => join(dirname(home), name);

  test('installed by npm is used, and so is onnxruntime-node', () => {
    expect(evaluate((home) => made(beside(home, own)))).toMatchObject({ status: 0, answered: true });
    expect(evaluate((home) => symlinkSync(source, beside(home, 'onnxruntime-node')))).toMatchObject({ status: 0 });
  });

  test('of another platform is passed over, wherever it lies', () => {
    const other = process.platform === 'darwin' ? 'linux-x64' : 'darwin-arm64';
    const inside = (home: string): void => writeRuntime(source, other, join(home, 'dist', 'runtime'));
    expect(evaluate(inside)).toMatchObject({ code: 'RUNTIME_DAMAGED', message: expect.stringContaining(own) });
    const both = evaluate((home) => {
      inside(home);
      made(beside(home, own));
    });
    expect(both).toMatchObject({ status: 0, answered: true });
  });

  test('missing is named', () => {
    const message = expect.stringContaining(`expected the package ${own}`);
    expect(evaluate(() => {})).toMatchObject({ status: 3, code: 'RUNTIME_DAMAGED', message });
  });

  test('of another version is refused', () => {
    const other = evaluate((home) => {
      made(beside(home, own));
      const file = join(beside(home, own), 'package.json');
      writeFileSync(file, JSON.stringify({ ...json(file), version: '1.12.0' }));
    });
    expect(other).toMatchObject({ status: 3, code: 'RUNTIME_DAMAGED', message: expect.stringContaining('1.12.0') });
  });

  test('half there, or changed, is named by its file', () => {
    const half = evaluate((home) => {
      made(beside(home, own));
      const folder = join(beside(home, own), 'bin', 'napi-v6', process.platform, process.arch);
      rmSync(join(folder, readdirSync(folder).find((file) => !file.endsWith('.node')) as string));
    });
    expect(half).toMatchObject({
      status: 3,
      code: 'RUNTIME_DAMAGED',
      message: expect.stringMatching(/damaged: 1 files? .*bin/),
    });
    const changed = evaluate((home) => {
      made(beside(home, own));
      const file = join(beside(home, own), 'dist', 'binding.js');
      // A link to upstream's file: replaced, not written to.
      rmSync(file);
      writeFileSync(file, 'throw new Error("not upstream’s")');
    });
    expect(changed).toMatchObject({
      status: 3,
      code: 'RUNTIME_DAMAGED',
      message: expect.stringContaining('dist/binding.js'),
    });
  });
});
