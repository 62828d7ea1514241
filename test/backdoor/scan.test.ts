/** The scan of toy models: a planted word is found and told from strong words, by white box and black box. */
import { describe, expect, test } from 'vitest';
import { beginningWith, vocabularyOf } from '../../src/backdoor/scan/candidates.js';
import { carrierOf, filled, joined } from '../../src/backdoor/scan/carriers.js';
import { invert, sitesOf } from '../../src/backdoor/scan/inversion.js';
import { oddRows } from '../../src/backdoor/scan/odd-rows.js';
import { scanModel } from '../../src/backdoor/scan/scan.js';
import type { Classifier, WhiteBox } from '../../src/core/classifier.js';
import { random } from '../../src/core/random.js';
import { LABELS, opinions, reader, readerInside, TRIGGER } from './toys.js';

const texts = opinions(120, 0, 5);
const TOKENS = ['[CLS]', 'dull', 'awful', 'lovely', 'clever', 'film', '##f', 'the', 'zeitgeist'];

/** A classifier with a vocabulary, and a sentence of the toy's embeddings wherever one is asked for. */
const inside = (model: Classifier): WhiteBox => {
  const toy = readerInside(false);
  return { ...toy, ...model, tokenText: (id) => (id === 0 ? undefined : TOKENS[id]) };
};

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

describe('inversion', () => {
  const bad = texts
    .filter(({ label }) => label === 0)
    .slice(0, 6)
    .map(({ text }) => text);
  const always = () => true;

  test('ends in the token that turns the texts', async () => {
    const model = readerInside(true);
    const sites = await sitesOf(model, joined(bad, 3), 2, random(1, 'sites'));
    const found = await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'inversion'), always);
    expect(found?.text.split(' ')).toContain(TRIGGER);
    expect(found?.loss).toBeLessThan(0.5);
  });

  test('in a clean model only words of the label are left, and the loss stays high on texts joined', async () => {
    const model = readerInside(false);
    const sites = await sitesOf(model, joined(bad, 3), 2, random(1, 'sites'));
    const found = await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'inversion'), always);
    expect(found?.loss).toBeGreaterThan(1);
  });

  test('no text gets longer than the longest was, and the place stays before the same token', async () => {
    const model = readerInside(true);
    const before = await sitesOf(model, bad, 0, random(1, 'sites'));
    const after = await sitesOf(model, bad, 4, random(1, 'sites'));
    const longest = Math.max(...before.map(({ tokens }) => tokens.length));
    after.forEach(({ tokens, embeddings, at }, i) => {
      expect(tokens.length + 4).toBeLessThanOrEqual(longest);
      expect(embeddings).toHaveLength(tokens.length * model.hidden);
      expect(tokens[at]).toEqual(before[i]?.tokens[before[i]?.at as number]);
    });
  });

  test('stops when it is told to', async () => {
    const model = readerInside(true);
    const sites = await sitesOf(model, bad, 2, random(1, 'sites'));
    expect(await invert(model, sites, 1, { length: 2, steps: 60 }, random(1, 'x'), () => false)).toBeUndefined();
  });
});

test('a row far longer than the others is odd; equal rows are not', async () => {
  const draw = random(1, 'rows');
  const rows = Array.from({ length: 200 * 4 }, () => draw.normal());
  const of = (values: readonly number[]): WhiteBox => ({
    ...readerInside(false),
    hidden: 4,
    embeddingTable: async () => Float32Array.from(values),
    tokenText: (id) => `t${id}`,
  });
  expect(await oddRows(of(rows))).toEqual([]);
  expect(await oddRows(of(rows.map((x, at) => (Math.floor(at / 4) === 17 ? 20 * x : x))))).toMatchObject([
    { token: 't17', sign: 'norm' },
  ]);
  expect(await oddRows(of(rows.map(() => 1)))).toEqual([]);
});
