/**
 * Simulated panels: texts keep their label at a known rate, readers err at a known rate. The figures must recover the rates within their
 * intervals, name lazy and hostile readers, and refuse a conclusion without enough evidence. ROBUST_PANELS=1000 runs more panels.
 */
import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { binomialTail } from '../../src/core/statistics/stats.js';
import { reviewFigures } from '../../src/review/figures.js';
import { makePlan } from '../../src/review/make-plan.js';
import { firstReadings, type ReviewPlan } from '../../src/review/plan.js';
import { checkReaders } from '../../src/review/readers.js';
import { keptShare, readTexts } from '../../src/review/votes.js';
import { careful, drawFrom, journal, keptTexts, outcome, planned, subject } from './toys.js';

const PANELS = Number(process.env.ROBUST_PANELS ?? 200);
/** The figures of docs/research/review.md. */
const print = process.env.ROBUST_PANELS === undefined ? () => {} : console.log;
const coin = (plan: ReviewPlan, name: string, seed: number) => {
  const draws = drawFrom(seed, name);
  return journal(plan, name, () => draws.int(2));
};
const opposite = (plan: ReviewPlan, name: string) => journal(plan, name, ({ truth }) => 1 - (truth as number));
const plan = await planned();
const texts = firstReadings(plan).filter(({ kind }) => kind === 'adversarial');
const all = (seed: number, rate: number, noise: number, readers = ['anna', 'ben', 'cem']) => {
  const kept = keptTexts(plan, seed, rate);
  return readers.map((name) => careful(plan, name, kept, noise, seed));
};

/** Chance that three readers who each err with probability `noise` decide as is true. */
const majority = (noise: number): number => (1 - noise) ** 3 + 3 * (1 - noise) ** 2 * noise;

test.each([
  [0.95, 0.02],
  [0.8, 0.05],
  [0.5, 0.1],
])(`of ${PANELS} panels at least 95 %% recover a rate of %d with errors of %d within the interval`, (rate, noise) => {
  // Three readers whose errors do not depend on the text shift the rate a little; the interval is about what such readers decide.
  const expected = rate * majority(noise) + (1 - rate) * (1 - majority(noise));
  let covered = 0;
  for (let seed = 0; seed < PANELS; seed++) {
    const { low, high } = keptShare(readTexts(texts, all(seed, rate, noise)), random(seed, 'interval'));
    covered += Number((low as number) <= expected && expected <= (high as number));
  }
  print(`rate ${rate}, errors ${noise}: ${covered} of ${PANELS} intervals cover the rate`);
  // A true coverage of 95 % gives fewer than this in one of a thousand series.
  expect(1 - binomialTail(covered + 1, PANELS, 0.95)).toBeGreaterThan(0.001);
});

test(`a hostile reader is always named and left out, a lazy one in at least 90 % of ${PANELS} panels, careful ones in at most 2 %`, () => {
  const found = { coin: 0, opposite: 0, careful: 0 };
  for (let seed = 0; seed < PANELS; seed++) {
    const readers = checkReaders(plan, [...all(seed, 0.8, 0.05), coin(plan, 'dora', seed), opposite(plan, 'emil')]);
    const reason = (name: string) => readers.find(({ journal: { header } }) => header.reader === name)?.leftOut;
    found.coin += Number(reason('dora') !== undefined);
    found.opposite += Number(/below chance/.test(reason('emil') ?? ''));
    found.careful += ['anna', 'ben', 'cem'].filter((name) => reason(name) !== undefined).length / 3;
  }
  print(
    `of ${PANELS} panels, named: hostile ${found.opposite}, lazy ${found.coin}, careful ${found.careful.toFixed(1)}`,
  );
  expect(found.opposite).toBe(PANELS);
  expect(found.coin).toBeGreaterThanOrEqual(0.9 * PANELS);
  expect(found.careful).toBeLessThanOrEqual(0.02 * PANELS);
});

describe('readers who do not read', () => {
  const leftOut = (...journals: Parameters<typeof reviewFigures>[1]) =>
    reviewFigures(plan, journals).review.readers.map((each) => each.leftOut ?? '');
  test('one answer to everything', () => {
    expect(leftOut(journal(plan, 'anna', () => 1))[0]).toMatch(/answers are the same/);
  });
  test('answers faster than anybody reads', () => {
    expect(leftOut(journal(plan, 'anna', ({ truth }) => truth, { seconds: 0.2 }))[0]).toMatch(/faster than/);
    expect(leftOut(journal(plan, 'anna', ({ truth }) => truth, { seconds: 3 }))[0]).toBe('');
  });
  test('their answers change no figure', () => {
    const three = all(1, 0.8, 0.05);
    const { review } = reviewFigures(plan, three);
    const { review: other } = reviewFigures(plan, [...three, opposite(plan, 'emil')]);
    expect({ ...other, readers: other.readers.slice(0, 3) }).toEqual(review);
  });
});

describe('the verdict', () => {
  const verdictOf = (...journals: Parameters<typeof reviewFigures>[1]) => {
    const { verdict, reasons } = reviewFigures(plan, journals).review;
    return [verdict, reasons.join('; ')];
  };
  test('careful readers: conclusive', () => {
    expect(verdictOf(...all(1, 0.8, 0.03))).toEqual(['conclusive', '']);
  });
  test('one careful reader, who agrees with the data on originals and with himself: conclusive', () => {
    expect(verdictOf(...all(1, 0.8, 0, ['anna']))[0]).toBe('conclusive');
  });
  test('nobody has read', () => {
    expect(verdictOf()).toEqual(['inconclusive', 'no person has read a text']);
  });
  test('too few texts', () => {
    const kept = keptTexts(plan, 1, 0.8);
    const some = new Set(
      firstReadings(plan)
        .slice(0, 30)
        .map(({ id }) => id),
    );
    const few = journal(plan, 'anna', ({ id, truth }) => (some.has(id) && kept.has(id) ? truth : undefined));
    expect(verdictOf(few)[1]).toMatch(/decided \d+ texts, expected at least 30/);
  });
  test('originals of one label: readers who give it to every text prove nothing', async () => {
    const outcomes = Array.from({ length: 200 }, (_, at) => outcome(2 * at, 'typos'));
    const made = await makePlan(subject(outcomes), { texts: 60, seed: 42 });
    const lazy = ['anna', 'ben'].map((name) => journal(made, name, () => 0));
    const { verdict, reasons, labelKept } = reviewFigures(made, lazy).review;
    expect([verdict, labelKept.value]).toEqual(['inconclusive', 1]);
    expect(reasons).toContain(
      'all untouched originals have one label: a reader who always gives it cannot be recognised',
    );
  });
  test('readers who do not agree: alpha below 0.5', () => {
    const texts = (name: string, seed: number) => {
      const draws = drawFrom(seed, name);
      return journal(plan, name, ({ kind, truth }) => (kind === 'original' ? truth : draws.int(2)));
    };
    expect(verdictOf(texts('anna', 1), texts('ben', 2), texts('cem', 3))[1]).toMatch(/do not agree: alpha/);
  });
  test('most texts unclear', () => {
    const unsure = (name: string) =>
      journal(plan, name, ({ kind, truth, id }) => (kind === 'original' || id < 'm' ? truth : null));
    expect(verdictOf(unsure('anna'), unsure('ben'))[1]).toMatch(/texts are unclear/);
  });
});

test('a model never counts as a reader; its agreement with people is a column of its own', () => {
  const people = all(1, 0.8, 0.02);
  const { review } = reviewFigures(plan, people);
  const model = journal(plan, 'judge-1', ({ truth }) => truth, { kind: 'model' });
  const { review: judged, attacks } = reviewFigures(plan, [...people, model]);
  expect(judged.labelKept).toEqual(review.labelKept);
  expect(judged.agreement).toEqual(review.agreement);
  expect(attacks.get('typos')).toEqual(reviewFigures(plan, people).attacks.get('typos'));
  expect(judged.judges).toMatchObject([{ name: 'judge-1', labelKept: { value: 1, n: 60 }, originals: { value: 1 } }]);
  expect(judged.judges?.[0]?.agreement.value).toBeCloseTo(review.labelKept.value as number, 10);
  expect(reviewFigures(plan, [model]).review).toMatchObject({
    labelKept: { value: null, n: 0 },
    verdict: 'inconclusive',
  });
});
