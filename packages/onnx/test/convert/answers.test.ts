/** @file Scores of answers: the graph with all spellings behind a text gives each the probability it has alone. */
import { expect, test } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { answers, checkpointOf, configurationsIn, type Json } from './checkpoints.js';

const causal = [...configurationsIn('decoders.json'), ...configurationsIn('configurations.json')].filter(({ config }) =>
  /^(?!XLNet|Bart|MBart|BigBird).*(ForCausalLM|LMHeadModel)$/.test(String((config.architectures as string[])[0])),
);

/** Tokens of the spellings of three answers: of one token, of several, and of several that begin alike. */
const SPELLINGS = [[[5], [7, 9]], [[11, 12, 13]], [[7, 8, 10, 4], [21]]];

/** log P(spelling | text), one token after the other. */
async function alone(folder: string, config: Json, text: readonly number[], spelling: readonly number[]) {
  const { model } = convertCheckpoint(folder, config);
  const all = [...text, ...spelling];
  const { dims, data } = await answers(model, { input_ids: [all], attention_mask: [all.map(() => 1)] });
  const width = dims[2]!;
  return spelling.reduce((sum, id, at) => {
    const row = data.subarray((text.length + at - 1) * width, (text.length + at) * width);
    const largest = Math.max(...row);
    return sum + row[id]! - largest - Math.log(row.reduce((total, score) => total + Math.exp(score - largest), 0));
  }, 0);
}

test('families with causal models are among the references', () => {
  expect(new Set(causal.map(({ config }) => config.model_type)).size).toBeGreaterThan(7);
});

test.each(causal.map((each) => [each.name, each] as const))('answers by %s', async (_, { config, tensors }) => {
  const folder = checkpointOf({ config, tensors });
  const text = [17, 5, 30, 9, 22, 6];
  const { model } = convertCheckpoint(folder, config, { answers: SPELLINGS });
  const fed = { input_ids: [text, text.toReversed()], attention_mask: [] };
  const { dims, data } = await answers(model, fed);
  expect(dims).toEqual([2, 3]);
  for (const [row, ids] of fed.input_ids.entries()) {
    for (const [column, spellings] of SPELLINGS.entries()) {
      const parts = await Promise.all(spellings.map((spelling) => alone(folder, config, ids, spelling)));
      const expected = Math.log(parts.reduce((sum, part) => sum + Math.exp(part), 0));
      expect(Math.abs(data[row * 3 + column]! - expected)).toBeLessThan(2e-5 * Math.max(1, Math.abs(expected)));
    }
  }
});
