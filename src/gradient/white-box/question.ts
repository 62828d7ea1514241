/** @file What is asked of one text, and how questions become batches and batches answers. */
import type { EmbeddingAnswer, EmbeddingBatch } from './embedding-model.js';

export interface Question {
  readonly ids: Int32Array;
  /** Row-major [tokens, hidden]. */
  readonly embeddings: Float32Array;
  /** [width]: see TARGET. Absent where only the answer is wanted. */
  readonly target?: Float32Array;
}

/** `texts` may exceed the questions where the graph's batch is fixed: the first then fills up. */
export function batchOf(questions: readonly Question[], texts: number): EmbeddingBatch {
  const first = questions[0] as Question;
  const rows = Array.from({ length: texts }, (_, row) => questions[row] ?? first);
  const join = <T extends Int32Array | Float32Array>(into: T, part: (question: Question) => T): T => {
    rows.forEach((question, row) => {
      into.set(part(question), row * part(question).length);
    });
    return into;
  };
  const size = (values: ArrayLike<number>) => texts * values.length;
  return {
    texts,
    tokens: first.ids.length,
    ids: join(new Int32Array(size(first.ids)), ({ ids }) => ids),
    embeddings: join(new Float32Array(size(first.embeddings)), ({ embeddings }) => embeddings),
    ...(first.target && {
      targets: join(new Float32Array(size(first.target)), ({ target }) => target as Float32Array),
    }),
  };
}

/** One text's part of a batch's answer. */
export function rowOf(answer: EmbeddingAnswer, row: number, texts: number): EmbeddingAnswer {
  const cut = (values: Float32Array) => {
    const width = values.length / texts;
    return values.slice(row * width, (row + 1) * width);
  };
  const { raw, losses, gradients } = answer;
  return { raw: cut(raw), ...(losses && gradients && { losses: cut(losses), gradients: cut(gradients) }) };
}
