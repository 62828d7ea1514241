/**
 * The command line as a user runs it, in an empty folder of its own: `robust` in this process, which takes a third
 * of the time, `robustProcess` in one of its own: for signals, exits, closed streams, colours, modules that hang or change.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Console } from 'node:console';
import { mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import type { Config } from '@oclif/core';
import { packageRoot } from '../../src/core/package-root.js';

const bin = join(packageRoot, 'bin', 'run.js');
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
  /** Called with the process once it has begun. */
  readonly watch?: (child: ChildProcess) => void;
  /** Each is called with the process once its text has come on stderr, one after the other. */
  readonly at?: readonly (readonly [text: string, (child: ChildProcess) => void])[];
}

/** A folder with these files in it. */
export function folder(files: Readonly<Record<string, string | Buffer>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'robust-cli-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return path;
}

/** Nothing of the caller's terminal or settings, a home of the Hub's tools that is not the caller's, and what is given. */
function environment(given: Readonly<Record<string, string>>): Record<string, string> {
  const mine = /^(CI$|ROBUST_|OCLIF_|ORT_|NO_COLOR|FORCE_COLOR|COLUMNS|NODE_)/;
  const others = Object.entries(process.env).filter(([name]) => !mine.test(name)) as [string, string][];
  return { ...Object.fromEntries(others), TERM: 'xterm', HF_HOME: join(tmpdir(), 'huggingface'), ...given };
}

let before: Promise<unknown> = Promise.resolve();
let commands: Promise<Config> | undefined;

/** Runs a command in this process, once those called before it have ended: they share its folder, environment and streams. */
export function robust(
  args: readonly string[],
  { cwd = folder(), env = {} }: Pick<Options, 'cwd' | 'env'> = {},
): Promise<Ended> {
  const ended = before.then(() => inside(args, cwd, environment(env)));
  before = ended.catch(() => undefined);
  return ended;
}

async function inside(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ended> {
  const { guardStreams } = await import(join(packageRoot, 'dist/bundle/commands/_shared/guarded.js'));
  const oclif: typeof import('../../src/commands/_shared/oclif.js') = await import(
    join(packageRoot, 'dist/bundle/commands/_shared/oclif.js')
  );
  const { env: before, exitCode } = process;
  const consoleBefore = globalThis.console;
  const folderBefore = process.cwd();
  const streams = ['stdout', 'stderr'] as const;
  const properties = streams.map((name) => Object.getOwnPropertyDescriptor(process, name) as PropertyDescriptor);
  const written = { stdout: '', stderr: '' };
  for (const name of streams) {
    const sink = new Writable({
      write(chunk, _, done) {
        written[name] += chunk;
        done();
      },
    });
    Object.defineProperty(process, name, { value: sink, configurable: true });
  }
  try {
    process.chdir(cwd);
    process.env = { ...env };
    process.exitCode = undefined;
    // Node's own keeps the streams of its first use.
    globalThis.console = new Console(process.stdout, process.stderr);
    const unguard = guardStreams(process);
    commands ??= oclif.Config.load(packageRoot);
    const config = await commands;
    try {
      await oclif.run([...args], config);
    } catch (error) {
      const { reportFailure } = await import(join(packageRoot, 'dist/bundle/commands/_shared/failure.js'));
      reportFailure(error, args, config.commandIDs);
    }
    unguard();
    expectOwnFlags(args, written.stderr, config);
    return { code: Number(process.exitCode ?? 0), signal: null, ...written };
  } finally {
    for (const [at, name] of streams.entries())
      Object.defineProperty(process, name, properties[at] as PropertyDescriptor);
    globalThis.console = consoleBefore;
    process.env = before;
    process.exitCode = exitCode;
    process.chdir(folderBefore);
  }
}

/** What a refusal asks for is a flag of the command that refuses, unless it writes the other command out. */
function expectOwnFlags(args: readonly string[], stderr: string, config: Config): void {
  const command = config.findCommand(args.slice(0, 2).join(':')) ?? config.findCommand(args[0] ?? '');
  const [, said] = /^Error: (?!unknown flag)([\s\S]*)/m.exec(stderr) ?? [];
  if (command === undefined || said === undefined) return;
  const named = said.replaceAll(/\b(?:robust|npm) [a-z].*/g, '').matchAll(/(?<![\w-])--(?:no-)?([a-z][a-z-]+)/g);
  const foreign = [...named]
    .map(([, name]) => name)
    .filter((name) => name && name !== 'help' && !(name in command.flags));
  if (foreign.length > 0)
    throw new Error(`robust ${command.id} asks for --${foreign.join(', --')}, which it lacks: ${said}`);
}

/** Runs `robust` to its end. */
export function robustProcess(
  args: readonly string[],
  {
    cwd = folder(),
    env = {},
    node = [],
    stdout: file,
    closeStdout = false,
    closeStderr = false,
    watch = () => {},
    at = [],
  }: Options = {},
): Promise<Ended> {
  const child = spawn(process.execPath, ['--trace-warnings', ...node, bin, ...args], {
    cwd,
    env: environment(env),
    stdio: ['ignore', file === undefined ? 'pipe' : openSync(file, 'w'), 'pipe'],
  });
  watch(child);
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
  return new Promise((resolve, reject) =>
    child.on('close', (code, signal) => {
      // No warning of Node's may reach a user.
      if (/^\(node:\d+\)/m.test(stderr)) reject(new Error(`expected no warning of Node's, got: ${stderr}`));
      else resolve({ code, signal, stdout, stderr });
    }),
  );
}
