import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { deleteUnusedFiles, unusedFiles, unusedOf } from '../../src/app/unused-files.js';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from './cli.js';

test('deletes what is not loaded, and keeps terms, types and what other packages put inside', () => {
  const root = folder();
  const all = ['package.json', 'LICENSE', 'index.d.ts', 'used.js', 'maps/used.js.map', 'node_modules/other/index.js'];
  for (const file of all) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'ten bytes.');
  }
  const found = unusedOf('one', root, (path) => path === 'used.js');
  expect(found).toEqual({ package: 'one', total: 60, unused: 10, files: [join(root, 'maps', 'used.js.map')] });
  expect(deleteUnusedFiles([found])).toBe(10);
  expect(all.filter((file) => !existsSync(join(root, file)))).toEqual(['maps/used.js.map']);
  // Once more: there is nothing left to do.
  expect(deleteUnusedFiles([unusedOf('one', root, (path) => path === 'used.js')])).toBe(0);
});

test('the library of this platform stays, those of others go', () => {
  const found = unusedFiles();
  const runtime = found.find((each) => each.package === 'onnxruntime-node')!;
  const here = `/${process.platform}/${process.arch}/`;
  expect(runtime.unused).toBeLessThan(runtime.total);
  expect(runtime.files.filter((file) => file.includes(here))).toEqual([]);
});

/** An installation of its own: what may be pruned is copied, all else is that of this clone; returns what it may delete. */
function installation(root: string): {
  readonly run: string;
  readonly unused: readonly string[];
  readonly used: readonly string[];
} {
  const modules = join(root, 'node_modules');
  const real = realpathSync(join(packageRoot, 'node_modules'));
  const found = unusedFiles();
  const linked = (scope: string): void => {
    mkdirSync(join(modules, scope), { recursive: true });
    for (const name of readdirSync(join(real, scope)).map((each) => join(scope, each))) {
      if (found.some((each) => each.package.startsWith(`${name}/`))) linked(name);
      else if (!found.some((each) => each.package === name)) symlinkSync(join(real, name), join(modules, name));
    }
  };
  linked('');
  const unused: string[] = [];
  const used: string[] = [];
  for (const { package: name, files } of found) {
    const gone = new Set(files);
    for (const entry of readdirSync(join(real, name), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const from = join(entry.parentPath, entry.name);
      const to = join(modules, from.slice(real.length));
      mkdirSync(dirname(to), { recursive: true });
      if (gone.has(from)) writeFileSync(to, '');
      else cpSync(from, to);
      (gone.has(from) ? unused : used).push(to);
    }
  }
  const foreign = join(modules, 'onnxruntime-node', 'bin', 'napi-v6', 'elsewhere', 'x64', 'onnxruntime.so');
  mkdirSync(dirname(foreign), { recursive: true });
  writeFileSync(foreign, 'a library of another platform');
  const home = join(modules, 'robust-text');
  for (const file of ['bin/run.js', 'dist/bundle', 'dist/vendor', 'package.json', 'oclif.manifest.json'])
    cpSync(join(packageRoot, file), join(home, file), { recursive: true });
  for (const data of ['models', 'datasets', 'src', 'reports', 'schemas'])
    symlinkSync(join(packageRoot, data), join(home, data));
  return { run: join(home, 'bin', 'run.js'), unused: [...unused, foreign], used };
}

test('doctor --prune deletes them, and robust works as before', () => {
  const { run, unused, used } = installation(realpathSync(folder()));
  const doctor = (...args: string[]) => {
    const { status, stdout } = spawnSync(process.execPath, [run, 'doctor', '--json', ...args], {
      cwd: folder(),
      encoding: 'utf8',
    });
    const { result } = JSON.parse(stdout) as { result: { freed?: number; checks: { name: string; state: string }[] } };
    const broken = result.checks.filter(({ state }) => state === 'broken').map(({ name }) => name);
    return { status, broken, freed: result.freed };
  };
  expect(doctor()).toEqual({ status: 0, broken: [], freed: undefined });
  expect(unused.filter((file) => !existsSync(file))).toEqual([]);
  expect(doctor('--prune')).toEqual({ status: 0, broken: [], freed: 'a library of another platform'.length });
  expect(unused.filter((file) => existsSync(file))).toEqual([]);
  expect(used.filter((file) => !existsSync(file))).toEqual([]);
  expect(doctor('--prune')).toEqual({ status: 0, broken: [], freed: 0 });
});
