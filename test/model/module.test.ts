/** A user's own classifier, by path. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadModel } from '../../src/model/load.js';
import { refusal } from '../refusal.js';
import { folder } from './toy.js';

const file = (code: string, name = 'classifier.mjs') => join(folder({ [name]: code }), name);

const counting = `
let calls = 0;
export default {
  labels: ['short', 'long'],
  async classify(texts) {
    calls++;
    if (texts.some((text) => text.includes('poison'))) throw new Error('boom');
    return texts.map((text) => [1 / (1 + text.length), calls > 1e9 ? 0 : text.length / (1 + text.length)]);
  },
};`;

test('is queried in batches, and its answers are cached', async () => {
  const model = await loadModel(file(counting));
  expect(model).toMatchObject({ name: 'classifier', labels: ['short', 'long'] });
  const [a, b] = await Promise.all([model.classify(['x', 'yy', 'x']), model.classify(['yy', 'zzz'])]);
  expect(a.map((row) => row[0])).toEqual([1 / 2, 1 / 3, 1 / 2].map(Math.fround));
  expect(b[0]).toEqual(a[1]);
  expect(model.figures()).toMatchObject({ computed: 3, batches: 1, meanBatch: 3 });
  await model.close();
});

test('a text that makes it throw fails alone', async () => {
  const model = await loadModel(file(counting));
  const outcomes = await Promise.allSettled(['a', 'poison', 'b'].map((text) => model.classify([text])));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('its hash follows its code', async () => {
  const hashes = await Promise.all(
    [counting, counting, `${counting}\n`].map(async (code) => (await loadModel(file(code))).sha256),
  );
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[0]).not.toBe(hashes[2]);
});

test.each([
  ['export default 42'],
  ['export const labels = 1'],
  ['this is no code'],
  ['export default { labels: ["one"], classify() {} }'],
])('%s is refused', async (code) => {
  await refusal(loadModel(file(code)), 'PLUGIN_DAMAGED');
});

test.each([
  ['[[0.5, 0.5], [0.5, 0.5]]', /expected 1 rows/],
  ['[[0.5]]', /expected 2 probabilities/],
  ['[[2, -1]]', /expected 2 probabilities/],
  ['[[NaN, 1]]', /expected 2 probabilities per text, got \[NaN,1\]/],
  ['undefined', /expected 1 rows/],
])('an answer of %s is refused', async (answer, message) => {
  const model = await loadModel(file(`export default { labels: ['a', 'b'], classify: async () => ${answer} }`));
  await expect(model.classify(['x'])).rejects.toThrow(message);
});
