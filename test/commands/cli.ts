/** The command line as a user runs it: a process of its own, in an empty folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/package-root.js';

export const bin = join(packageRoot, 'bin', 'run.js');
/** A victim of ten lines: see there. */
export const toy = join(packageRoot, 'test', 'commands', 'toy-classifier.mjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Options {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: readonly string[];
  /** A file for stdout instead of a pipe. */
  readonly stdout?: string;
  /** Close the reading end of stdout at once. */
  readonly closeStdout?: boolean;
  /** As of stdout. */
  readonly closeStderr?: boolean;
  /** Each is called with the process once its text has come on stderr, one after the other. */
  readonly at?: readonly (readonly [text: string, (child: ChildProcess) => void])[];
}

/** A folder with these files in it. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'robust-cli-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
  return path;
}

/** Runs `robust` to its end. */
export function robust(
  args: readonly string[],
  {
    cwd = folder(),
    env = {},
    node = [],
    stdout: file,
    closeStdout = false,
    closeStderr = false,
    at = [],
  }: Options = {},
): Promise<Ended> {
  // Nothing of the caller's terminal or settings.
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(ROBUST_|OCLIF_|NO_COLOR|FORCE_COLOR|COLUMNS|NODE_)/.test(name),
  );
  const child = spawn(process.execPath, [...node, bin, ...args], {
    cwd,
    env: { ...Object.fromEntries(clean), TERM: 'xterm', ...env },
    stdio: ['ignore', file === undefined ? 'pipe' : openSync(file, 'w'), 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  const waiting = [...at];
  if (closeStdout) child.stdout?.destroy();
  if (closeStderr) child.stderr?.destroy();
  child.stdout?.on('data', (data) => {
    stdout += data;
  });
  child.stderr?.on('data', (data) => {
    stderr += data;
    while (waiting[0] !== undefined && stderr.includes(waiting[0][0])) waiting.shift()?.[1](child);
  });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })));
}
