/** @file Whether a text's gradients depend on the texts it shares a batch with. */
import type { EmbeddingPlan } from './embedding-model.js';
import { batchOf, type Question, rowOf } from './question.js';
import type { Seat } from './seat.js';

/** Are gradients bitwise the same in any company? Tried with three made-up texts, alone, together, and in a full batch. */
export async function independent(seat: Seat, { wiring, rule }: EmbeddingPlan): Promise<boolean> {
  if (wiring.fixedBatch === 1) return true;
  const { hidden, table } = seat.opened;
  const tokens = wiring.fixedLength ?? 7;
  const questions = [0, 1, 2].map((which): Question => {
    const ids = Int32Array.from({ length: tokens }, (_, at) => (at * 5 + which + 1) % (table.length / hidden));
    const embeddings = new Float32Array(tokens * hidden);
    ids.forEach((id, at) => {
      embeddings.set(table.subarray(id * hidden, (id + 1) * hidden), at * hidden);
    });
    const target = Float32Array.from({ length: rule.width }, (_, at) => Number(at === which % rule.width));
    return { ids, embeddings, target };
  });
  const gradients = async (order: readonly number[]): Promise<Float32Array[]> => {
    const texts = wiring.fixedBatch ?? order.length;
    const answer = await seat.run(
      batchOf(
        order.map((which) => questions[which] as Question),
        texts,
      ),
    );
    return order.map((_, row) => rowOf(answer, row, texts).gradients as Float32Array);
  };
  const alone = await Promise.all([0, 1, 2].map(async (which) => (await gradients([which]))[0] as Float32Array));
  const orders = [[0, 1, 2], Array.from({ length: wiring.fixedBatch ?? 16 }, (_, row) => (row + 1) % 3)];
  for (const order of orders) {
    const rows = await gradients(order);
    const same = rows.every((row, at) => row.every((value, i) => Object.is(value, alone[order[at] as number]?.[i])));
    if (!same) return false;
  }
  return true;
}
