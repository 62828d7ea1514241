import { describe, expect, test } from 'vitest';
import { openAttention } from '../../src/explain/attention-source.js';
import { attentionWeights, rollout } from '../../src/explain/rollout.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { wordsOf } from '../../src/plugin.js';
import { matrix } from '../matrix.js';

const token = (start: number, end: number, special = false) => ({ id: 1, start, end, special });

/** [CLS] "good" "film": one layer, one head. */
const tokens = [token(0, 0, true), token(0, 4), token(5, 9)];

describe('rollout', () => {
  test('one layer: half the attention, half the place itself', () => {
    const weights = Float32Array.of(0, 0.75, 0.25, 0, 1, 0, 0, 0, 1);
    expect(Array.from(rollout({ tokens, layers: 1, heads: 1, weights }))).toEqual([
      0.5, 0.375, 0.125, 0, 1, 0, 0, 0, 1,
    ]);
  });

  test('heads are averaged, layers multiplied, rows sum to 1', () => {
    const row = [0.2, 0.5, 0.3];
    const other = [0.6, 0, 0.4];
    const weights = Float32Array.from([
      ...row,
      ...row,
      ...row,
      ...other,
      ...other,
      ...other,
      ...row,
      ...other,
      ...row,
      ...row,
      ...row,
      ...row,
    ]);
    const flow = rollout({ tokens, layers: 2, heads: 2, weights });
    for (let to = 0; to < 3; to++) expect(flow[3 * to]! + flow[3 * to + 1]! + flow[3 * to + 2]!).toBeCloseTo(1, 6);
    // Layer 1 mean over heads: (0.4, 0.25, 0.35) everywhere; with the residual row 1 is (0.2, 0.625, 0.175).
    const first = matrix('0.7 0.125 0.175; 0.2 0.625 0.175; 0.2 0.125 0.675');
    // Layer 2, row 0: the mean of (0.2, 0.5, 0.3) twice, and the residual.
    const second = [0.6, 0.25, 0.15];
    const expected = [0, 1, 2].map((from) => second.reduce((sum, share, via) => sum + share * first[via]![from]!, 0));
    expected.forEach((value, from) => void expect(flow[from]).toBeCloseTo(value, 6));
  });

  test('words as the first token sees them, special tokens apart', () => {
    const weights = Float32Array.of(0, 0.75, 0.25, 0, 1, 0, 0, 0, 1);
    const found = attentionWeights({ tokens, layers: 1, heads: 1, weights }, wordsOf('good film'));
    expect(found.weights.map(({ weight }) => weight)).toEqual([0.375, 0.125]);
    expect(found.check).toMatchObject({ rest: 0.5, from: 'first token' });
  });
});

describe.each([
  ['bert-mini', 2, 2],
  ['distilbert', 4, 4],
])('%s', (name, layers, heads) => {
  test('its own softmaxes: one a layer, rows that sum to 1, fused or not', async () => {
    const model: LoadedModel = await loadModel(name, { workers: 1 });
    const source = await openAttention(model);
    try {
      const text = 'Such an idiit, really!';
      const attention = await source.attention(text);
      const n = attention.tokens.length;
      expect({ layers: attention.layers, heads: attention.heads }).toEqual({ layers, heads });
      expect(attention.weights).toHaveLength(layers * heads * n * n);
      for (let row = 0; row < attention.weights.length; row += n) {
        expect(attention.weights.subarray(row, row + n).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 4);
      }
      expect(await source.attention(text)).toEqual(attention);
    } finally {
      await source.close();
      await model.close();
    }
  });
});
