/** @file Every option of a config that changes what a model computes, against logits of Hugging Face transformers (configurations.json). */
import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { byFormula, type Case, checkpoint, convertedAnswers, distance, type Json } from './checkpoints.js';

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
