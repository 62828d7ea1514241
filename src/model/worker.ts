/** @file A worker: one onnxruntime session that answers one batch after the other. Started by pool.ts. */
import { activate, type OutputRule } from './activation.js';
import { hostSide } from './host-side.js';
import { type Batch, openSession, type Ports, runBatch, type Wiring } from './session.js';

export interface WorkerData {
  readonly model: string;
}

export type ToWorker =
  /** How to run what follows; without a rule the raw output is the answer. */
  | { readonly wiring: Wiring; readonly rule: OutputRule | undefined }
  | { readonly id: number; readonly batch: Batch }
  /** End once the batches sent before are done. */
  | { readonly close: true };

export type FromWorker =
  | { readonly ready: Ports }
  | { readonly failed: string }
  | {
      readonly id: number;
      readonly rows: Float32Array;
      readonly width: number;
      readonly shape: readonly number[];
      readonly seconds: number;
    }
  | { readonly id: number; readonly error: string };

const { data, post, onMessage, end } = await hostSide<ToWorker, FromWorker>();

try {
  const { session, ports } = await openSession((data as WorkerData).model);
  let wiring: Wiring | undefined;
  let rule: OutputRule | undefined;
  onMessage(async (message) => {
    if ('close' in message) return end();
    if ('wiring' in message) {
      ({ wiring, rule } = message);
      return;
    }
    const { id, batch } = message;
    const begun = performance.now();
    try {
      if (wiring === undefined) throw new Error('a batch came before the wiring');
      const { values, width, shape } = await runBatch(session, wiring, batch);
      if (rule !== undefined && rule.width !== width) throw new Error(`expected ${rule.width} columns, got ${width}`);
      const rows = rule === undefined ? Float32Array.from(values) : activate(values, rule);
      if (rows.some(Number.isNaN)) throw new Error('the model answered NaN');
      post({ id, rows, width, shape, seconds: (performance.now() - begun) / 1000 }, [rows.buffer as ArrayBuffer]);
    } catch (error) {
      post({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  post({ ready: ports });
} catch (error) {
  post({ failed: error instanceof Error ? error.message : String(error) });
}
