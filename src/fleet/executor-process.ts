/** @file The worker's end of the messages with the process that computes for it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ErrorCode } from '../core/errors.js';
import type { ExecutorSetup, FromExecutor, ToExecutor } from './executor.js';
import type { FleetJob } from './messages.js';

/** How a job ended. */
export type ExecutorEnd =
  | { readonly kind: 'ended' }
  | {
      readonly kind: Extract<FromExecutor, { kind: 'failed' }>['how'];
      readonly message: string;
      readonly code: ErrorCode;
      readonly hint: string | null;
    };

export class ExecutorProcess {
  readonly #child: ChildProcess;
  readonly #jobs = new Map<string, { ready(): void; end(how: ExecutorEnd): void }>();
  alive = true;

  /** `file`: compiled; `heard` gets all its messages. */
  constructor(file: string, setup: ExecutorSetup, heard: (message: FromExecutor) => void) {
    // Its own streams would mix with the worker's.
    this.#child = fork(file, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message: FromExecutor) => {
      heard(message);
      if (message.kind === 'ready') this.#jobs.get(message.id)?.ready();
      if (message.kind === 'ended') this.#onEnd(message.id, { kind: 'ended' });
      if (message.kind !== 'failed') return;
      const { how: kind, id, message: text, code, hint } = message;
      this.#onEnd(id, { kind, message: text, code, hint });
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', (code, signal) => {
      this.alive = false;
      const message = signal === null ? `exit code ${code}` : signal;
      for (const { end } of this.#jobs.values()) end({ kind: 'crash', message, code: 'MODEL_CRASHED', hint: null });
      this.#jobs.clear();
    });
    this.#send({ kind: 'setup', setup });
  }

  #send(message: ToExecutor): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** `ready`: called once all is there for the job. */
  carryOut(id: string, job: FleetJob, ready: () => void): Promise<ExecutorEnd> {
    return new Promise((end) => {
      if (!this.alive) return end({ kind: 'crash', message: 'it is gone', code: 'MODEL_CRASHED', hint: null });
      this.#jobs.set(id, { ready, end });
      this.#send({ kind: 'job', id, job });
    });
  }

  /** Ends a job early; what it found until then is delivered. */
  stop(id: string): void {
    this.#send({ kind: 'stop', id });
  }

  #onEnd(id: string, how: ExecutorEnd): void {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    job?.end(how);
  }

  /** At once: all that it found was delivered. */
  end(): void {
    this.#child.kill('SIGKILL');
  }
}
