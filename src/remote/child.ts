/** @file A program as a process: lines in, lines out, and no end of it that leaves a process behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, messageOf } from '../core/errors.js';

interface ChildPlan {
  readonly words: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly guard: Guard;
  /** A line on stdout, without its end. */
  onLine(line: string): void;
  /** A line on stderr. */
  onLog(line: string): void;
}

export interface Ending {
  /** `exit code 3`, `SIGKILL`. */
  readonly by: string;
  readonly code: number | null;
  /** The system's error where it could not be started. */
  readonly failed?: string | undefined;
}

/** A longer line is no answer; an embedding table is the longest. */
const MAX_LINE_BYTES = 500 * 2 ** 20;
/** Lines on stderr that are told with an error. */
const LAST_WORDS = 10;
/** For a program whose standard input was closed. */
const GRACE_MS = 2000;
/** For output on its way when the process is gone, which a process that left its group may hold open. */
const LAST_OUTPUT_MS = 500;

const POSIX = process.platform !== 'win32';

export class Child {
  readonly #plan: ChildPlan;
  readonly #process: ChildProcess;
  readonly #last: string[] = [];
  #pieces: Buffer[] = [];
  #length = 0;
  #over = false;
  /** Resolves after its last line. */
  readonly ended: Promise<Ending>;

  constructor(plan: ChildPlan) {
    this.#plan = plan;
    const [program = '', ...rest] = plan.words;
    this.#process = spawn(program, rest, {
      cwd: plan.folder,
      env: plan.env,
      stdio: 'pipe',
      // A group of its own, which ends as one; and Ctrl-C is for robust, which ends it.
      detached: POSIX,
      windowsHide: true,
    });
    const { stdin, stdout, stderr, pid } = this.#process;
    if (pid !== undefined) plan.guard.add(pid);
    // It ended before it read everything: `ended` says so.
    stdin?.on('error', () => {});
    stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    let said = '';
    stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (said + chunk).split(/\r?\n/);
      said = lines.pop() ?? '';
      for (const line of lines) this.#log(line);
    });
    this.ended = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        if (pid === undefined) resolve({ by: 'an error', code: null, failed: codeOf(error) ?? messageOf(error) });
      });
      this.#process.once('exit', async (code, signal) => {
        this.kill();
        this.#over = true;
        if (pid !== undefined) plan.guard.remove(pid);
        const closed = new Promise((done) => this.#process.once('close', done));
        await Promise.race([closed, sleep(LAST_OUTPUT_MS, undefined, { ref: false })]);
        if (said !== '') this.#log(said);
        if (this.#length > 0) this.#line(Buffer.alloc(0));
        resolve({ by: signal ?? `exit code ${code}`, code });
      });
    });
  }

  get over(): boolean {
    return this.#over || this.#process.pid === undefined;
  }

  /** The last lines that it wrote to stderr. */
  get lastWords(): readonly string[] {
    return this.#last;
  }

  write(text: string): void {
    this.#process.stdin?.write(text);
  }

  /** Closes its standard input. */
  finish(): void {
    this.#process.stdin?.end();
  }

  /** Ends its group at once. */
  kill(): void {
    const { pid } = this.#process;
    // Later its number may be another's.
    if (pid === undefined || this.#over) return;
    try {
      if (POSIX) process.kill(-pid, 'SIGKILL');
      else spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    } catch {
      // Nothing is left of it.
    }
  }

  async close(): Promise<void> {
    this.finish();
    const late = sleep(GRACE_MS, undefined, { ref: false }).then(() => this.kill());
    await Promise.race([this.ended, late.then(() => this.ended)]);
  }

  #log(line: string): void {
    this.#last.push(line);
    if (this.#last.length > LAST_WORDS) this.#last.shift();
    this.#plan.onLog(line);
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#line(chunk.subarray(from, at));
      from = at + 1;
    }
    if (from === chunk.length) return;
    this.#pieces.push(chunk.subarray(from));
    this.#length += chunk.length - from;
    if (this.#length > MAX_LINE_BYTES) {
      this.#log(`robust ended it: a line of more than ${MAX_LINE_BYTES} bytes`);
      this.kill();
    }
  }

  #line(end: Buffer): void {
    const bytes = this.#length === 0 ? end : Buffer.concat([...this.#pieces, end]);
    [this.#pieces, this.#length] = [[], 0];
    this.#plan.onLine(bytes.toString('utf8').replace(/\r$/, ''));
  }
}

/**
 * Ends what was not ended when robust is gone, even by kill -9: a shell that reads from robust what runs, until there is no robust, and then
 * kills those groups. Windows has no such shell: there a program ends when its standard input does.
 */
export class Guard {
  #shell: ChildProcess | undefined;

  add(pid: number): void {
    this.#tell(`+ ${pid}`);
  }

  remove(pid: number): void {
    this.#tell(`- ${pid}`);
  }

  close(): void {
    this.#shell?.kill('SIGKILL');
    this.#shell = undefined;
  }

  #tell(line: string): void {
    if (!POSIX) return;
    if (this.#shell === undefined) {
      this.#shell = spawn('/bin/sh', ['-c', WATCH], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
      this.#shell.on('error', () => {});
      this.#shell.stdin?.on('error', () => {});
      this.#shell.unref();
    }
    this.#shell.stdin?.write(`${line}\n`);
  }
}

/** A second after robust is gone, for programs that end by themselves. */
const WATCH = `set --
while read -r sign pid; do
  if [ "$sign" = + ]; then set -- "$@" "$pid"; continue; fi
  left=$#
  while [ "$left" -gt 0 ]; do
    if [ "$1" != "$pid" ]; then set -- "$@" "$1"; fi
    shift
    left=$((left - 1))
  done
done
sleep 1
for pid; do kill -KILL "-$pid"; done`;
