/** The queue, with seats of a few lines: what meets in a batch, and who is told when one fails. */
import { expect, test } from 'vitest';
import { ModelError } from '../../src/core/errors.js';
import type { EmbeddingAnswer, EmbeddingBatch } from '../../src/gradient/white-box/embedding-model.js';
import { GradientQueue } from '../../src/gradient/white-box/gradient-queue.js';
import type { Question } from '../../src/gradient/white-box/question.js';
import type { Seat } from '../../src/gradient/white-box/seat.js';

/** Answers each text with its first id; `fails` may refuse a batch. */
class ToySeat implements Seat {
  readonly opened = { loss: 'toy', hidden: 1, table: new Float32Array() };
  readonly batches: EmbeddingBatch[] = [];
  busy = 0;
  lost: ModelError | undefined;
  readonly #fails: (batch: EmbeddingBatch) => boolean;

  constructor(fails: (batch: EmbeddingBatch) => boolean = () => false) {
    this.#fails = fails;
  }

  async run(batch: EmbeddingBatch): Promise<EmbeddingAnswer> {
    this.batches.push(batch);
    this.busy++;
    await new Promise(setImmediate);
    this.busy--;
    if (this.#fails(batch)) throw new Error('refused');
    return { raw: Float32Array.from({ length: batch.texts }, (_, row) => batch.ids[row * batch.tokens]!) };
  }

  async close(): Promise<void> {}
}

const question = (id: number, tokens: number): Question => ({
  ids: new Int32Array(tokens).fill(id),
  embeddings: new Float32Array(tokens),
});
interface Options {
  readonly alone: boolean;
  readonly fixed: number | undefined;
}

const options: Options = { alone: false, fixed: undefined };
const answers = async (queue: GradientQueue, questions: readonly Question[]) =>
  (await Promise.all(questions.map((one) => queue.ask(one)))).map(({ raw }) => raw[0]);

test('texts of one length share batches of at most 16, each gets its own answer', async () => {
  const seat = new ToySeat();
  const questions = Array.from({ length: 40 }, (_, id) => question(id, id % 4 === 0 ? 5 : 7));
  expect(await answers(new GradientQueue([seat], options), questions)).toEqual(questions.map(({ ids }) => ids[0]));
  expect(seat.batches.map(({ texts, tokens }) => [texts, tokens])).toEqual([
    [10, 5],
    [16, 7],
    [14, 7],
  ]);
});

test('answers and gradients never share a batch', async () => {
  const seat = new ToySeat();
  const queue = new GradientQueue([seat], options);
  await answers(queue, [question(1, 3), { ...question(2, 3), target: Float32Array.of(1) }]);
  expect(seat.batches.map(({ targets }) => targets !== undefined)).toEqual([false, true]);
});

test('long texts come in smaller batches, dependent ones alone, fixed batches are filled up', async () => {
  const limits = async (tokens: number, given: Partial<Options>) => {
    const seat = new ToySeat();
    const queue = new GradientQueue([seat], { ...options, ...given });
    const questions = Array.from({ length: 4 }, (_, id) => question(id, tokens));
    expect(await answers(queue, questions)).toEqual([0, 1, 2, 3]);
    return seat.batches.map(({ texts }) => texts);
  };
  expect(await limits(90_000, {})).toEqual([2, 2]);
  expect(await limits(3, { alone: true })).toEqual([1, 1, 1, 1]);
  expect(await limits(3, { fixed: 3 })).toEqual([3, 3]);
});

test('a batch that fails is asked again text by text: only the culprit is told', async () => {
  const seat = new ToySeat(({ ids }) => ids.includes(3));
  const queue = new GradientQueue([seat], options);
  const results = await Promise.allSettled([1, 2, 3, 4].map((id) => queue.ask(question(id, 2))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('what a lost seat was asked is asked of another; without one all are told', async () => {
  const dying = new ToySeat(() => {
    dying.lost = new ModelError('gone', { code: 'GONE' });
    return true;
  });
  expect(await answers(new GradientQueue([dying, new ToySeat()], options), [question(1, 2), question(2, 2)])).toEqual([
    1, 2,
  ]);
  const last = new ToySeat(() => {
    last.lost = new ModelError('gone', { code: 'GONE' });
    return true;
  });
  const queue = new GradientQueue([last], options);
  await expect(queue.ask(question(1, 2))).rejects.toThrow(/no gradient worker is left/);
});
