import { describe, expect, test } from 'vitest';
import type { Explanation } from '../../src/core/explanation.js';
import { student } from '../../src/explain/global.js';
import {
  type ExplainedText,
  type ExplanationMethod,
  type ExplanationOptions,
  explain,
  GlobalFold,
} from '../../src/explain/index.js';
import { spearman } from '../../src/explain/rank-correlation.js';
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
    ['shap', { estimator: 'permutation' }],
    ['shap', { estimator: 'kernel' }],
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

  test('samples query an approximation, the text itself does not, and the distance of its weights from those of the model is measured', async () => {
    const rough = bagOfWords({ ...weights, lovely: 1.6 });
    const asked: string[] = [];
    const watched: Classifier = {
      labels: rough.labels,
      classify: (texts) => {
        asked.push(...texts);
        return rough.classify(texts);
      },
    };
    const long = `${text} It is good, it is long, and it is film after film.`;
    const approximated = asExplained(toy.classifier, { approximation: { ...watched, precision: 'int8' } });
    const [exactly, roughly] = [await explain(toy, long, options), await explain(approximated, long, options)];
    expect(roughly.probabilities).toEqual(exactly.probabilities);
    expect(asked.length).toBeGreaterThan(1000);
    expect(asked).not.toContain(long);
    for (const [at, { name, check, words }] of roughly.methods.entries()) {
      expect(check, name).toMatchObject({ precision: 'int8', fp32Samples: 500 });
      // Words with weight 0 may have any order.
      expect(check.fp32Correlation, name).toBeGreaterThan(0.8);
      expect(check.fp32Difference, name).toBeGreaterThan(0.05);
      expect(check.fp32Difference, name).toBeLessThan(0.15);
      const own = exactly.methods[at]?.check as Record<string, unknown>;
      expect(own).not.toHaveProperty('precision');
      expect([check.value, check.baseValue]).toEqual([own.value, own.baseValue]);
      expect(words[1]?.weight).not.toBe(exactly.methods[at]?.words[1]?.weight);
    }
    const same = asExplained(toy.classifier, { approximation: { ...toy.classifier, precision: 'int8' } });
    for (const { name, check, words } of (await explain(same, long, options)).methods) {
      expect(check.fp32Difference, name).toBe(0);
      expect(words).toEqual(exactly.methods.find((each) => each.name === name)?.words);
    }
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

describe('trust', () => {
  test('true weights beat random orders, agree and are stable', async () => {
    const { trust } = await explain(toy, text, { ...options, check: true });
    for (const { aopc, random, deletion, insertion } of trust!.faithfulness) {
      expect(aopc).toBeGreaterThan(random.high - 1e-9);
      expect(deletion).toHaveLength(8);
      expect(deletion[0]).toBeCloseTo(insertion.at(-1)!, 9);
    }
    expect(trust!.agreement[0]!.correlation).toBeGreaterThan(0.8);
    expect(trust!.stability).toMatchObject([{ method: 'lime', repetitions: 3 }]);
    expect(trust!.stability[0]!.sharedTop).toBeGreaterThan(0.7);
  });

  test.each([
    [[1, 2, 3, 4], [10, 20, 30, 40], 1],
    [[1, 2, 3, 4], [4, 3, 2, 1], -1],
    [[1, 2, 2, 3], [1, 3, 3, 7], 1],
    [[1, 2, 3], [5, 5, 5], null],
    [[1, 2], [1, 2], null],
    // Textbook: ranks (1 2 3 4 5) and (2 1 4 3 5): 1 - 6 * 4 / (5 * 24) = 0.8
    [[1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8],
  ])('rank correlation of %j and %j is %j', (a, b, expected) => {
    const found = spearman(a, b);
    if (expected === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(expected, 12);
  });
});

describe('global', () => {
  test.each([
    [1, 12.706],
    [2, 4.303],
    [3, 3.182],
    [5, 2.571],
    [10, 2.228],
    [30, 2.042],
    [1000, 1.962],
  ])("the 0.975 quantile of Student's t with %i degrees of freedom", (freedom, expected) => {
    expect(Math.abs(student(freedom) / expected - 1)).toBeLessThan(0.002);
  });

  const both = (one: Explanation, other: Explanation) => [one, other];

  test('counts, means and intervals by word; the words two models differ on first', async () => {
    const twin = asExplained(bagOfWords({ ...weights, mess: 2 }), { name: 'twin' });
    const fold = new GlobalFold();
    for (const each of ['Lovely film', 'A lovely mess', 'a dull MESS', 'A mess!', 'a film']) {
      const lower = each.toLowerCase();
      const shap: ExplanationOptions = { ...options, methods: ['shap'] };
      fold.add(both(await explain(toy, lower, shap), await explain(twin, lower, shap)));
    }
    const { methods, texts } = fold.result('positive', 2);
    expect(texts).toBe(5);
    const [{ models, differences }] = methods as [(typeof methods)[number]];
    expect(models[0]!.words.map(({ word, count }) => [word, count])).toEqual([
      ['mess', 3],
      ['lovely', 2],
      ['film', 2],
      ['a', 4],
    ]);
    expect(models[0]!.words[0]!.mean.value).toBeCloseTo(-2, 4);
    expect(models[0]!.words[0]!.absolute.value).toBeCloseTo(2, 4);
    expect(differences![0]).toMatchObject({ word: 'mess', count: 3 });
    expect(differences![0]!.difference.value).toBeCloseTo(-4, 4);
  });

  test('a single value has no interval', () => {
    const fold = new GlobalFold();
    const words = [{ word: 'x', start: 0, weight: 1 }];
    const one: Explanation = {
      ...{ text: 'x', label: 'a', probabilities: [1, 0], scale: 'logit', baseline: 'delete', seed: 1, queries: 1 },
      model: { name: 'm', sha256: '', labels: ['a', 'b'] },
      methods: [{ name: 'shap', words, check: {} }],
    };
    fold.add([one]);
    expect(fold.result(null, 1).methods[0]!.models[0]!.words[0]!.absolute).toEqual({ value: 1, low: null, high: null });
  });
});
