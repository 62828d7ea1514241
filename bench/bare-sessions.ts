/** @file A thread of bench/inference.ts: one session that takes batch after batch from a shared list, with nothing in between. */
import { parentPort, workerData } from 'node:worker_threads';
import { activate, type OutputRule } from '../src/model/output/activation.js';
import type { Batch, Wiring } from '../src/model/workers/feeds.js';
import { runBatch } from '../src/model/workers/inference.js';
import { OrtSession } from '../src/model/workers/session.js';

export interface BareData {
  readonly file: string;
  readonly wiring: Wiring;
  readonly rule: OutputRule;
  readonly work: readonly Batch[];
  /** Number of the next batch, shared by all threads. */
  readonly counter: Int32Array;
}

const { file, wiring, rule, work, counter } = workerData as BareData;
const session = await OrtSession.open({ source: file });
parentPort?.on('message', async (what: string) => {
  if (what === 'close') return parentPort?.close();
  for (let at = Atomics.add(counter, 0, 1); at < work.length; at = Atomics.add(counter, 0, 1)) {
    activate((await runBatch(session, wiring, work[at] as Batch)).values, rule);
  }
  parentPort?.postMessage('done');
});
parentPort?.postMessage('ready');
