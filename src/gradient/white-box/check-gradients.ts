/** @file Checks of a white box's gradients that need a run. */
import { must } from '../../core/errors.js';
import { type Encoder, idsOf } from '../../model/tokens/encoder.js';
import type { EmbeddingPlan, EmbeddingSummary } from './embedding-model.js';
import { batchOf, type GradientPool, type GradientQuestion, rowOf } from './gradient-queue.js';

/** Few suffice for wide models; in a narrow one, different orders of adding often agree by chance. */
const CHECKED_TEXTS = 8;

export interface GradientProperties {
  /** Gradients are bitwise the same in any company. */
  readonly independent: boolean;
  /** Every gradient is zero: the loss does not depend on the embeddings. */
  readonly flat: boolean;
}

/** Its tokens are replaced by made-up ones. */
const FRAME = 'one two three four five';

/** Asks for the gradients of some made-up texts, alone, together, and in a full batch. Special tokens stand where the tokenizer puts them. */
export async function checkGradients(
  pool: GradientPool,
  encoder: Encoder,
  { wiring, rule }: EmbeddingPlan,
  { hidden, table }: EmbeddingSummary,
): Promise<GradientProperties> {
  const encoded = encoder.tokens(FRAME);
  // A vocabulary of words may know none of these.
  const frame = encoded.some(({ special }) => !special)
    ? encoded
    : Array.from({ length: wiring.fixedLength ?? 7 }, () => ({ id: 0, start: 0, end: 0, special: false }));
  const specials = new Set(frame.filter(({ special }) => special).map(({ id }) => id));
  const madeUp = (at: number, which: number): number => {
    let id = ((at + 1) * (2 * which + 3)) % (table.length / hidden);
    for (let tried = 0; specials.has(id) && tried < specials.size; tried++) id = (id + 1) % (table.length / hidden);
    return id;
  };
  const questions = Array.from({ length: CHECKED_TEXTS }, (_, which): GradientQuestion => {
    const tokens = frame.map((token, at) => (token.special ? token : { ...token, id: madeUp(at, which) }));
    const { ids, types } = idsOf(tokens);
    const embeddings = new Float32Array(tokens.length * hidden);
    ids.forEach((id, at) => {
      embeddings.set(table.subarray(id * hidden, (id + 1) * hidden), at * hidden);
    });
    const target = Float32Array.from({ length: rule.width }, (_, at) => Number(at === which % rule.width));
    return { ids, types, embeddings, target };
  });
  const gradients = async (order: readonly number[]): Promise<Float32Array[]> => {
    const texts = wiring.fixedBatch ?? order.length;
    const rows = Array.from({ length: texts }, (_, row) => questions[order[row] ?? must(order[0])]);
    const answer = await pool.ask(batchOf(rows as GradientQuestion[]));
    return order.map((_, row) => must(rowOf(answer, row, texts).gradients));
  };
  const all = questions.map((_, which) => which);
  const alone = await Promise.all(all.map(async (which) => must((await gradients([which]))[0])));
  const full = Array.from({ length: wiring.fixedBatch ?? 2 * CHECKED_TEXTS }, (_, row) => (row + 1) % CHECKED_TEXTS);
  const flat = alone.every((row) => row.every((value) => value === 0));
  const orders = wiring.fixedBatch === undefined ? [all, full] : [full];
  for (const order of orders) {
    const rows = await gradients(order);
    const same = rows.every((row, at) => row.every((value, i) => Object.is(value, alone[order[at]!]?.[i])));
    if (!same) return { independent: false, flat };
  }
  return { independent: true, flat };
}
