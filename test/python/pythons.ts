/** @file The Pythons of this machine, and what a program that imports python/robust_text.py answers. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';
import { folder } from '../commands/cli.js';

export const robustText = join(packageRoot, 'python', 'robust_text.py');

/** `TEST_PYTHON`: an interpreter with torch and transformers, which .ci/run installs where pip has them. */
const CANDIDATES = [process.env.TEST_PYTHON, 'python3', '/usr/bin/python3'];

const FIND = 'import importlib.util as u, sys; sys.exit(any(u.find_spec(name) is None for name in sys.argv[1:]))';

/** The first interpreter that has these modules; undefined if none has. */
export const pythonWith = (...modules: readonly string[]): string | undefined =>
  CANDIDATES.find(
    (python) => python !== undefined && spawnSync(python, ['-c', FIND, ...modules], { stdio: 'ignore' }).status === 0,
  );

/** What a process finds robust_text.py and robust by, without settings of the caller's. */
export const environment = (given: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:ROBUST_|CI$)/.test(name))),
  PYTHONPATH: join(packageRoot, 'python'),
  PYTHONDONTWRITEBYTECODE: '1',
  ROBUST_BIN: `${process.execPath} ${join(packageRoot, 'bin', 'run.js')}`,
  HF_HUB_OFFLINE: '1',
  ...given,
});

export interface Served {
  readonly status: number | null;
  /** Every line on stdout. */
  readonly lines: readonly string[];
  readonly stderr: string;
}

/** Runs a victim with these requests, as robust starts it. `words`: what follows the interpreter, instead of the file. */
export function serve(
  code: string,
  requests: readonly object[],
  { python = 'python3', words = ['victim.py'] }: { python?: string; words?: readonly string[] } = {},
): Served {
  const input = requests.map((request, at) => `${JSON.stringify({ id: at, ...request })}\n`).join('');
  const cwd = folder({ 'victim.py': code });
  const env = environment({ ROBUST_PROTOCOL: '1' });
  const { status, stdout, stderr } = spawnSync(python, words, { cwd, input, encoding: 'utf8', env });
  return { status, lines: stdout.split('\n').filter((line) => line !== ''), stderr };
}

/** The first line and the answers; each line has to be one. */
export const spoken = ({ lines }: Served): readonly Record<string, unknown>[] => lines.map((line) => JSON.parse(line));

/** Runs a script in a folder with these files; what it prints. */
export function script(python: string, code: string, files: Readonly<Record<string, string>> = {}): string {
  const cwd = folder(files);
  writeFileSync(join(cwd, 'script.py'), code);
  const { status, stdout, stderr } = spawnSync(python, ['script.py'], { cwd, encoding: 'utf8', env: environment() });
  if (status !== 0) throw new Error(`the script ended with ${status}:\n${stderr}`);
  return stdout;
}

export const source = (): string => readFileSync(robustText, 'utf8');
