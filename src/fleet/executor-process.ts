/** @file The worker's end of the messages with the process that computes for it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { ExecutorSetup, FromExecutor, JobEnd, ToExecutor } from './executor.js';
import type { FleetJob } from './messages.js';

export class ExecutorProcess {
  readonly #child: ChildProcess;
  readonly #jobs = new Map<string, { ready(): void; end(how: JobEnd): void }>();
  alive = true;

  /** `file`: compiled; `heard` gets all its messages. */
  constructor(file: string, setup: ExecutorSetup, heard: (message: FromExecutor) => void) {
    // Its own streams would mix with the worker's.
    this.#child = fork(file, [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child.on('message', (message: FromExecutor) => {
      heard(message);
      if (message.kind === 'ready') this.#jobs.get(message.id)?.ready();
      if (message.kind !== 'end') return;
      this.#jobs.get(message.id)?.end(message.end);
      this.#jobs.delete(message.id);
    });
    this.#child.on('error', () => {});
    this.#child.once('exit', (code, signal) => {
      this.alive = false;
      for (const { end } of this.#jobs.values()) end(crashed(signal ?? `exit code ${code}`));
      this.#jobs.clear();
    });
    this.#send({ kind: 'setup', setup });
  }

  #send(message: ToExecutor): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  /** `ready`: called once all is there for the job. */
  carryOut(id: string, job: FleetJob, ready: () => void): Promise<JobEnd> {
    return new Promise((end) => {
      if (!this.alive) return end(crashed('it is gone'));
      this.#jobs.set(id, { ready, end });
      this.#send({ kind: 'job', id, job });
    });
  }

  /** Ends a job early; what it found until then is delivered. */
  stop(id: string): void {
    this.#send({ kind: 'stop', id });
  }

  /** At once: all that it found was delivered. */
  end(): void {
    this.#child.kill('SIGKILL');
  }
}

const crashed = (message: string): JobEnd => ({ how: 'crash', message, code: 'MODEL_CRASHED', hint: null });
