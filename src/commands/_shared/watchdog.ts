/**
 * @file Sees code of the user's that never gives the main thread back, which no timer of that thread can: another thread waits for a
 * heartbeat while such code is called. Where none comes, it makes the main thread emit `hung`, which bin/run.js ends the process by.
 */
import type { EventEmitter } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../core/package-root.js';
import type { TimeLimit } from '../../core/patience.js';
import { BEATS_INDEX, CALLS_INDEX, SILENCE_EVENT, type WatchdogData } from './watchdog-state.js';

/** Calls under way, by what is called. */
const calls = new Map<symbol, string>();

/** State shared with the thread, once there is something to watch. */
let shared: Int32Array | undefined;

/** Makes bin/run.js end the process: see exit-guard.ts. */
const hung = (): boolean => (process as EventEmitter).emit('hung', [...new Set(calls.values())].join(', '));

/** A time limit in seconds, 0 for none, with a thread that watches it. */
export const patienceOf = (seconds: number): TimeLimit =>
  seconds === 0 ? { seconds: Number.POSITIVE_INFINITY } : { seconds, begin: (what) => begin(what, seconds) };

function begin(what: string, seconds: number): () => void {
  shared ??= start(seconds);
  const state = shared;
  const call = Symbol(what);
  calls.set(call, what);
  publish(state, calls.size);
  return () => {
    calls.delete(call);
    publish(state, calls.size);
  };
}

/** A heartbeat, and how many calls are under way. The thread looks by itself: to wake it for each call costs more than many a call. */
function publish(state: Int32Array, count: number): void {
  Atomics.store(state, CALLS_INDEX, count);
  Atomics.add(state, BEATS_INDEX, 1);
}

function start(seconds: number): Int32Array {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const workerData: WatchdogData = { state, seconds };
  new Worker(workerFile('commands/_shared/watchdog-thread.js'), { workerData, execArgv: [] }).unref();
  process.once(SILENCE_EVENT, hung);
  setInterval(() => publish(state, calls.size), Math.min(1000, seconds * 60)).unref();
  return state;
}
