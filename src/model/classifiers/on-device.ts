/** @file A model's graph on another device: one session with large batches of texts of similar length. */
import { closingOnError } from '../../core/closing-stack.js';
import type { OpenGraph } from '../opening/open-graph.js';
import type { OutputRule } from '../output/activation.js';
import type { Device } from '../workers/device.js';
import { type InferenceQueue, inferencePool, inferenceQueue } from '../workers/queue.js';

/** Texts per run: such a device computes many at the price of few. */
const BATCH = 64;
/** If the graph has a mask, texts are padded to a multiple of this many tokens: few shapes need few kernels and give full batches. */
const BUCKET = 8;

export interface OnDevice {
  readonly queue: InferenceQueue;
  close(): Promise<void>;
}

/** `later`: open it on first use. Throws ModelError. */
export async function openOnDevice(
  device: Device,
  { description: { model: file, padId }, wiring, encoder, check }: OpenGraph,
  rule: OutputRule | undefined,
  later: boolean,
): Promise<OnDevice> {
  // In a process of its own: a driver may take it down, and reads its settings from the environment of its process.
  const pool = inferencePool({ file, device }, { size: 1, isolate: true, check });
  const masked =
    wiring.inputs.some(({ role }) => role === 'mask') &&
    wiring.fixedLength === undefined &&
    encoder.kind === 'tokenizer';
  const most = wiring.fixedBatch ?? BATCH;
  const queue = inferenceQueue(
    pool,
    masked ? { ...wiring, padId } : wiring,
    rule,
    { least: wiring.fixedBatch ?? 1, most },
    undefined,
    masked ? { padId, tokens: BUCKET, most: encoder.maximum } : undefined,
  );
  if (!later) await closingOnError(pool, () => pool.open());
  return { queue, close: () => pool.close() };
}
