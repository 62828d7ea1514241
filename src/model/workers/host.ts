/**
 * @file Where a session lives: a thread of this process, or, isolated, a process of its own, which a crash of onnxruntime ends alone.
 * Both run the same file and take the same messages (host-side.ts is their end of it).
 */
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ModelCrashedError } from '../../core/errors.js';
import { workerFile } from '../../core/package-root.js';
import { type HostMessage, isReleased, type Released } from './messages.js';
import { withoutTelemetry } from './no-telemetry.js';

export interface Host<To> {
  /** Its process, where it has one of its own. */
  readonly pid: number | undefined;
  /** Typed arrays in `moved` may be unusable afterwards. */
  post(message: To, moved?: ArrayBuffer[]): void;
  /** Keeps this process alive; so does every new host. */
  ref(): void;
  unref(): void;
  /** Resolves with the reason after its end, when all output was read. ModelCrashedError if its process ended unexpectedly. */
  readonly ended: Promise<Error>;
  /** Ends it: a thread releases its model after the messages sent before, a process ends at once. Resolves when it has ended. */
  close(): Promise<void>;
}

export interface HostPlan<From> {
  /** Path below src, as compiled. */
  readonly file: string;
  /** Startup data. */
  readonly data: unknown;
  /** In a process of its own. */
  readonly isolate: boolean;
  /** The model it runs, for messages. */
  readonly model: string;
  onMessage(message: From): void;
}

/** Makes a thread release its model. Terminating a thread inside onnxruntime would crash the process. */
const CLOSE_MESSAGE: HostMessage = { close: true };
const END_MESSAGE: HostMessage = { end: true };

const CLOSED = 'it was closed';

/** Workers keep little: a small nursery saves some 25 MB each without a measurable loss of speed. */
const YOUNG_GENERATION = { maxYoungGenerationSizeMb: 6 };

interface Thread {
  readonly path: string;
  readonly worker: Worker;
  /** Resolves with the reason. */
  readonly ended: Promise<Error>;
}

/** Threads that have released their model: the next one takes half the processor time to open in one of them. */
const spare = new Set<Thread>();
const SPARE_MS = 1000;

/** Throws where the project was not built. */
export function startHost<To, From>(plan: HostPlan<From>): Host<To> {
  const path = workerFile(plan.file);
  if (!existsSync(path)) throw new Error(`${path} is missing: run npm run build`);
  withoutTelemetry();
  return plan.isolate ? processHost(path, plan) : threadHost(path, plan);
}

function startThread(path: string): Thread {
  // Flags of the main thread (a loader, --input-type) are not the worker's.
  const worker = new Worker(path, { execArgv: [], resourceLimits: YOUNG_GENERATION });
  let thrown: Error | undefined;
  worker.on('error', (error: Error) => {
    thrown = error;
  });
  const ended = new Promise<Error>((resolve) => {
    worker.once('exit', (code) => resolve(thrown ?? new Error(`the worker ended with code ${code}`)));
  });
  return { path, worker, ended };
}

/** A thread for the next model of this path, for a second: as many as there are cores. */
function keepThread(thread: Thread): void {
  const { worker, ended } = thread;
  worker.unref();
  const end = () => spare.delete(thread) && worker.postMessage(END_MESSAGE);
  spare.add(thread);
  setTimeout(end, SPARE_MS).unref();
  void ended.then(() => spare.delete(thread));
  if (spare.size > availableParallelism()) end();
}

function threadHost<To, From>(path: string, { data, onMessage }: HostPlan<From>): Host<To> {
  const found = [...spare].find((thread) => thread.path === path);
  const thread = found ?? startThread(path);
  spare.delete(thread);
  const { worker } = thread;
  let release = (_: Error): void => {};
  const released = new Promise<Error>((resolve) => {
    release = resolve;
  });
  const listen = (message: From | Released): void => {
    if (isReleased(message)) {
      worker.off('message', listen);
      keepThread(thread);
      release(new Error(CLOSED));
    } else onMessage(message);
  };
  worker.on('message', listen);
  worker.ref();
  worker.postMessage({ data } satisfies HostMessage);
  const ended = Promise.race([thread.ended, released]);
  // From then on the thread may be another's.
  let closed = false;
  const unlessClosed = (act: () => void): void => void (closed || act());
  return {
    pid: undefined,
    post: (message, moved) => unlessClosed(() => worker.postMessage(message, moved)),
    ref: () => unlessClosed(() => worker.ref()),
    unref: () => unlessClosed(() => worker.unref()),
    ended,
    async close() {
      unlessClosed(() => {
        worker.ref();
        worker.postMessage(CLOSE_MESSAGE);
      });
      closed = true;
      await ended;
    },
  };
}

function processHost<To, From>(path: string, { data, model, onMessage }: HostPlan<From>): Host<To> {
  const child = fork(path, [String(process.pid)], {
    execArgv: [],
    // Typed arrays come out as what they were.
    serialization: 'advanced',
    // onnxruntime's last output becomes part of our message.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // A group of its own: Ctrl-C is for the command, which ends its sessions itself.
    detached: process.platform !== 'win32',
  });
  let [messages, said] = [0, ''];
  let closing = false;
  let failed: Error | undefined;
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-STDERR_CHARACTERS);
  });
  child.on('error', (error) => {
    failed ??= error;
  });
  child.on('message', (message) => {
    messages++;
    onMessage(message as From);
  });
  const ended = new Promise<Error>((resolve) => {
    const end = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve(closing ? new Error(CLOSED) : crash(model, { code, signal, messages, said, failed }));
    // After the last message, unlike 'exit'.
    child.once('close', end);
    if (child.pid === undefined) child.once('error', () => end(null, null));
  });
  // Where the process is gone already, `ended` says so.
  const send = (message: unknown) => child.send(message as never, () => {});
  send({ data } satisfies HostMessage);
  // All that `close` waits for: the process, its messages and what it writes.
  const handles = () => [child, child.channel, child.stderr as Pick<Host<To>, 'ref' | 'unref'> | null];
  const ref = () => {
    for (const handle of handles()) handle?.ref();
  };
  return {
    pid: child.pid,
    post: send,
    ref,
    unref: () => {
      for (const handle of handles()) handle?.unref();
    },
    ended,
    async close() {
      closing = true;
      ref();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Characters kept of what a process wrote to stderr. */
const STDERR_CHARACTERS = 4096;

interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Messages that came from it. */
  readonly messages: number;
  readonly said: string;
  /** Why it could not be started. */
  readonly failed: Error | undefined;
}

function crash(model: string, { code, signal, messages, said, failed }: WorkerExit): ModelCrashedError {
  const lines = said.split('\n').map((line) => line.trim());
  const words = lines.find((line) => line.startsWith('FATAL ERROR')) ?? lines.findLast((line) => line !== '');
  const by = signal ?? (code === null ? 'an error before it began' : `exit code ${code}`);
  // Its first message says that the model is loaded.
  const far = messages === 0 ? 'while it was loaded' : `after ${messages - 1} answered batches`;
  const last = words === undefined ? (failed?.message ?? '') : words.slice(0, 200);
  return new ModelCrashedError(
    `${model}: the process that ran the model was ended by ${by} ${far}${last === '' ? '' : `: ${last}`}`,
    {
      code: 'MODEL_CRASHED',
      hint:
        signal === 'SIGKILL'
          ? 'Most often the system ends what takes too much memory: free some, or use fewer threads: --runtime workers=1.'
          : 'The model file is damaged, or hits a defect of onnxruntime: export it again, and trust nothing that was measured on it.',
      cause: failed,
    },
  );
}
