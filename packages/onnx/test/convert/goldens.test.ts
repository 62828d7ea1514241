/** @file Checkpoints of every family as transformers saves them: the graph drawn of each answers as the model did. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Golden, goldens } from '../../../../test/model/goldens.js';
import { convertedAnswers, distance, type Json } from './checkpoints.js';

const drawn = goldens.filter(({ folder }) => existsSync(join(folder, 'model.safetensors')));

test.skipIf(goldens.length === 0)('there are references of every family (skipped without ../shared)', () => {
  expect(drawn.length).toBeGreaterThan(19);
});

test.each(drawn.map((each) => [each.name, each] as const))('%s', async (_, golden) => {
  for (const one of golden.cases) {
    const { dims, data } = await convertedAnswers(golden.folder, configOf(golden), one);
    const { shape, logits } = expectedOf(one);
    expect(dims, one.name).toEqual(shape);
    expect(distance(data.slice(0, logits.length), logits), one.name).toBeLessThanOrEqual(1e-5);
  }
});

test.each(drawn.slice(0, 3).map((each) => [each.name, each] as const))(
  '%s in half precision is near',
  async (_, golden) => {
    const [one] = golden.cases as [Golden['cases'][0]];
    const { data } = await convertedAnswers(golden.folder, configOf(golden), one, true);
    const { logits } = expectedOf(one);
    const apart = distance(data.slice(0, logits.length), logits);
    expect(apart).toBeGreaterThan(1e-5);
    expect(apart).toBeLessThan(0.05);
  },
);

const configOf = ({ folder }: Golden): Json => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')) as Json;

/** A classifier's logits are all kept, of a language model's the first fifty. */
function expectedOf(one: Golden['cases'][0]): { shape: readonly number[]; logits: readonly number[] } {
  const { logits, logits_shape, logits_first50 } = one as typeof one & {
    readonly logits_shape?: readonly number[];
    readonly logits_first50?: readonly number[];
  };
  if (logits_first50 !== undefined && logits_shape !== undefined)
    return { shape: logits_shape, logits: logits_first50 };
  const rows = logits as readonly (readonly number[])[];
  return { shape: [rows.length, (rows[0] as readonly number[]).length], logits: rows.flat() };
}
