import { describe, expect, test } from 'vitest';
import {
  type ExplainedText,
  type ExplanationMethod,
  type ExplanationOptions,
  explain,
} from '../../src/explain/index.js';
import type { Classifier } from '../../src/plugin.js';
import { bagOfWords } from './toys.js';

const weights = { lovely: 1.5, good: 0.75, film: 0.25, dull: -1, mess: -2 };
const asExplained = (classifier: Classifier, more: Partial<ExplainedText> = {}): ExplainedText => ({
  name: 'toy',
  sha256: '',
  classifier,
  tokens: { unknown: { text: '[UNK]' } },
  ...more,
});
const toy = asExplained(bagOfWords(weights));
const options: ExplanationOptions = {
  methods: ['lime', 'shap'],
  label: 1,
  baseline: 'delete',
  scale: 'logit',
  seed: 1,
};
const text = 'A lovely film, but a dull mess.';
const truth = [0, 1.5, 0.25, 0, 0, -1, -2];

describe('explain', () => {
  test.each([
    ['lime', {}],
    ['shap', {}],
    ['shap', { samples: 100 }],
    ['shap', { baseline: 'unknown' }],
  ] as const)('a model whose log-odds add up: %s %j gives the true weights', async (method, more) => {
    const { methods } = await explain(toy, text, { ...options, methods: [method as ExplanationMethod], ...more });
    methods[0]?.words.forEach(
      ({ weight }, at) => void expect(weight).toBeCloseTo(truth[at]!, method === 'lime' ? 1 : 4),
    );
  });

  test.each(['lime', 'shap'] as const)('%s: an emoji that decides has all the weight', async (method) => {
    const angry = asExplained({
      labels: ['negative', 'positive'],
      classify: async (texts) => texts.map((each) => Float32Array.from(/😡|!/u.test(each) ? [0.9, 0.1] : [0.1, 0.9])),
    });
    for (const [given, decisive] of [
      ['a fine film 😡', 3],
      ['a fine film!', 3],
      ['😡😡', undefined],
    ] as const) {
      const { methods } = await explain(angry, given, { ...options, methods: [method] });
      const found = methods[0]!.words.map(({ weight }) => Math.abs(weight));
      if (decisive === undefined) expect(Math.min(...found)).toBeGreaterThan(0.9);
      else expect(found.indexOf(Math.max(...found))).toBe(decisive);
    }
  });

  test('samples of any batch size or order give the same weights', async () => {
    let turn = 0;
    const late = asExplained({
      labels: toy.classifier.labels,
      async classify(texts) {
        if (turn++ % 2) await new Promise((resolve) => setImmediate(resolve));
        return toy.classifier.classify(texts);
      },
    });
    const long = `${text} ${text} ${text}`;
    expect(await explain(late, long, options)).toEqual(await explain(toy, long, options));
  });

  test('equal texts are queried once, by all methods together', async () => {
    const asked: string[] = [];
    const watched = asExplained({
      labels: toy.classifier.labels,
      classify: (texts) => {
        asked.push(...texts);
        return toy.classifier.classify(texts);
      },
    });
    const { queries } = await explain(watched, 'a lovely film', options);
    expect(queries).toBe(8);
    // And the whole text once more, for its probabilities.
    expect(asked).toHaveLength(9);
  });

  test('only the part that is read is explained, in places of the whole text', async () => {
    const cut = asExplained(toy.classifier, { read: () => ({ start: 2, end: 13 }) });
    const { methods, read } = await explain(cut, text, options);
    expect(read).toEqual({ words: 2, of: 7 });
    expect(methods[0]?.words.map(({ word, start }) => [word, start])).toEqual([
      ['lovely', 2],
      ['film', 9],
    ]);
  });

  test('methods that need the inside of a model say so', async () => {
    for (const method of ['integrated-gradients', 'gradient-x-input', 'attention'] as const) {
      await expect(explain(toy, text, { ...options, methods: [method] })).rejects.toMatchObject({
        code: 'GRADIENTS_UNSUPPORTED',
      });
    }
  });

  test('1,000 words end', async () => {
    const long = 'lovely dull '.repeat(500);
    const { methods } = await explain(toy, long, { ...options, scale: 'probability', samples: 200 });
    for (const { words } of methods) expect(words).toHaveLength(1000);
    expect(methods[1]?.check.estimator).toBe('permutation');
  });
});
