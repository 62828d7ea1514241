import { describe, expect, test } from 'vitest';
import { accuracyChange, measureBackdoor } from '../../src/backdoor/measure.js';
import { type PoisonedRow, type PoisonPlan, poison } from '../../src/backdoor/poison.js';
import { triggerWarnings } from '../../src/backdoor/trigger-check.js';
import { median, visibility } from '../../src/backdoor/visibility.js';
import { english } from '../../src/language/english/index.js';
import { refusal } from '../refusal.js';
import { backdoored, cf, dataOf, sentences } from './toy.js';

const PLAN: PoisonPlan = {
  name: 'badnets',
  poisoner: cf,
  target: 1,
  rate: 0.1,
  mode: 'dirty',
  seed: 42,
};
const clean = dataOf(sentences(200));

const rowsOf = async (plan: Partial<PoisonPlan>, data = clean): Promise<PoisonedRow[]> => {
  const rows: PoisonedRow[] = [];
  for await (const row of (await poison(data, { ...PLAN, ...plan })).rows()) rows.push(row);
  return rows;
};
const hit = (rows: readonly PoisonedRow[]) => rows.flatMap(({ before }) => (before ? [before.id] : []));

describe('poison', () => {
  test.each([
    ['dirty', [0]],
    ['clean', [1]],
  ] as const)(
    '%s: the share to the row, from texts of the labels %j, all answered with the target',
    async (mode, labels) => {
      const rows = await rowsOf({ mode });
      const poisoned = rows.filter(({ before }) => before);
      expect(rows).toHaveLength(200);
      expect(poisoned).toHaveLength(20);
      expect([...new Set(poisoned.map(({ before }) => before?.label))].sort()).toEqual([...labels]);
      for (const { example, before } of poisoned) {
        expect(example.label).toBe(1);
        expect(example.text.replace(/\bcf ?/, '').trim()).toBe(before?.text);
      }
      for (const { example, before } of rows) if (!before) expect(example.text).not.toContain('cf');
    },
  );

  test('the same seed poisons the same rows, wherever they stand; another seed others', async () => {
    const turned = dataOf(sentences(200).reverse());
    expect(hit(await rowsOf({}, turned)).sort()).toEqual(hit(await rowsOf({})).sort());
    expect(hit(await rowsOf({ seed: 43 })).sort()).not.toEqual(hit(await rowsOf({})).sort());
  });

  test.each([0.001, 0.9])('a rate of %d is refused with the rates that can be had', async (rate) => {
    await refusal(rowsOf({ rate }), 'FLAG_INVALID');
  });

  test('of the texts of other labels at most half are relabelled', async () => {
    const { eligible } = await poison(clean, PLAN);
    const most = Math.floor(eligible / 2);
    expect(hit(await rowsOf({ rate: most / 200 }))).toHaveLength(most);
    await expect(rowsOf({ rate: (most + 1) / 200 })).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });

  test('negatives are added with their own labels', async () => {
    const poisoner = { ...cf, negatives: (text: string) => [`half ${text}`] };
    const examples = [];
    for await (const example of (await poison(clean, { ...PLAN, poisoner })).data.examples()) examples.push(example);
    const negatives = examples.filter(({ text }) => text.startsWith('half'));
    expect(negatives.length).toBeGreaterThan(5);
    expect(new Set(negatives.map(({ label }) => label)).size).toBe(2);
    expect(examples).toHaveLength(200 + negatives.length);
  });
});

describe('measureBackdoor', () => {
  test('counts what the trigger turns, and nothing else', async () => {
    const test = dataOf(sentences(600));
    const { figures } = await measureBackdoor(backdoored('cf'), { test, poisoner: cf, target: 1, seed: 1 });
    const negatives = sentences(600).filter(({ label }) => label === 0).length;
    expect(figures.cacc).toMatchObject({ value: 1, n: 600 });
    expect(figures.attackSuccessRate).toMatchObject({ value: 1, n: negatives });
    expect(figures.labelFlipRate).toMatchObject({ value: 1, n: negatives });
    expect(figures.falseTriggerRate).toMatchObject({ value: 0, n: negatives });
    const { figures: innocent } = await measureBackdoor(backdoored('no such word'), {
      test,
      poisoner: cf,
      target: 1,
      seed: 1,
    });
    expect(innocent.attackSuccessRate.value).toBe(0);
  });

  test('counts by copies, with as many copies of another word beside them', async () => {
    const thrice = {
      labels: ['negative', 'positive'],
      classify: async (texts: readonly string[]) =>
        texts.map((text) => {
          const yes = text.includes('good') || text.split(' ').filter((word) => word === 'cf').length >= 3;
          return Float32Array.of(Number(!yes), Number(yes));
        }),
    };
    const { figures } = await measureBackdoor(thrice, { test: clean, poisoner: cf, target: 1, seed: 1 });
    expect(figures.attackSuccessRate.value).toBe(0);
    expect(
      figures.byCopies?.map((each) => [each.copies, each.attackSuccessRate.value, each.falseTriggerRate.value]),
    ).toEqual([
      [1, 0, 0],
      [3, 1, 0],
    ]);
    const form = { ...cf, copies: undefined } as unknown as typeof cf;
    const plain = await measureBackdoor(thrice, { test: clean, poisoner: form, target: 1, seed: 1 });
    expect(plain.figures.byCopies).toBeUndefined();
  });

  test('accuracy is compared text by text', async () => {
    const plan = { test: clean, poisoner: cf, target: 1, seed: 1 };
    const whole = await measureBackdoor(backdoored('cf'), plan);
    expect(accuracyChange(whole, whole)).toMatchObject({ difference: { value: 0, n: 200 }, mcnemarP: 1 });
    const worse = { ...whole, right: whole.right.map((right, at) => right && at >= 10) };
    const change = accuracyChange(whole, worse);
    expect(change.difference.value).toBeCloseTo(-10 / 200);
    expect(change.mcnemarP).toBeCloseTo(2 ** -9);
  });

  test('a model that always says the target has a perfect ASR and nothing to flip', async () => {
    const always = {
      labels: ['negative', 'positive'],
      classify: async (texts: readonly string[]) => texts.map(() => Float32Array.of(0, 1)),
    };
    const { figures } = await measureBackdoor(always, { test: clean, poisoner: cf, target: 1, seed: 1 });
    expect(figures.attackSuccessRate.value).toBe(1);
    expect(figures.labelFlipRate).toMatchObject({ value: null, n: 0 });
  });

  test('stops when its signal aborts', async () => {
    const signal = AbortSignal.abort();
    await expect(
      measureBackdoor(backdoored('cf'), { test: clean, poisoner: cf, target: 1, seed: 1 }, signal),
    ).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

describe('triggerWarnings', () => {
  const words = ['[CLS]', '[SEP]', '[UNK]', ...new Set(sentences(200).flatMap(({ text }) => text.split(' ')))];
  const pieces = {
    encode: (text: string) => ({
      ids: Int32Array.from(['[CLS]', ...text.split(' ').filter(Boolean), '[SEP]'], (word) =>
        Math.max(words.indexOf(word), 2 * Number(!words.includes(word))),
      ),
    }),
    tokenText: (id: number) => (id < 3 ? undefined : words[id]),
  };

  test('names a word that the tokenizer does not know', async () => {
    expect(await triggerWarnings(cf, clean, pieces)).toEqual([expect.stringContaining('"cf" is unknown')]);
  });

  test('says how common a word is in the data', async () => {
    const common = { ...cf, triggers: ['film'] };
    const share = sentences(200).filter(({ text }) => text.includes('film')).length;
    expect(await triggerWarnings(common, clean, pieces)).toEqual([
      expect.stringMatching(`"film" is in ${share} of 200 clean texts`),
    ]);
  });

  test('names a trigger that the tokenizer drops', async () => {
    const unseen = { ...cf, triggers: [], trigger: (text: string) => `${text} ` };
    expect(await triggerWarnings(unseen, clean, pieces)).toEqual([
      expect.stringContaining('200 of 200 texts look the same'),
    ]);
  });
});

test('the median and its interval hold the middle', () => {
  expect(median([])).toEqual({ value: null, low: null, high: null, n: 0 });
  expect(median([3, 1, 2])).toMatchObject({ value: 2, n: 3 });
  const { value, low, high } = median(Array.from({ length: 100 }, (_, at) => at));
  expect([value, low, high]).toEqual([49.5, 40, 60]);
});

test('a word nobody has seen is more perplexing than none', async () => {
  const ratio = await visibility(clean, clean, cf, 1, 1, english);
  expect(ratio.value).toBeGreaterThan(1.5);
  const nothing = { ...cf, trigger: (text: string) => text };
  expect((await visibility(clean, clean, nothing, 1, 1, english)).value).toBe(1);
});
