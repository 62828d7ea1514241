/** @file The worker's end of the messages with the process that computes for it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ExecutorSetup, FromExecutor, ToExecutor } from './executor-messages.js';

type TaskEnd = Extract<FromExecutor, { kind: 'ended' } | { kind: 'failed' }>;
type TaskMessage = Extract<ToExecutor, { kind: 'task' }>;

/** How a task ended. */
export type ExecutorEnd =
  | { readonly kind: 'ended' }
  | {
      readonly kind: Extract<FromExecutor, { kind: 'failed' }>['how'];
      readonly message: string;
      readonly code: string;
      readonly hint: string | null;
    };

interface TaskCallbacks {
  /** All is there for the task; it begins once this resolves. */
  ready(): Promise<void>;
  kept(places: readonly number[]): void;
}

export class ExecutorProcess {
  readonly #child: ChildProcess;
  readonly #tasks = new Map<string, TaskCallbacks & { end(how: ExecutorEnd): void }>();
  alive = true;

  /** `file`: compiled; `heard` is told of all that it says. */
  constructor(file: string, setup: ExecutorSetup, heard: (message: FromExecutor) => void) {
    // Its own streams would mix with the worker's.
    this.#child = fork(file, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message: FromExecutor) => {
      heard(message);
      if (message.kind === 'ready') {
        const { id } = message;
        // Where that cannot be noted the job is not ours any more, or will be another's soon.
        void this.#tasks
          .get(id)
          ?.ready()
          .finally(() => this.send({ kind: 'go', id }))
          .catch(() => {});
      }
      if (message.kind === 'kept') this.#tasks.get(message.id)?.kept(message.places);
      if (message.kind === 'ended' || message.kind === 'failed') this.#ended(message);
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', (code, signal) => {
      this.alive = false;
      const message = signal === null ? `exit code ${code}` : signal;
      for (const { end } of this.#tasks.values()) end({ kind: 'crash', message, code: 'EXECUTOR_CRASHED', hint: null });
      this.#tasks.clear();
    });
    this.send({ kind: 'setup', setup });
  }

  send(message: ToExecutor): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  carryOut(task: TaskMessage, callbacks: TaskCallbacks): Promise<ExecutorEnd> {
    return new Promise((end) => {
      if (!this.alive) return end({ kind: 'crash', message: 'it is gone', code: 'EXECUTOR_CRASHED', hint: null });
      this.#tasks.set(task.id, { ...callbacks, end });
      this.send(task);
    });
  }

  #ended(message: TaskEnd): void {
    const task = this.#tasks.get(message.id);
    this.#tasks.delete(message.id);
    if (message.kind === 'ended') task?.end({ kind: 'ended' });
    else {
      const { how: kind, message: text, code, hint } = message;
      task?.end({ kind, message: text, code, hint });
    }
  }

  /** At once: all that it found was delivered. */
  end(): void {
    this.#child.kill('SIGKILL');
  }
}
