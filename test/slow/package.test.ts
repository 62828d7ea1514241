/** The tarball as a stranger installs it, in an empty project: its command, its import, its doctor. Needs the npm registry. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/core/package-root.js';

const reached = spawnSync('npm', ['ping'], { timeout: 60_000 }).status === 0;
if (!reached) console.warn('The npm registry is not reached: the tarball is not installed.');

describe.skipIf(!reached)('the tarball, installed', () => {
  const project = mkdtempSync(join(tmpdir(), 'robust-installed-'));
  let tarball: string;
  // Nothing of this clone's npm run, and no CUDA files.
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_PATH|ROBUST_)/i.test(name))),
    ONNXRUNTIME_NODE_INSTALL: 'skip',
  };
  const call = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }\n');
    call('npm', ['pack', '--ignore-scripts', '--pack-destination', project], packageRoot);
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    tarball = join(project, `robust-text-${version}.tgz`);
    call('npm', ['install', tarball, '--no-audit', '--no-fund']);
  }, 600_000);

  afterAll(() => rmSync(project, { recursive: true, force: true }), 120_000);

  // The npm of Node 20 breaks off on some optional peers. Only resolved: what is installed does not depend on it.
  test.each(['10', '11'])('is resolved by npm %s', (version) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'robust-resolved-'));
    try {
      writeFileSync(join(elsewhere, 'package.json'), '{ "name": "stranger", "private": true }\n');
      call(
        'npx',
        ['-y', `npm@${version}`, 'install', tarball, '--package-lock-only', '--no-audit', '--no-fund'],
        elsewhere,
      );
      const { packages } = JSON.parse(readFileSync(join(elsewhere, 'package-lock.json'), 'utf8'));
      expect(Object.keys(packages)).toContain('node_modules/robust-text');
      const tooNew = Object.entries(packages as Record<string, { engines?: { node?: string } }>).filter(([, each]) =>
        /^\s*>=?\s*2[1-9]/.test(each.engines?.node ?? ''),
      );
      expect(tooNew.map(([path]) => path)).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test('is in order to those who check packages', () => {
    call('npx', ['-y', 'publint@0.3.25', tarball, '--strict']);
    call('npx', ['-y', '@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only']);
  });

  test.each([
    ['pnpm@10', ['add']],
    ['yarn@1', ['add', '--no-lockfile']],
  ])('%s installs it, and it attacks', (manager, add) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'robust-elsewhere-'));
    try {
      writeFileSync(join(elsewhere, 'package.json'), '{ "name": "stranger", "private": true }\n');
      call('npx', ['-y', manager, ...add, tarball], elsewhere);
      const args = ['attack', '--model', 'distilbert', '--suite', 'typos', '-n', '5', '--json', '-q'];
      const { result } = JSON.parse(call(join(elsewhere, 'node_modules', '.bin', 'robust'), args, elsewhere));
      expect(result.overall.attackSuccessRate.n).toBeGreaterThan(0);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test('attacks without the libraries of other platforms', () => {
    const action = parse(readFileSync(join(packageRoot, 'action.yml'), 'utf8'));
    const { run } = action.runs.steps.find(({ name }: { name: string }) => name === 'Install robust');
    const to = mkdtempSync(join(tmpdir(), 'robust-action-'));
    try {
      execFileSync('bash', ['-eo', 'pipefail', '-c', run], {
        env: { ...env, TO: to, PACKAGE: tarball },
        stdio: 'pipe',
      });
      const libraries = join(to, 'node_modules', 'onnxruntime-node', 'bin');
      const kept = readdirSync(libraries, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath }) => parentPath.split(sep).slice(-2).join('/'));
      expect([...new Set(kept)]).toEqual([`${process.platform}/${process.arch}`]);
      const args = ['attack', '--model', 'distilbert', '--suite', 'typos', '-n', '5', '--json', '-q'];
      const { result } = JSON.parse(call(join(to, 'node_modules', '.bin', 'robust'), args));
      expect(result.overall.attackSuccessRate.n).toBeGreaterThan(0);
    } finally {
      rmSync(to, { recursive: true, force: true });
    }
  });

  test('attacks the bundled model', () => {
    const args = ['attack', '--model', 'distilbert', '--suite', 'typos', '-n', '5', '--json', '-q'];
    // Without npx: what npm says of a user's settings is not robust's.
    const robust = join(project, 'node_modules', '.bin', 'robust');
    const { status, stdout, stderr } = spawnSync(robust, args, { cwd: project, env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { result } = JSON.parse(stdout);
    expect(result.attacks.map(({ name }: { name: string }) => name)).toEqual([
      ...['deepwordbug', 'pruthi', 'textbugger', 'human-typos'],
    ]);
    expect(result.overall.attackSuccessRate.n).toBeGreaterThan(0);
  });

  test('is imported', () => {
    const code = `import { attack } from 'robust-text';
      const { overall } = await attack({ model: 'bert-mini', suites: ['typos'], numExamples: 3 });
      console.log(overall.attackSuccessRate.n);`;
    writeFileSync(join(project, 'imported.mjs'), code);
    expect(Number(call(process.execPath, ['imported.mjs']))).toBeGreaterThan(0);
  });

  test.each(['robust-text/plugin', 'robust-text/testing'])('%s is exported', (name) => {
    writeFileSync(join(project, 'exported.mjs'), `console.log(Object.keys(await import('${name}')).length);`);
    expect(Number(call(process.execPath, ['exported.mjs']))).toBeGreaterThan(0);
  });

  test.each(['gitlab', 'jenkins'])('the recipe for %s in docs/ci.md installs without NuGet, and gates', (system) => {
    const text = readFileSync(join(packageRoot, 'docs', 'ci.md'), 'utf8');
    const lines =
      system === 'gitlab'
        ? (parse(/```yaml\n(robustness:.*?)```/s.exec(text)?.[1] as string).robustness.script as string[])
        : Array.from(
            /```groovy\n(.*?)```/s.exec(text)?.[1]?.matchAll(/^ +sh '(.*)'$/gm) ?? [],
            ([, line]) => line as string,
          );
    expect(lines).toHaveLength(2);
    expect(text.match(/ONNXRUNTIME_NODE_INSTALL(?:: | = ')skip/g)).toHaveLength(2);
    const script = lines.join('\n').replace(/(?<=npm install .*)\S+$/m, tarball);
    const cwd = mkdtempSync(join(tmpdir(), `robust-${system}-`));
    try {
      writeFileSync(
        join(cwd, 'robust.config.yaml'),
        'model: bert-mini\ndata: reviews\nattacks: [deepwordbug]\nnumExamples: 40\nthresholds: { clean.accuracy: [error, ">= 0.5"] }\n',
      );
      // The install script would ask NuGet through a proxy that is not there, and fail.
      const behind = {
        ...env,
        GLOBAL_AGENT_HTTPS_PROXY: 'http://127.0.0.1:9',
        npm_config_cache: join(project, '.npm'),
      };
      execFileSync('bash', ['-eo', 'pipefail', '-c', script], { cwd, env: behind, stdio: 'pipe' });
      expect(readFileSync(join(cwd, 'robust.xml'), 'utf8')).toContain('<testsuites');
      expect(readdirSync(cwd)).toContain('robust.html');
    } finally {
      rmSync(cwd, { recursive: true, force: true });
    }
  });

  test('holds a doctor who finds nothing broken, and no CUDA files', () => {
    const { result } = JSON.parse(call('npx', ['--no', 'robust', 'doctor', '--json']));
    expect(result.checks.filter(({ state }: { state: string }) => state === 'broken')).toEqual([]);
    const runtime = result.checks.find(({ name }: { name: string }) => name === 'onnxruntime');
    expect(Number.parseInt(runtime.detail, 10)).toBeLessThan(350);
  });
});
