/** How long the model worked, as `-v` says it. */
import { expect, test } from 'vitest';
import { modelTime } from '../../src/app/attack.js';

test.each([
  [1, undefined, '12 texts computed in 4 batches of 3.0; its worker was busy 50 % of 8.0 s'],
  [2, 3.25, '12 texts computed in 4 batches of 3.0, 3.3 s of processor time; its 2 workers were busy 25 % of 8.0 s'],
])('model time of %i workers', (workers, secondsProcessor, line) => {
  const figures = { computed: 12, batches: 4, meanBatch: 3, paddingWaste: 0, truncated: 0 };
  expect(modelTime({ ...figures, secondsBusy: 4, secondsProcessor, workers }, 8)).toBe(line);
});
