/** The tarball before it is published: those who check packages find no fault. `npm run rehearse` installs and runs it. Needs the npm registry. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';

const reached = spawnSync('npm', ['ping'], { timeout: 60_000 }).status === 0;
if (!reached) console.warn('The npm registry is not reached: the tarball is not installed.');

describe.skipIf(!reached)('the tarball', () => {
  const project = mkdtempSync(join(tmpdir(), 'robust-installed-'));
  let tarball: string;
  // Nothing of this clone's npm run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_PATH|ROBUST_)/i.test(name)),
  );
  const call = (command: string, args: readonly string[], cwd = project) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    writeFileSync(join(project, 'package.json'), '{ "name": "stranger", "private": true, "type": "module" }\n');
    call('npm', ['pack', '--ignore-scripts', '--pack-destination', project], packageRoot);
    const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'));
    tarball = join(project, `robust-text-${version}.tgz`);
  }, 600_000);

  // The npm of Node 20 breaks off on some optional peers. Only resolved: what is installed does not depend on it.
  test.each(['10', '11'])('is resolved by npm %s, to packages without an installation script', (version) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'robust-resolved-'));
    writeFileSync(join(elsewhere, 'package.json'), '{ "name": "stranger", "private": true }\n');
    call(
      'npx',
      ['-y', `npm@${version}`, 'install', tarball, '--package-lock-only', '--no-audit', '--no-fund'],
      elsewhere,
    );
    const { packages } = JSON.parse(readFileSync(join(elsewhere, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { engines?: { node?: string }; hasInstallScript?: true }>;
    };
    expect(Object.keys(packages)).toContain('node_modules/robust-text');
    const tooNew = Object.entries(packages).filter(([, each]) => /^\s*>=?\s*2[1-9]/.test(each.engines?.node ?? ''));
    expect(tooNew.map(([path]) => path)).toEqual([]);
    const scripts = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual([]);
  });

  test('is in order to those who check packages', () => {
    call('npx', ['-y', 'publint@0.3.25', tarball, '--strict']);
    call('npx', ['-y', '@arethetypeswrong/cli@0.18.5', tarball, '--profile', 'esm-only']);
  });
});
