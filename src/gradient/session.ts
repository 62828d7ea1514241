/** @file Sessions as every engine here opens them. */
import type { InferenceSession } from 'onnxruntime-node';
import { ModelError } from '../core/errors.js';

export interface SessionOptions {
  /** Fusions and constant folding; off where every intermediate is wanted as it is. @default true */
  readonly optimise?: boolean;
  /** One thread gives bitwise equal rows whatever the batch size. @default 1 */
  readonly threads?: number;
}

/** A session without spinning threads (they starve the other workers of a busy machine). Throws ModelError. */
export async function openSession(
  model: Uint8Array,
  { optimise = true, threads = 1 }: SessionOptions = {},
): Promise<InferenceSession> {
  const { InferenceSession } = await import('onnxruntime-node');
  try {
    return await InferenceSession.create(model, {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      graphOptimizationLevel: optimise ? 'all' : 'disabled',
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
  } catch (cause) {
    throw new ModelError(`onnxruntime refused the graph: ${(cause as Error).message}`, {
      code: 'MODEL_REFUSED',
      cause,
    });
  }
}
