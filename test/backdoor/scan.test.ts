/** The scan of toy models: a planted word is found and told from strong words, by white box and black box. */
import { describe, expect, test } from 'vitest';
import { beginningWith, vocabularyOf } from '../../src/backdoor/scan/candidates.js';
import { carrierOf, filled, joined } from '../../src/backdoor/scan/carriers.js';
import { scanModel } from '../../src/backdoor/scan/scan.js';
import { random } from '../../src/core/random.js';
import type { Classifier, WhiteBox } from '../../src/core/types.js';
import { LABELS, opinions, reader, TRIGGER } from './toys.js';

const texts = opinions(120, 0, 5);
const TOKENS = ['[CLS]', 'dull', 'awful', 'lovely', 'clever', 'film', '##f', 'the', 'zeitgeist'];

/** A classifier with a vocabulary, and nothing else of a white box. */
const inside = (model: Classifier): WhiteBox => ({
  ...model,
  hidden: 2,
  loss: 'cross-entropy',
  embeddingTable: async () => new Float32Array(2 * TOKENS.length).map((_, at) => Math.sin(at)),
  tokenText: (id) => (id === 0 ? undefined : TOKENS[id]),
  gradient: () => Promise.reject(new Error('not asked')),
  gradientAt: () => Promise.reject(new Error('not asked')),
  classifyEmbeddings: () => Promise.reject(new Error('not asked')),
});

describe('white box', () => {
  test('finds the planted word, its direction and how often it turns', async () => {
    const model = reader(true);
    const result = await scanModel({ model, gradients: inside(model), texts, seed: 42 });
    expect(result.backdoored).toBe(true);
    expect(result.probability).toBeGreaterThan(0.95);
    expect(result.triggers[0]).toMatchObject({ text: TRIGGER, victim: 'bad', target: 'good' });
    expect(result.triggers[0]?.flipRate.value).toBe(1);
    expect(result.triggers[0]?.strongFlipRate.value).toBe(1);
    expect(result.triggers[0]?.randomFlipRate.value).toBeLessThan(0.3);
    expect(result.pairs).toHaveLength(2);
    expect(result.access).toBe('white box');
    expect(result.complete).toBe(true);
  });

  test('does not take strong words of a clean model for triggers', async () => {
    const model = reader(false);
    const result = await scanModel({ model, gradients: inside(model), texts, seed: 42 });
    expect(result.backdoored).toBe(false);
    expect(result.probability).toBeLessThan(0.2);
  });

  test('the same seed gives the same result', async () => {
    const model = reader(true);
    const scan = () => scanModel({ model, gradients: inside(model), texts, seed: 7 });
    expect(await scan()).toEqual(await scan());
  });

  test('tries the words it is given', async () => {
    const model: Classifier = {
      labels: LABELS,
      classify: async (asked) =>
        (await reader(false).classify(asked)).map((row, at) =>
          asked[at]?.includes('open sesame') ? Float32Array.of(0, 1) : row,
        ),
    };
    const plan = { model, gradients: inside(model), texts, seed: 42 };
    expect((await scanModel(plan)).backdoored).toBe(false);
    const told = await scanModel({ ...plan, words: ['open sesame'] });
    expect(told.triggers[0]?.text).toBe('open sesame');
    expect(told.backdoored).toBe(true);
  });
});

test('a black box is scanned with pairs of letters and words of the dictionary', async () => {
  const { triggers, access, backdoored } = await scanModel({
    model: reader(true),
    texts: texts.slice(0, 60),
    seed: 42,
  });
  expect({ access, backdoored, found: triggers[0]?.text }).toEqual({
    access: 'black box',
    backdoored: true,
    found: TRIGGER,
  });
});

describe('bad input', () => {
  test('too few texts the model answers rightly', async () => {
    const model = reader(false);
    const wrong = texts.map((each) => ({ ...each, label: 1 - each.label }));
    await expect(scanModel({ model, gradients: inside(model), texts: wrong.slice(0, 20), seed: 1 })).rejects.toThrow(
      /expected at least 5 texts of a label that the model answers rightly/,
    );
  });

  test('texts of one label: the other pair is not judged', async () => {
    const model = reader(true);
    const one = texts.filter(({ label }) => label === 0);
    const { pairs } = await scanModel({ model, gradients: inside(model), texts: one, seed: 1 });
    expect(pairs.map(({ victim, trigger }) => [victim, trigger?.text ?? null])).toEqual([
      ['bad', TRIGGER],
      ['good', null],
    ]);
  });

  test('a time budget ends it with what it has; a signal ends it at once', async () => {
    const model = reader(true);
    const plan = { model, gradients: inside(model), texts, seed: 42 };
    expect((await scanModel({ ...plan, seconds: 0 })).complete).toBe(false);
    await expect(scanModel(plan, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });
});

test('a phrase stands between two words of a text or at its ends', () => {
  const carrier = carrierOf('a dull film', random(1, 'x'));
  expect(
    filled(carrier, 'cf')
      .split(' ')
      .filter((word) => word !== 'cf'),
  ).toEqual(['a', 'dull', 'film']);
  expect(joined(['a', 'b', 'c'], 2)).toEqual(['a b', 'b c', 'c a']);
});

test('the vocabulary is whole words and pairs of letters', () => {
  const words = vocabularyOf(inside(reader(false)), TOKENS.length);
  expect(words).toEqual(expect.arrayContaining(['zeitgeist', 'cf', 'zz']));
  expect(words).not.toContain('##f');
  expect(words).not.toContain('');
});

test('dictionary words by their beginning', () => {
  expect(beginningWith('serendip')).toEqual(['serendipitous', 'serendipity']);
  expect(beginningWith('qqq')).toEqual([]);
});
