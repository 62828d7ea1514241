/** The plan of a review: what is drawn, and blindness: ids and order are independent of the kind of a text. */
import { expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import { allocate } from '../../src/review/draw.js';
import { makePlan } from '../../src/review/make-plan.js';
import { countTexts, firstReadings, opaqueId } from '../../src/review/plan.js';
import { orderOf } from '../../src/review/session.js';
import { intervalWidth, textsForWidth } from '../../src/review/width.js';
import { HASH, outcome, planned, subject, successes } from './toys.js';

const countBy = <T>(list: readonly T[], key: (each: T) => unknown): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const each of list) counts[String(key(each))] = (counts[String(key(each))] ?? 0) + 1;
  return counts;
};

test('the number of texts follows from the width of the interval: 381 texts for 0.1, whatever the share is', () => {
  expect(textsForWidth(0.1)).toBe(381);
  for (const width of [0.05, 0.1, 0.2, 0.25, 0.5]) {
    const texts = textsForWidth(width);
    expect(intervalWidth(texts)).toBeLessThanOrEqual(width);
    for (let kept = 0; kept <= texts; kept += Math.max(1, texts >> 3)) {
      const { low, high } = wilson(kept, texts);
      expect((high as number) - (low as number)).toBeLessThanOrEqual(width + 1e-9);
    }
    expect(intervalWidth(texts - 1)).toBeGreaterThan(width);
  }
});

test('attacks and classes have equal parts; a third of controls; every tenth text twice', async () => {
  const plan = await planned();
  const first = firstReadings(plan);
  const texts = first.filter(({ kind }) => kind === 'adversarial');
  expect(countBy(texts, ({ attack }) => attack)).toEqual({ typos: 30, synonyms: 30 });
  expect(countBy(texts, ({ attack, truth }) => `${attack} ${truth}`)).toEqual({
    ...{ 'typos 0': 15, 'typos 1': 15, 'synonyms 0': 15, 'synonyms 1': 15 },
  });
  const controls = first.filter(({ kind }) => kind === 'original');
  expect(countBy(controls, ({ truth }) => truth)).toEqual({ 0: 10, 1: 10 });
  expect(
    controls.every(
      ({ attack, original, text }) => attack === undefined && original === undefined && text.includes('as it was'),
    ),
  ).toBe(true);
  const shownAgain = plan.items.filter(({ repeats }) => repeats !== undefined);
  expect(shownAgain).toHaveLength(8);
  for (const { repeats, id: _, ...rest } of shownAgain) {
    expect(first.find(({ id }) => id === repeats)).toMatchObject(rest);
  }
});

test('no reader sees an original and an adversarial text of one example, as long as there are enough', async () => {
  const plan = await planned();
  const originals = new Set(plan.items.flatMap(({ kind, example }) => (kind === 'original' ? [example] : [])));
  expect(plan.items.filter(({ kind, example }) => kind === 'adversarial' && originals.has(example))).toEqual([]);
});

test('the same seed gives the same plan, another seed another one; a larger plan contains every smaller one', async () => {
  const plan = await planned();
  expect(await planned()).toEqual(plan);
  expect((await planned({ seed: 7 })).key).not.toBe(plan.key);
  for (const texts of [61, 75, 121, 400]) {
    const larger = await planned({ texts });
    expect(larger.key).toBe(plan.key);
    expect(countTexts(larger)).toBe(texts);
    expect(larger.items).toEqual(expect.arrayContaining(plan.items as unknown[]));
  }
});

test('a run with few successes: all of them are drawn; failures, errors and attacks with another goal are not', async () => {
  const outcomes = [
    ...successes(4, 'typos'),
    outcome(4, 'typos', { status: 'failed' }),
    outcome(5, 'typos', { status: 'errored' }),
    ...successes(6, 'slow').map((each) => ({ ...each, attack: 'goal' })),
  ];
  const of = subject(outcomes);
  const attacks = of.attacks.map((each) => (each.name === 'goal' ? { ...each, ownGoal: true as const } : each));
  const plan = await makePlan({ ...of, attacks }, { texts: 60, seed: 1 });
  expect(countBy(firstReadings(plan), ({ kind, attack }) => `${kind} ${attack}`)).toEqual({
    'adversarial typos': 4,
    'original undefined': 5,
  });
  expect(plan.attacks.map(({ name }) => name)).toEqual(['typos']);
});

test('texts are shared out over attacks as far as each has some', () => {
  const available = new Map([
    ['a', 3],
    ['b', 100],
    ['c', 100],
  ]);
  expect(Object.fromEntries(allocate(20, available))).toEqual({ a: 3, b: 9, c: 8 });
  expect(Object.fromEntries(allocate(500, available))).toEqual({ a: 3, b: 100, c: 100 });
});

test.each([
  ['no success', () => subject([outcome(0, 'typos', { status: 'failed' })]), 'EXAMPLES_TOO_FEW'],
  [
    'a model of numbers',
    () => subject(successes(3, 'typos'), { labels: ['stars'], rule: { kind: 'regression', delta: 0.5 } as const }),
    'RUN_UNSUPPORTED',
  ],
])('%s is refused', async (_, of, code) => {
  const made = makePlan(of(), { texts: 10, seed: 1 });
  await expect(made).rejects.toMatchObject({ code, exit: code === 'EXAMPLES_TOO_FEW' ? 3 : 2 });
});

test('a detector asks whether the text is what it detects; its truth is yes or no', async () => {
  const rule = { kind: 'threshold', positive: ['positive'], at: 0.5, by: 'max' } as const;
  const plan = await makePlan(subject(successes(30, 'typos'), { rule }), { texts: 10, seed: 1 });
  expect(plan.question).toEqual({
    kind: 'detection',
    prompt: 'Is this text positive?',
    options: [{ name: 'yes' }, { name: 'no' }],
  });
  for (const { example, truth } of plan.items) expect(truth).toBe(Number(example.slice(1)) % 2 === 1 ? 0 : 1);
});

test('ids are no function of what readers know: key, seed, attacks and examples do not give them', async () => {
  const plan = await planned();
  const guesses = new Set(
    plan.items.flatMap(({ example, attack = '' }) =>
      ['first', 'again'].flatMap((which) => [
        opaqueId(plan.key, String(plan.seed), which, attack, example),
        opaqueId(plan.run, String(plan.seed), which, attack, example),
      ]),
    ),
  );
  expect(plan.items.filter(({ id }) => guesses.has(id))).toEqual([]);
  expect(plan.resultsSha256).toBe(HASH);
});

test('ids and order are independent of kind, attack and class: over many seeds each comes as often in each place', async () => {
  const seen: { group: string; place: number; letter: number }[] = [];
  for (let seed = 0; seed < 60; seed++) {
    const plan = await planned({ seed, texts: 30 }, 60);
    for (const [at, item] of orderOf(plan, 'reader-1').entries()) {
      for (const group of [item.kind, `repeat ${item.repeats !== undefined}`, `${item.attack} ${item.truth}`]) {
        seen.push({ group, place: at / (plan.items.length - 1), letter: item.id.charCodeAt(0) });
      }
    }
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0) / list.length;
  const all = mean(seen.map(({ letter }) => letter));
  for (const group of new Set(seen.map((each) => each.group))) {
    const own = seen.filter((each) => each.group === group);
    // Five standard errors of the mean of uniform places.
    expect(Math.abs(mean(own.map(({ place }) => place)) - 0.5), group).toBeLessThan(5 * Math.sqrt(1 / 12 / own.length));
    expect(Math.abs(mean(own.map(({ letter }) => letter)) - all), group).toBeLessThan(
      (5 * 7.5) / Math.sqrt(own.length),
    );
  }
});

test('readers have different orders, each the same at every time', async () => {
  const plan = await planned();
  const ids = (reader: string): string[] => orderOf(plan, reader).map(({ id }) => id);
  expect(ids('reader-1')).toEqual(ids('reader-1'));
  expect(ids('reader-1')).not.toEqual(ids('reader-2'));
  expect(ids('reader-1').toSorted()).toEqual(ids('reader-2').toSorted());
});
