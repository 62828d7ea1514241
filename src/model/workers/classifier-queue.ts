/** @file Batches queries for code with its own scheduling: each call gets all waiting queries. */
import { BatchQueue, type QueuePool } from './queue.js';

/** Questions per call. */
const QUESTIONS_PER_CALL = 64;

/** A queue for `answer`, which is called with all queries of one tick. */
export function classifierQueue<Question, Answer>(
  answer: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): BatchQueue<Question, readonly Question[], readonly Answer[], Answer> {
  const pool: QueuePool<readonly Question[], readonly Answer[]> = {
    free: true,
    idle: 1,
    dead: false,
    busy: 0,
    processor: undefined,
    workers: 1,
    onFree() {},
    grow() {},
    goneError() {
      throw new Error('what is called here never ends');
    },
    async send({ request, done, failed }) {
      const begun = performance.now();
      await answer(request).then(done, failed);
      pool.busy += (performance.now() - begun) / 1000;
    },
  };
  return new BatchQueue(pool, {
    length: () => 0,
    most: () => QUESTIONS_PER_CALL,
    largest: QUESTIONS_PER_CALL,
    least: () => 1,
    request: (questions) => questions,
    result: (answers, row) => answers[row] as Answer,
  });
}
