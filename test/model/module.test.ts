/** A user's own classifier, by path. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withEntities } from '../../src/core/tags/tagged-query.js';
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
  ["scores: 'logits'", '[[0, Math.log(3)]]', [0.25, 0.75]],
  ["scores: 'labels'", "['b']", [0, 1]],
  ['', "['a']", [1, 0]],
  ["tie: 'b'", '[[0.5, 0.5]]', [0, 1]],
  ["tie: 'none'", '[[0.5, 0.5]]', [0, 0, 1]],
  ["tie: 'none'", '[[0.25, 0.75]]', [0.25, 0.75, 0]],
  ["scores: 'logits', tie: 'none'", '[[2, 2]]', [0, 0, 1]],
])('with %s an answer of %s is %s', async (declared, answer, row) => {
  const model = await loadModel(
    file(`export default { labels: ['a', 'b'], ${declared}, classify: () => ${answer} }`.replace(', ,', ',')),
  );
  const [read] = await model.classify(['x']);
  expect(model.labels).toHaveLength(row.length);
  expect(Array.from(read ?? [], (score) => Math.round(score * 1e6) / 1e6)).toEqual(row);
});

const TAGS = { decision: 'tags' } as const;
const ENTITY = [{ start: 5, end: 12, type: 'EMAIL' }];

test.each([
  ['tag', '(text) => [{ start: 5, end: 12, type: "EMAIL" }]'],
  ['redact', '(text) => text.replace(/\\S+@\\S+/, "[EMAIL]")'],
  ['redact', 'async (text) => text.replace(/\\S+@\\S+/, "")'],
])('%s: %s finds an entity', async (name, code) => {
  const model = await loadModel(file(`export default { labels: ['EMAIL'], ${name}: ${code} }`), TAGS);
  const [row] = await model.classify([withEntities('mail a@b.org', { entities: ENTITY, entity: 0 })]);
  expect(model.labels).toEqual(['EMAIL', 'O']);
  expect(Array.from(row ?? [])).toEqual([1, 0]);
  expect((await model.tags?.tags('mail a@b.org'))?.spans).toMatchObject(ENTITY);
});

test.each([
  ['tag: () => 1', TAGS, 'PLUGIN_DAMAGED'],
  ['tag: () => [{ start: 0, end: 99, type: "EMAIL" }]', TAGS, 'PLUGIN_DAMAGED'],
  ['tag: () => [{ start: 0, end: 1, type: "PHONE" }]', TAGS, 'PLUGIN_DAMAGED'],
  ['redact: () => ({ text: "" })', TAGS, 'PLUGIN_DAMAGED'],
  ['redact: () => { throw new Error("boom"); }', TAGS, 'PLUGIN_DAMAGED'],
])('%s is refused for a text', async (code, options, error) => {
  const model = await loadModel(file(`export default { labels: ['EMAIL'], ${code} }`), options);
  await refusal(model.classify(['x']), error as 'PLUGIN_DAMAGED');
});

test.each([
  ['redact: (text) => text', {}],
  ['classify: () => [[0, 1]]', TAGS],
])('%s is refused with another task', async (code, options) => {
  await refusal(loadModel(file(`export default { labels: ['a', 'b'], ${code} }`), options), 'TASK_MISMATCH');
});

test('a redaction that may be at several places is told of once', async () => {
  const warnings: string[] = [];
  const model = await loadModel(file(`export default { labels: ['N'], redact: (text) => text.slice(0, 1) }`), {
    ...TAGS,
    onWarning: (warning) => warnings.push(warning),
  });
  await model.classify(['5, 5', '6, 6']);
  expect(warnings).toHaveLength(1);
});

test.each([
  ['[[0.5, 0.5], [0.5, 0.5]]', /expected 1 rows/],
  ['[[0.5]]', /expected 2 probabilities/],
  ['[[2, -1]]', /got \[2,-1\] for "x", outside of 0 to 1/],
  ['[[10, 90]]', /outside of 0 to 1/],
  ["['c']", /expected 2 probabilities/],
  ['[[NaN, 1]]', /expected 2 probabilities per text, got \[NaN,1\]/],
  ['undefined', /expected 1 rows/],
])('an answer of %s is refused', async (answer, message) => {
  const model = await loadModel(file(`export default { labels: ['a', 'b'], classify: async () => ${answer} }`));
  await expect(model.classify(['x'])).rejects.toThrow(message);
});
