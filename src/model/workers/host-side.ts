/** @file The inner side of host.ts: messages of a file that runs in a thread or in a process. */
import { writeFileSync } from 'node:fs';
import { parentPort, Worker } from 'node:worker_threads';
import type { HostMessage } from './messages.js';

export interface HostSide<To, From> {
  post(message: From, moved?: ArrayBuffer[]): void;
  onMessage(listener: (message: To | HostMessage) => void): void;
  /** A thread ends as soon as it is idle; a process is ended by its host. */
  end(): void;
}

export function hostSide<To, From>(): HostSide<To, From> {
  const port = parentPort;
  if (port !== null) {
    return {
      post: (message, moved = []) => port.postMessage(message, moved),
      onMessage: (listener) => port.on('message', listener),
      end: () => port.close(),
    };
  }
  if (process.send === undefined) throw new Error('this file runs in a thread or a process that host.ts starts');
  dieWithParent();
  dieFirst();
  return {
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
