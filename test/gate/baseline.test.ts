import { describe, expect, test } from 'vitest';
import type { Outcome, Status } from '../../src/core/outcome.js';
import { judgeChanges } from '../../src/gate/changes.js';
import {
  type Baseline,
  baselineOf,
  baselineText,
  compareBaseline,
  isBetter,
  parseBaseline,
} from '../../src/gate/index.js';
import { proportion } from '../../src/results/comparison/paired-figures.js';
import type { Report } from '../../src/results/report/report.js';
import { refusal } from '../refusal.js';
import { attack, report } from './toys.js';

const STATUS: Record<string, Status> = {
  ...{ '1': 'succeeded', '0': 'failed', s: 'skipped', '-': 'errored' },
  u: 'failed',
};

/** A run in which the attack `a` did this to each example: a letter an example, as the baseline writes it. */
function run(letters: string, rest: Partial<Report> = {}, fingerprint: Record<string, unknown> = {}): Report {
  return report([{ ...attack('a', null, 1, 1), constraints: ['at most 3 edits'] }], {
    examples: (async function* () {
      for (const [at, letter] of [...letters].entries()) {
        yield {
          ...{ id: `r${at}`, attack: 'a', status: STATUS[letter] as Status, text: `secret ${at}`, label: 1, to: 0 },
          ...{
            from: letter === 's' ? 0 : 1,
            scoreBefore: 1,
            scoreAfter: 0,
            adversarial: 'secret too',
            words: 2,
            changed: 1,
          },
          ...(letter === 'u' && { reason: 'no word in the text' }),
          queries: { asked: 9, computed: 9 },
        } satisfies Outcome;
      }
    })(),
    provenance: {
      ...{ created: '', hardware: '', platform: '', versions: {}, config: null, settings: {} },
      fingerprint: { model: 'sha', toolVersion: '1', data: 'data-sha', seed: 42, ...fingerprint },
    },
    ...rest,
  });
}

const of = (...args: Parameters<typeof run>): Promise<Baseline> => baselineOf(run(...args));
const allowed = { file: 'b.json', maxIncrease: 0.03, maxErrorRate: 0.02, minExamples: 1 };
const compared = async (then: Promise<Baseline>, now: Promise<Baseline>, rest = {}) =>
  compareBaseline(await then, await now, { ...allowed, ...rest });

/** n letters, the first k of them 1. */
const broken = (k: number, n: number): string => '1'.repeat(k) + '0'.repeat(n - k);

test('a baseline has no texts, and comes back as it was', async () => {
  const baseline = await of('10s-u');
  expect(baseline).toMatchObject({
    model: { name: 'toy' },
    fingerprint: { data: 'data-sha', seed: 42 },
    ids: ['r0', 'r1', 'r2', 'r3', 'r4'],
    clean: '11011',
    attacks: [{ name: 'a', constraints: ['at most 3 edits'], outcomes: '10s-u' }],
  });
  expect(baseline.fingerprint).not.toHaveProperty('model');
  const text = baselineText(baseline);
  expect(text).not.toContain('secret');
  expect(parseBaseline(text, 'b.json')).toEqual(baseline);
});

describe('a change', () => {
  test('that is significant and large fails', async () => {
    const result = await compared(of(broken(20, 200)), of(broken(60, 200)));
    expect(result.verdict).toBe('failed');
    const [clean, change] = result.changes;
    expect(clean).toMatchObject({ name: 'clean', metric: 'accuracy', verdict: 'passed', adjustedP: 1 });
    expect(change).toMatchObject({
      ...{ name: 'a', worse: 40, better: 0, verdict: 'failed', baseline: { value: 0.1 }, current: { value: 0.3 } },
      difference: { value: 0.2, n: 200 },
    });
    // One-sided: half of 2 * 0.5^40; by Holm among two.
    expect(change!.p).toBeCloseTo(0.5 ** 40, 20);
    expect(change!.adjustedP).toBeCloseTo(2 * 0.5 ** 40, 20);
  });

  test.each([
    ['not significant', broken(10, 30), broken(13, 30), {}],
    ['within what is allowed', broken(20, 1000), broken(45, 1000), {}],
    ['allowed by the rule', broken(20, 200), broken(60, 200), { maxIncrease: 0.25 }],
    ['for the better', broken(60, 200), broken(20, 200), {}],
    ['none', broken(60, 200), broken(60, 200), {}],
  ])('%s passes', async (_, then, now, rest) => {
    expect((await compared(of(then), of(now), rest)).verdict).toBe('passed');
  });

  test('of the accuracy counts too, as skipped examples would hide it', async () => {
    const result = await compared(of('0'.repeat(100)), of('s'.repeat(30) + '0'.repeat(70)));
    expect(result).toMatchObject({
      verdict: 'failed',
      changes: [
        { name: 'clean', worse: 30, verdict: 'failed' },
        { name: 'a', verdict: 'passed' },
      ],
    });
  });

  test('without examples in both, or with too many errors, is inconclusive', async () => {
    expect((await compared(of('ss00'), of('00ss'))).changes[1]).toMatchObject({
      verdict: 'inconclusive',
      difference: { n: 0 },
    });
    const errored = await compared(of('0'.repeat(100)), of('0'.repeat(90) + '-'.repeat(10)));
    expect(errored.changes[1]).toMatchObject({
      verdict: 'inconclusive',
      reason: '10 of 100 examples errored',
    });
    expect(errored.verdict).toBe('inconclusive');
  });

  test('on few examples is inconclusive, whatever they say', async () => {
    const least = { minExamples: 30 };
    const worse = await compared(of('0'.repeat(29)), of('1'.repeat(29)), least);
    expect(worse.changes[1]).toMatchObject({
      verdict: 'inconclusive',
      reason: 'both have it for 29 examples, expected at least 30',
    });
    expect((await compared(of('0'.repeat(30)), of('1'.repeat(30)), least)).verdict).toBe('failed');
  });
});

test('Holm: of many attacks one alone must be the more significant', () => {
  const rate = (onlyA: number, onlyB: number) =>
    proportion(
      { metric: 'attackSuccessRate', higherIsBetter: false },
      { both: 10, onlyA, onlyB, neither: 90 - onlyA - onlyB },
    );
  const quiet = { figure: rate(5, 5) };
  const loud = { name: 'loud', figure: rate(3, 12) };
  const many = Array.from({ length: 9 }, (_, at) => ({ ...quiet, name: `quiet ${at}` }));
  expect(judgeChanges([loud], 0.03, 30)[0]!.verdict).toBe('failed');
  expect(judgeChanges([loud, ...many], 0.03, 30)[0]!.verdict).toBe('passed');
});

describe('refused', () => {
  const now = () => of('10');
  test.each<[string, Promise<Baseline>]>([
    ['another model', of('10', { model: { name: 'other', sha256: 'x', labels: [] } })],
    ['other data', of('10', {}, { data: 'other' })],
    ['another seed and budget', of('10', {}, { seed: 1, queryBudget: 5 })],
    ['other examples', of('100')],
    ['other constraints', of('10', { attacks: [{ ...attack('a', null, 1, 1), constraints: ['none'] }] })],
    ['other attacks', of('10', { attacks: [attack('b', null, 1, 1)] })],
  ])('%s', async (_, then) => {
    await refusal(compared(then, now()), 'BASELINE_MISMATCH');
  });

  test('a renamed model is taken when it is named', async () => {
    const then = of('10', { model: { name: 'other', sha256: 'x', labels: [] } });
    expect((await compared(then, now(), { model: 'other' })).verdict).toBe('passed');
  });

  test.each([
    '',
    '{}',
    '[]',
    'null',
    '{"kind":"robust-baseline"}',
    '{"kind":"robust-baseline","ids":["1"],"clean":"","attacks":[]}',
    '{"kind":"robust-baseline","schemaVersion":2}',
  ])('no baseline: %s', async (text) => {
    await refusal(() => parseBaseline(text, 'b.json'));
  });

  test('a run that is not whole, empty, or does not say what it is of', async () => {
    await refusal(of('10', { partial: ['shard 1 of 2 is missing'] }));
    await refusal(of(''));
    const { provenance: _, ...unknown } = run('10');
    await refusal(baselineOf(unknown));
  });
});

describe('label sets', () => {
  /** 100 texts, all threats, and 10 insults among them; `lost` insults are not found, `errored` texts were not answered. */
  const labels = ['insult', 'threat'];
  const moderation = (lost: number, errored = 0): Promise<Baseline> =>
    baselineOf(
      run('', {
        model: { name: 'toy', sha256: 'x', labels, decision: { kind: 'multi-label', at: [0.5, 0.5] } },
        examples: (async function* () {
          for (let at = 0; at < 100; at++) {
            const truth = at < 10 ? [0, 1] : [1];
            const found = at < lost ? [1] : truth;
            const unanswered = at >= 100 - errored;
            yield {
              ...{ id: `r${at}`, attack: 'a', text: '', words: 2, changed: 1 },
              ...{ label: truth[0] as number, labels: truth },
              ...{ status: unanswered ? 'errored' : 'failed', from: unanswered ? -1 : (found[0] as number), to: 1 },
              ...{ fromLabels: unanswered ? [] : found, scoreBefore: unanswered ? 0 : 0.9, scoreAfter: 0.9 },
              queries: { asked: 9, computed: 9 },
            } satisfies Outcome;
          }
        })(),
      }),
    );

  test('a label of which there are few texts is a warning: its own figures do not count, F1 does', async () => {
    const least = { minExamples: 30 };
    const same = await compared(moderation(0), moderation(0), least);
    const own = same.changes.filter(({ metric }) => metric.startsWith('labelSets.perLabel.insult'));
    expect(same.verdict).toBe('passed');
    expect(own).toEqual([
      expect.objectContaining({ metric: 'labelSets.perLabel.insult.recall', verdict: 'inconclusive', level: 'warn' }),
      expect.objectContaining({ metric: 'labelSets.perLabel.insult.falsePositiveRate', verdict: 'passed' }),
    ]);
    // All texts are threats: there is no false positive rate of it.
    expect(same.changes.map(({ metric }) => metric)).not.toContain('labelSets.perLabel.threat.falsePositiveRate');
    const worse = await compared(moderation(0), moderation(9), least);
    expect(worse.changes.filter(({ verdict }) => verdict === 'failed').map(({ metric }) => metric)).toEqual([
      'accuracy',
      'microF1',
      'macroF1',
    ]);
  });

  test('a text that was not answered is no empty set', async () => {
    const { clean, decision } = await moderation(0, 5);
    expect(clean).toBe(`${'1'.repeat(95)}-----`);
    expect(decision?.answers).toMatchObject({ labels: [{}, { found: `${'1'.repeat(95)}-----` }] });
    const spoilt = await compared(moderation(0), moderation(0, 5));
    expect(spoilt.verdict).toBe('inconclusive');
    expect(spoilt.changes[0]?.reason).toBe('5 of 100 examples errored');
  });

  test('a damaged decision is refused', async () => {
    const text = baselineText(await moderation(0));
    const { decision, ...rest } = JSON.parse(text);
    for (const broken of [
      { ...decision, answers: { kind: 'regression', truth: [], answers: [] } },
      { ...decision, answers: { kind: 'multi-label', labels: [{ label: 'insult', truth: '1', found: '1' }] } },
      { ...decision, rule: { kind: 'other' } },
      { ...decision, labels: ['insult', 'other'] },
    ])
      await refusal(() => parseBaseline(JSON.stringify({ ...rest, decision: broken }), 'b.json'));
    expect(parseBaseline(text, 'b.json').decision).toEqual(decision);
  });
});

test('a ratchet moves when something is better and nothing worse', async () => {
  expect(isBetter(await compared(of('1100'), of('1000')))).toBe(true);
  expect(isBetter(await compared(of('1100'), of('1100')))).toBe(false);
  expect(isBetter(await compared(of('1100'), of('10s0')))).toBe(false);
});
