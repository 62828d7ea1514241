/** Any module with gradients is a white box, once finite differences agree. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { loadModel } from '../../src/model/load.js';
import { folder } from '../model/toy.js';

/** A bag of embeddings: z = sum over tokens of e . w, tanh in between so that slopes differ from place to place. */
const module = (changes: { values?: string; probabilities?: string; without?: string; rest?: string } = {}): string => `
const words = ['?', 'good', 'bad', 'film', 'the', 'is', 'not', 'so', 'and'];
const hidden = 3;
const table = Float32Array.from({ length: words.length * hidden }, (_, i) => Math.sin(3 * i + 1));
const w = [0.7, -0.4, 0.9];
const sigmoid = (z) => 1 / (1 + Math.exp(-z));
const tokens = (text) => Array.from(text.matchAll(/\\w+/g), (m) => ({ id: Math.max(0, words.indexOf(m[0])), start: m.index, end: m.index + m[0].length, special: false }));
const rows = (text) => Float32Array.from(tokens(text).flatMap(({ id }) => [...table.subarray(id * hidden, (id + 1) * hidden)]));
const forward = (e) => sigmoid(e.reduce((sum, value, i) => sum + Math.tanh(value) * w[i % hidden], 0));
const model = {
  labels: ['bad', 'good'],
  classify: async (texts) => texts.map((text) => { const p = forward(rows(text)); return [1 - p, p]; }),
  hidden,
  tokens,
  embeddingTable: () => table,
  tokenText: (id) => words[id],
  gradients: async (questions) => questions.map(({ embeddings, label }) => {
    const p = forward(embeddings);
    const probabilities = ${changes.probabilities ?? '[1 - p, p]'};
    if (label === undefined) return { probabilities };
    const slope = p - label;
    return {
      probabilities,
      loss: -Math.log(label === 1 ? p : 1 - p),
      values: Float32Array.from(embeddings, (value, i) => ${changes.values ?? 'slope * w[i % hidden] * (1 - Math.tanh(value) ** 2)'}),
    };
  }),
};
${changes.without ? `delete model.${changes.without};` : ''}
export default model;`;

const open = async (code: string) => openWhiteBox(await loadModel(join(folder({ 'inside.mjs': code }), 'inside.mjs')));

test('gives gradients, answers of embeddings, and its table', async () => {
  const inside = await open(module());
  expect(inside.hidden).toBe(3);
  const { tokens, loss, probabilities, values, embeddings } = await inside.gradient('the film is good', 1);
  expect(tokens.map(({ start, end }) => 'the film is good'.slice(start, end))).toEqual(['the', 'film', 'is', 'good']);
  expect(loss).toBeCloseTo(-Math.log(probabilities[1]!), 5);
  expect(values).toHaveLength(12);
  const step = embeddings.map((value, i) => value - 0.1 * Math.sign(values[i]!));
  const [moved] = await inside.classifyEmbeddings([step], tokens);
  expect(moved![1]).toBeGreaterThan(probabilities[1]!);
  expect((await inside.embeddingTable()).length).toBe(27);
  expect(inside.tokenText(1)).toBe('good');
  await inside.close();
});

test.each([
  ['the sign is wrong', module({ values: '-slope * w[i % hidden] * (1 - Math.tanh(value) ** 2)' }), 'PLUGIN_DAMAGED'],
  [
    'a part is missing',
    module({ values: 'i % hidden === 2 ? 0 : slope * w[i % hidden] * (1 - Math.tanh(value) ** 2)' }),
    'PLUGIN_DAMAGED',
  ],
  ['another function is answered', module({ probabilities: '[p, 1 - p]' }), 'PLUGIN_DAMAGED'],
  ['they are no numbers', module({ values: 'NaN' }), 'PLUGIN_DAMAGED'],
  ['a method is missing', module({ without: 'tokens' }), 'PLUGIN_DAMAGED'],
])('refused where %s', async (_, code, expected) => {
  await expect(open(code)).rejects.toMatchObject({ code: expected });
});
