/** @file Every option of a config that changes what a model computes, against logits of Hugging Face transformers (configurations.json). */
import { expect, test } from 'vitest';
import { random } from '../../../../src/core/random.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { answers, answersAsReferred, checkpointOf, configurationsIn } from './checkpoints.js';

const cases = configurationsIn('configurations.json');

test('there are configurations of every family', () => {
  expect(new Set(cases.map(({ config }) => config.model_type)).size).toBeGreaterThan(14);
});

test.each(cases.map((each) => [each.name, each] as const))('%s', (_, one) => answersAsReferred(one));

const pretrained = cases.filter(({ config }) => !/ForSequenceClassification/.test(String(config.architectures)));

test.each(pretrained.map((each) => [each.name, each] as const))(
  'a new head on %s',
  async (_, { config, tensors, ...fed }) => {
    const folder = checkpointOf({ config, tensors });
    const { model, fresh } = convertCheckpoint(folder, config, { head: { labels: 2, random: random(1, 'head') } });
    expect(fresh.length).toBeGreaterThan(0);
    const { dims, data } = await answers(model, fed);
    expect(dims).toEqual([fed.input_ids.length, 2]);
    expect(data.every(Number.isFinite)).toBe(true);
  },
);
