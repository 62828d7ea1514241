/** @file The inner side of host.ts: startup data and messages of a file that runs in a thread or in a process. */
import { writeFileSync } from 'node:fs';
import { parentPort, Worker, workerData } from 'node:worker_threads';

export interface HostSide<To, From> {
  /** Startup data. */
  readonly data: unknown;
  post(message: From, moved?: ArrayBuffer[]): void;
  /** The first one comes after the first `post`. */
  onMessage(listener: (message: To) => void): void;
  /** Reaction to CLOSE_MESSAGE: a thread ends as soon as it is idle. A process never receives it. */
  end(): void;
}

export async function hostSide<To, From>(): Promise<HostSide<To, From>> {
  const port = parentPort;
  if (port !== null) {
    return {
      data: workerData,
      post: (message, moved = []) => port.postMessage(message, moved),
      onMessage: (listener) => port.on('message', listener),
      end: () => port.close(),
    };
  }
  if (process.send === undefined) throw new Error('this file runs in a thread or a process that host.ts starts');
  dieWithParent();
  dieFirst();
  const { data } = await new Promise<{ data: unknown }>((resolve) =>
    process.once('message', (first) => resolve(first as { data: unknown })),
  );
  return {
    data,
    post: (message) => process.send?.(message),
    onMessage: (listener) => process.on('message', (message) => listener(message as To)),
    end: () => {},
  };
}

/** No orphan is left behind, even while onnxruntime blocks this thread: another one looks whether the parent lives. */
function dieWithParent(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const watch = `setInterval(() => process.ppid === ${Number(process.argv[2])} || process.kill(process.pid, 'SIGKILL'), 500)`;
  new Worker(watch, { eval: true }).unref();
}

/** If memory runs out, Linux kills this process rather than the command that reports it. */
function dieFirst(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // No Linux: whoever runs out of memory is then anybody's guess.
  }
}
