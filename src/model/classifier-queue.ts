/** @file Texts asked one by one, answered in batches, by a classifier that is not ours to schedule: it takes as many at once as come. */
import { BatchQueue, type QueuePool } from './queue.js';

/** Texts per call. */
const TEXTS_PER_CALL = 64;

type Rows = readonly Float32Array[];

/** A queue in front of `classify`, which is called with whatever was asked in one tick. */
export function classifierQueue(
  classify: (texts: readonly string[]) => Promise<Rows>,
): BatchQueue<string, readonly string[], Rows, Float32Array> {
  const pool: QueuePool<readonly string[], Rows> = {
    free: true,
    idle: 1,
    dead: false,
    busy: 0,
    processor: undefined,
    workers: 1,
    onFree() {},
    grow() {},
    lost() {
      throw new Error('what is called here never ends');
    },
    async send({ request, done, failed }) {
      const begun = performance.now();
      await classify(request).then(done, failed);
      pool.busy += (performance.now() - begun) / 1000;
    },
  };
  return new BatchQueue(pool, {
    length: () => 0,
    most: () => TEXTS_PER_CALL,
    largest: TEXTS_PER_CALL,
    least: 1,
    request: (texts) => texts,
    result: (rows, row) => rows[row] as Float32Array,
  });
}
