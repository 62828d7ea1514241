/** @file The worker's end of the messages with the process that computes for it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ErrorCode } from '../core/errors.js';
import type { ExecutorSetup, FromExecutor, ToExecutor } from './executor-messages.js';

type JobEnd = Extract<FromExecutor, { kind: 'ended' } | { kind: 'failed' }>;
type JobMessage = Extract<ToExecutor, { kind: 'job' }>;

/** How a job ended. */
export type ExecutorEnd =
  | { readonly kind: 'ended' }
  | {
      readonly kind: Extract<FromExecutor, { kind: 'failed' }>['how'];
      readonly message: string;
      readonly code: ErrorCode;
      readonly hint: string | null;
    };

interface JobCallbacks {
  /** All is there for the job; it begins once this resolves. */
  ready(): Promise<void>;
  onKept(searches: readonly number[]): void;
}

export class ExecutorProcess {
  readonly #child: ChildProcess;
  readonly #jobs = new Map<string, JobCallbacks & { end(how: ExecutorEnd): void }>();
  alive = true;

  /** `file`: compiled; `heard` gets all its messages. */
  constructor(file: string, setup: ExecutorSetup, heard: (message: FromExecutor) => void) {
    // Its own streams would mix with the worker's.
    this.#child = fork(file, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message: FromExecutor) => {
      heard(message);
      if (message.kind === 'ready') {
        const { id } = message;
        // Where that cannot be noted the job is not ours any more, or will be another's soon.
        void this.#jobs
          .get(id)
          ?.ready()
          .finally(() => this.send({ kind: 'go', id }))
          .catch(() => {});
      }
      if (message.kind === 'kept') this.#jobs.get(message.id)?.onKept(message.searches);
      if (message.kind === 'ended' || message.kind === 'failed') this.#onEnd(message);
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', (code, signal) => {
      this.alive = false;
      const message = signal === null ? `exit code ${code}` : signal;
      for (const { end } of this.#jobs.values()) end({ kind: 'crash', message, code: 'MODEL_CRASHED', hint: null });
      this.#jobs.clear();
    });
    this.send({ kind: 'setup', setup });
  }

  send(message: ToExecutor): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  carryOut(job: JobMessage, callbacks: JobCallbacks): Promise<ExecutorEnd> {
    return new Promise((end) => {
      if (!this.alive) return end({ kind: 'crash', message: 'it is gone', code: 'MODEL_CRASHED', hint: null });
      this.#jobs.set(job.id, { ...callbacks, end });
      this.send(job);
    });
  }

  #onEnd(message: JobEnd): void {
    const job = this.#jobs.get(message.id);
    this.#jobs.delete(message.id);
    if (message.kind === 'ended') job?.end({ kind: 'ended' });
    else {
      const { how: kind, message: text, code, hint } = message;
      job?.end({ kind, message: text, code, hint });
    }
  }

  /** At once: all that it found was delivered. */
  end(): void {
    this.#child.kill('SIGKILL');
  }
}
