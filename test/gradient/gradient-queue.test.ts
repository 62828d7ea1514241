/** The queue of questions, with a pool of a few lines: the contents of batches, and the reports of failures. */
import { expect, test } from 'vitest';
import { ModelCrashedError, ModelError } from '../../src/core/errors.js';
import type { EmbeddingAnswer, EmbeddingBatch } from '../../src/gradient/white-box/embedding-model.js';
import {
  type GradientQuestion,
  type GradientQueue,
  gradientQueue,
} from '../../src/gradient/white-box/gradient-queue.js';
import type { Job } from '../../src/model/workers/pool.js';
import { matrix } from '../matrix.js';
import { refusal } from '../refusal.js';

/** One worker that answers each text with its first id; `fails` may refuse a batch, or lose it with the worker. */
class ToyPool {
  readonly batches: EmbeddingBatch[] = [];
  busy = 0;
  processor: number | undefined;
  readonly workers = 1;
  dead = false;
  onFree = (): void => {};
  #under = 0;
  readonly #fails: (batch: EmbeddingBatch) => Error | 'again' | undefined;

  constructor(fails: (batch: EmbeddingBatch) => Error | 'again' | undefined = () => undefined) {
    this.#fails = fails;
  }

  get free(): boolean {
    return !this.dead && this.#under < 2;
  }

  get idle(): number {
    return Number(this.#under === 0);
  }

  grow(): void {}

  goneError(): ModelError {
    return new ModelError('no worker is left', { code: 'MODEL_DAMAGED' });
  }

  send({ request, done, failed, again }: Job<EmbeddingBatch, EmbeddingAnswer>): void {
    this.batches.push(request);
    this.#under++;
    setImmediate(() => {
      this.#under--;
      const failure = this.#fails(request);
      if (failure === 'again') again();
      else if (failure) failed(failure);
      else done({ raw: Float32Array.from({ length: request.texts }, (_, row) => request.ids[row * request.length]!) });
      this.onFree();
    });
  }
}

const question = (id: number, tokens: number): GradientQuestion => ({
  ids: new Int32Array(tokens).fill(id),
  embeddings: new Float32Array(tokens),
});
interface Options {
  readonly alone: boolean;
  readonly fixed: number | undefined;
}

const options: Options = { alone: false, fixed: undefined };
const answers = async (queue: GradientQueue, questions: readonly GradientQuestion[]) =>
  (await Promise.all(questions.map((one) => queue.ask(one)))).map(({ raw }) => raw[0]);

test('texts of one length share batches of at most 16, the fullest first; each gets its own answer', async () => {
  const pool = new ToyPool();
  const questions = Array.from({ length: 40 }, (_, id) => question(id, id % 4 === 0 ? 5 : 7));
  expect(await answers(gradientQueue(pool, options), questions)).toEqual(questions.map(({ ids }) => ids[0]));
  expect(pool.batches.map(({ texts, length }) => [texts, length])).toEqual(matrix('16 7; 14 7; 10 5'));
});

test('answers and gradients never share a batch', async () => {
  const pool = new ToyPool();
  const queue = gradientQueue(pool, options);
  await answers(queue, [question(1, 3), { ...question(2, 3), target: Float32Array.of(1) }]);
  expect(pool.batches.map(({ targets }) => targets !== undefined)).toEqual([false, true]);
});

test('long texts come in smaller batches, dependent ones alone, fixed batches are filled up', async () => {
  const limits = async (tokens: number, given: Partial<Options>) => {
    const pool = new ToyPool();
    const queue = gradientQueue(pool, { ...options, ...given });
    const questions = Array.from({ length: 4 }, (_, id) => question(id, tokens));
    expect(await answers(queue, questions)).toEqual([0, 1, 2, 3]);
    return pool.batches.map(({ texts }) => texts);
  };
  expect(await limits(90_000, {})).toEqual([2, 2]);
  expect(await limits(3, { alone: true })).toEqual([1, 1, 1, 1]);
  expect(await limits(3, { fixed: 3 })).toEqual([3, 3]);
});

test('a batch that fails is repeated text by text: only the culprit gets the error', async () => {
  const queue = gradientQueue(new ToyPool(({ ids }) => (ids.includes(3) ? new Error('refused') : undefined)), options);
  const results = await Promise.allSettled([1, 2, 3, 4].map((id) => queue.ask(question(id, 2))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('jobs that a lost worker had not begun are repeated; a crash and a pool without workers fail all', async () => {
  let lost = 0;
  const pool = new ToyPool(() => (lost++ === 0 ? 'again' : undefined));
  expect(await answers(gradientQueue(pool, options), [question(1, 2), question(2, 2)])).toEqual([1, 2]);
  expect(pool.batches).toHaveLength(2);

  const crashing = new ToyPool(() => new ModelCrashedError('gone', { code: 'MODEL_CRASHED' }));
  const crashed = gradientQueue(crashing, options);
  const ends = await Promise.allSettled([1, 2].map((id) => crashed.ask(question(id, 2))));
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(['MODEL_CRASHED', 'MODEL_CRASHED']);
  expect(crashing.batches).toHaveLength(1);

  const dead = new ToyPool();
  dead.dead = true;
  await refusal(gradientQueue(dead, options).ask(question(1, 2)));
});
