/** @file Every option of a config that changes what a model computes, against logits of Hugging Face transformers (configurations.json). */
import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { convertCheckpoint } from '../../src/convert/index.js';
import { random } from '../../src/core/random.js';
import { answers, byFormula, type Case, checkpoint, convertedAnswers, distance, type Json } from './checkpoints.js';

interface Configuration extends Case {
  readonly name: string;
  readonly config: Json;
  readonly tensors: Readonly<Record<string, readonly number[]>>;
  readonly shape: readonly number[];
  /** All of them, or the first and the last 30. */
  readonly logits: readonly number[];
}

const path = new URL('./configurations.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: readonly Configuration[] };

test('there are configurations of every family', () => {
  expect(new Set(cases.map(({ config }) => config.model_type)).size).toBeGreaterThan(14);
});

test.each(cases.map((each) => [each.name, each] as const))(
  '%s',
  async (_, { config, tensors, shape, logits, ...fed }) => {
    const folder = checkpoint(config, byFormula(tensors));
    try {
      const { dims, data } = await convertedAnswers(folder, config, fed);
      expect(dims).toEqual(shape);
      const some = data.length > logits.length ? [...data.slice(0, 30), ...data.slice(-30)] : data;
      expect(distance(some, logits)).toBeLessThanOrEqual(1e-5);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

const pretrained = cases.filter(({ config }) => !/ForSequenceClassification/.test(String(config.architectures)));

test.each(pretrained.map((each) => [each.name, each] as const))(
  'a new head on %s',
  async (_, { config, tensors, ...fed }) => {
    const folder = checkpoint(config, byFormula(tensors));
    try {
      const { model, fresh } = convertCheckpoint(folder, config, { head: { labels: 2, random: random(1, 'head') } });
      expect(fresh.length).toBeGreaterThan(0);
      const { dims, data } = await answers(model, fed);
      expect(dims).toEqual([fed.input_ids.length, 2]);
      expect(data.every(Number.isFinite)).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
