/** Candidates of tab completion, requested in the way of the shells. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { shellScripts } from '../../src/app/completion/scripts.js';
import { packageRoot } from '../../src/core/package-root.js';
import { folder, robust } from './cli.js';

let cwd: string;
let env: NodeJS.ProcessEnv;
const OLD = '20261120T000000Z-aaaaaa';
const NEW = '20261121T000000Z-bbbbbb';

beforeAll(() => {
  cwd = folder();
  for (const run of [OLD, NEW, 'no; word']) mkdirSync(join(cwd, '.robust', 'runs', run), { recursive: true });
  mkdirSync(join(cwd, 'bin'));
  const program = join(packageRoot, 'bin', 'run.js');
  writeFileSync(join(cwd, 'bin', 'robust'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  });
  env = { ...process.env, PATH: `${join(cwd, 'bin')}${delimiter}${process.env.PATH}` };
});

const offered = (...words: string[]): string[] =>
  execFileSync('robust', ['__complete', ...words], { cwd, env, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] as string);

test.each<[words: string[], expected: string[]]>([
  [['attack', '--suite', 'ty'], ['typos']],
  [['attack', '--suite', '=', 'ty'], ['typos']],
  [['attack', '--suite=ty'], ['--suite=typos']],
  [['attack', '-m', 'dist'], ['distilbert']],
  [['attack', '-d', 're'], ['reviews']],
  [['attack', '-o', 'out.s'], ['out.sarif']],
  [['attack', '--runt'], ['--runtime']],
  [
    ['attack', '--runtime', 'en'],
    ['engine=onnx', 'engine=tfjs'],
  ],
  [['attack', '--runtime=wo'], ['--runtime=workers=']],
  [['train', '--arch', 'bert:layers=2:vocab'], ['bert:layers=2:vocabulary=']],
  [
    ['attack', '--resume', ''],
    ['latest', NEW, OLD],
  ],
  [['backdoor', 'pl'], ['plant']],
  [['backdoor', 'plant', '--attack', 'badn'], ['badnets']],
  [['compare', 'distilbert', 'bert'], ['bert-mini']],
  [['completion', 'z'], ['zsh']],
  [
    ['report', '2'],
    [NEW, OLD],
  ],
  [['explain', 'A film'], []],
  [['no-such-command', ''], []],
])('robust %j', (words, expected) => expect(offered(...words)).toEqual(expected));

test('each attack, with what it does', () => {
  expect(offered('attack', '-a', '')).toEqual(attacks.map(({ name }) => name));
  expect(execFileSync('robust', ['__complete', 'attack', '-a', 'pru'], { cwd, env, encoding: 'utf8' })).toMatch(
    /^pruthi\t.{10}/,
  );
});

test('a flag that was given is not offered again, one that repeats is', () => {
  expect(offered('attack', '--seed', '1', '--s')).not.toContain('--seed');
  expect(offered('attack', '--suite', 'typos', '--s')).toContain('--suite');
});

test('loads neither oclif nor an engine', () => {
  const file = join(cwd, 'loaded');
  const hook = pathToFileURL(join(import.meta.dirname, 'list-modules.mjs')).href;
  const args = ['--import', hook, join(packageRoot, 'bin', 'run.js'), '__complete', 'attack', '-a', ''];
  execFileSync(process.execPath, args, { cwd, env: { ...env, LOADED: file }, stdio: 'ignore' });
  const loaded = readFileSync(file, 'utf8').split('\n');
  const ours = loaded.filter((module) => module.startsWith('file:'));
  expect(ours.length).toBeLessThan(8);
  expect(ours.filter((module) => /oclif|zod|onnxruntime|\/attacks\//.test(module))).toEqual([]);
});

describe('the scripts', () => {
  const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

  test.skipIf(!has('bash'))('bash completes', () => {
    const asked = (words: string) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${shellScripts.bash.script}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _robust; echo "\${COMPREPLY[@]}"`,
        ],
        { cwd, env, encoding: 'utf8' },
      ).trim();
    expect(asked('robust attack --suite ty')).toBe('typos');
    expect(asked("robust report ''")).toBe(`latest ${NEW} ${OLD}`);
  });

  test.skipIf(!has('fish'))(`fish completes${has('fish') ? '' : ': needs fish'}`, () => {
    const asked = (line: string) =>
      execFileSync('fish', ['-c', `${shellScripts.fish.script}\ncomplete -C '${line}'`], {
        cwd,
        env: { ...env, HOME: cwd },
        encoding: 'utf8',
      });
    expect(asked('robust attack --suite ty')).toMatch(/^typos\t/);
    expect(asked('robust report ')).toContain('latest\t');
    expect(asked('robust backdoor ')).toContain('plant\t');
  });

  test('robust completion prints them, and refuses another shell', async () => {
    expect(await robust(['completion', 'zsh'])).toMatchObject({ code: 0, stdout: shellScripts.zsh.script });
    expect((await robust(['completion', 'csh'])).code).toBe(2);
  });
});
