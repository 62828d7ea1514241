/** The workflows of the repository: pinned, readable by the shell, and a release that publishes what is to be published and nothing else. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../src/core/package-root.js';
import { folder } from './commands/cli.js';
import { documents } from './documents.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

const home = join(packageRoot, '.github', 'workflows');
const workflows = readdirSync(home).map((file) => [file, readFileSync(join(home, file), 'utf8')] as const);
const files = [...workflows, ['action.yml', readFileSync(join(packageRoot, 'action.yml'), 'utf8')] as const];

describe.each(files)('%s', (_, text) => {
  const { jobs, runs, permissions } = parse(text) as {
    jobs?: Record<string, { steps: Step[]; permissions?: object }>;
    runs?: { steps: Step[] };
    permissions?: object;
  };
  const steps = [...(runs?.steps ?? []), ...Object.values(jobs ?? {}).flatMap((job) => job.steps)];

  test('names actions of others by their commit, with the version beside it', () => {
    const used = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, name]) => name as string);
    for (const name of used) expect(name).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(steps.some(({ uses, run }) => uses !== undefined || run !== undefined)).toBe(true);
  });

  test('has scripts that bash reads, into which no value of an event is written', () => {
    for (const { run } of steps) {
      if (run === undefined) continue;
      execFileSync('bash', ['-n'], { input: run });
      expect(run).not.toMatch(/\$\{\{/);
    }
  });

  test('asks for the rights it needs, and not for all', () => {
    if (jobs !== undefined) expect(permissions).toBeDefined();
  });
});

test('where a token may write to the repository, no package runs that the lock file does not pin, and no privileged image without a digest', () => {
  for (const [file, text] of workflows) {
    const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[]; permissions?: Record<string, string> }> };
    for (const [name, { steps, permissions }] of Object.entries(jobs)) {
      const scripts = steps.map(({ run = '' }) => run).join('\n');
      const strangers =
        /npx --yes\b|npx -y\b|npm exec\b|--privileged\b|docker buildx create(?!.* image=\S+@sha256:[0-9a-f]{64}\b)/.exec(
          scripts,
        )?.[0];
      if (permissions?.contents === 'write' || permissions?.packages === 'write')
        expect({ file, name, strangers }).toEqual({ file, name, strangers: undefined });
    }
  }
});

describe('the state of a release', () => {
  const script = join(packageRoot, '.github', 'release-state.mjs');
  const state = (changes: readonly string[], npm: string, args: readonly string[] = []) => {
    const cwd = folder({
      'package.json': '{ "name": "robust-text", "version": "1.2.3" }',
      'package-lock.json':
        '{ "version": "1.2.2", "packages": { "": { "version": "1.2.2" }, "node_modules/a": { "os": ["x"] } } }',
    });
    mkdirSync(join(cwd, '.changeset'));
    for (const name of ['README', ...changes]) writeFileSync(join(cwd, '.changeset', `${name}.md`), '');
    mkdirSync(join(cwd, 'bin'));
    writeFileSync(join(cwd, 'bin', 'npm'), `#!/bin/sh\n${npm}\n`);
    chmodSync(join(cwd, 'bin', 'npm'), 0o755);
    const env = { ...process.env, PATH: `${join(cwd, 'bin')}:${process.env.PATH}` };
    const { status, stdout } = spawnSync(process.execPath, [script, ...args], { cwd, env, encoding: 'utf8' });
    return { status, stdout, lock: readFileSync(join(cwd, 'package-lock.json'), 'utf8') };
  };
  const missing = 'echo "npm error code E404" >&2; exit 1';

  test.each([
    ['changes wait', ['one'], missing, 'pending=true\npublish=false\nversion=1.2.3\n'],
    ['a new version', [], missing, 'pending=false\npublish=true\nversion=1.2.3\n'],
    ['nothing new', [], 'echo \'"1.2.3"\'', 'pending=false\npublish=false\nversion=1.2.3\n'],
  ])('%s', (_, changes, npm, printed) => {
    expect(state(changes, npm)).toMatchObject({ status: 0, stdout: printed });
  });

  test('a registry that does not answer publishes nothing', () => {
    const { status, stdout } = state([], 'echo "npm error code ETIMEDOUT" >&2; exit 1');
    expect(status).not.toBe(0);
    expect(stdout).toBe('');
  });

  test('the lock file takes the version, and keeps the rest', () => {
    const { lock } = state([], missing, ['--lock']);
    expect(JSON.parse(lock)).toEqual({
      version: '1.2.3',
      packages: { '': { version: '1.2.3' }, 'node_modules/a': { os: ['x'] } },
    });
  });
});

test('every document has its place in the site, and what the site lists is there', async () => {
  const site = join(packageRoot, 'site');
  const { default: config } = (await import(join(site, '.vitepress', 'config.mjs'))) as {
    default: { themeConfig: { sidebar: Record<string, { items: { link: string }[] }[]> } };
  };
  const listed = Object.values(config.themeConfig.sidebar)
    .flat()
    .flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`));
  const build = readFileSync(join(site, 'build.mjs'), 'utf8');
  const built = Array.from(build.matchAll(/'([\w/]+\.md)'/g), ([, name]) => `docs/${name}`);
  expect(documents.filter((name) => !listed.includes(name))).toEqual([]);
  expect(listed.filter((name) => !documents.includes(name) && !built.includes(name))).toEqual([]);
});
