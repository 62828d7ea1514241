/** @file Queue of questions to a classifier from its embeddings on, one a text: joins questions to batches and splits their answers. */
import type { WorkerPool } from '../../model/workers/pool.js';
import { BatchQueue, type QueuePool } from '../../model/workers/queue.js';
import type { EmbeddingAnswer, EmbeddingBatch, EmbeddingSummary } from './embedding-model.js';

export type GradientPool = WorkerPool<EmbeddingSummary, EmbeddingBatch, EmbeddingAnswer>;
export type GradientQueue = BatchQueue<GradientQuestion, EmbeddingBatch, EmbeddingAnswer, EmbeddingAnswer>;

/** Texts in one batch: larger batches do not make a text faster. */
const MAX_BATCH_TEXTS = 16;
/** Embedding values in one batch: bounds the memory of intermediate results (256 tokens of a DistilBERT need 200 MB). */
const MAX_BATCH_VALUES = 256 * 768;

export interface GradientQuestion {
  readonly ids: Int32Array;
  /** Token types, one an id. @default 0 everywhere */
  readonly types?: Int32Array | undefined;
  /** Row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  /** [width]: see TARGET. Absent where only the answer is wanted. */
  readonly target?: Float32Array | undefined;
}

/** `alone`: every text by itself, for models whose rows depend on their company. `fixed`: texts a run must have. */
export function gradientQueue(
  pool: QueuePool<EmbeddingBatch, EmbeddingAnswer>,
  { alone, fixed }: { readonly alone: boolean; readonly fixed: number | undefined },
): GradientQueue {
  const largest = alone ? 1 : (fixed ?? MAX_BATCH_TEXTS);
  return new BatchQueue(pool, {
    length: ({ ids }) => ids.length,
    kind: ({ target }) => Number(target !== undefined),
    most: ({ embeddings }) =>
      Math.min(largest, Math.max(1, Math.floor(MAX_BATCH_VALUES / Math.max(1, embeddings.length)))),
    largest,
    least: () => fixed ?? 1,
    request: batchOf,
    result: rowOf,
  });
}

export function batchOf(questions: readonly GradientQuestion[]): EmbeddingBatch {
  const [first] = questions as readonly [GradientQuestion];
  const texts = questions.length;
  const join = <T extends Int32Array | Float32Array>(into: T, part: (question: GradientQuestion) => T): T => {
    questions.forEach((question, row) => {
      into.set(part(question), row * part(question).length);
    });
    return into;
  };
  const size = (values: ArrayLike<number>) => texts * values.length;
  return {
    texts,
    length: first.ids.length,
    ids: join(new Int32Array(size(first.ids)), ({ ids }) => ids),
    ...(questions.some(({ types }) => types) && {
      types: join(new Int32Array(size(first.ids)), ({ ids, types = new Int32Array(ids.length) }) => types),
    }),
    embeddings: join(new Float32Array(size(first.embeddings)), ({ embeddings }) => embeddings),
    ...(first.target && { targets: join(new Float32Array(size(first.target)), ({ target }) => target!) }),
  };
}

/** One text's part of a batch's answer. */
export function rowOf({ raw, losses, gradients }: EmbeddingAnswer, row: number, texts: number): EmbeddingAnswer {
  const cut = (values: Float32Array) => {
    const width = values.length / texts;
    return values.slice(row * width, (row + 1) * width);
  };
  return { raw: cut(raw), ...(losses && gradients && { losses: cut(losses), gradients: cut(gradients) }) };
}
