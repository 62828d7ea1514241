/** Denominators of rates: figures computed by hand, and properties over random outcomes of every kind of victim. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DecisionRule } from '../../src/core/decision.js';
import { BESIDE_GOAL, GOAL_REACHED, type Outcome, STATUSES, TIED_PREDICTION } from '../../src/core/outcome.js';
import { REFUSED } from '../../src/core/refusal.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import type { CombinedRates } from '../../src/results/measures/attack-metrics.js';
import { standingOf } from '../../src/results/measures/attack-rates.js';
import { GENERAL_MEASURES } from '../../src/results/measures/index.js';
import { AttackFold, overallFold } from '../../src/results/metrics.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { decisionMeasures } from '../../src/tasks/measures.js';

const LABELS = ['benign', 'injection'];
const RULES: readonly (readonly [string, DecisionRule | undefined, readonly string[]])[] = [
  ['the most probable label', undefined, LABELS],
  ['a detector', { kind: 'threshold', positive: ['injection'], by: 'max', at: 0.7 }, LABELS],
  ['label sets', { kind: 'multi-label', at: [0.5, 0.5] }, LABELS],
  ['a number', { kind: 'regression', delta: 0.5 }, ['score']],
];

type Fate = Pick<Outcome, 'status' | 'label'> & Partial<Outcome>;

const outcomeOf = (fate: Fate): Outcome => ({
  ...{ id: '1', attack: 'toy', text: 'a text', from: 0, to: 0, scoreBefore: 0.9, scoreAfter: 0.2 },
  ...{ words: 2, changed: 1, queries: { asked: 9, computed: 9 } },
  ...fate,
});

/** The figures of each attack, and of all of them together. `examples`: the outcomes of each example, one an attack. */
function figuresOf(rule: DecisionRule | undefined, labels: readonly string[], examples: readonly (readonly Fate[])[]) {
  const decision = decisionOf(rule, labels);
  const measures = [...decisionMeasures(decision, labels), ...GENERAL_MEASURES];
  const folds = Array.from({ length: examples[0]?.length ?? 0 }, () => new AttackFold(labels, measures));
  const overall = overallFold(decision);
  examples.forEach((fates, index) => {
    fates.forEach((fate, attack) => {
      folds[attack]?.add(outcomeOf(fate), index);
      overall.add(index, outcomeOf(fate));
    });
  });
  return { attacks: folds.map((fold): CombinedRates => ({ ...fold.metrics(), untried: 0 })), any: overall.metrics() };
}

const [correct, wrong]: [Fate, Fate] = [
  { status: 'failed', label: 1 },
  { status: 'skipped', label: 1 },
];
const flipped: Fate = { status: 'succeeded', label: 1, adversarial: 'a txet' };
const unreached: Fate = { status: 'failed', label: 1, reach: 0, reason: 'no editable word' };
const errored: Fate = { status: 'errored', label: 1 };
const others: Fate = { status: 'skipped', label: 0, reason: BESIDE_GOAL };
const times = (n: number, fate: Fate): Fate[][] => Array.from({ length: n }, () => [fate]);

describe('by hand', () => {
  const single = (examples: Fate[][]) => figuresOf(undefined, LABELS, examples).attacks[0];

  test('71 of 100 correct, 37 of them out of reach, no success: 71 % before and under attack', () => {
    expect(single([...times(34, correct), ...times(37, unreached), ...times(29, wrong)])).toMatchObject({
      applicable: false,
      notApplicable: { n: 37 },
      failed: 71,
      originalAccuracy: { value: 0.71, n: 100 },
      accuracyUnderAttack: { value: 0.71, n: 100 },
      attackSuccessRate: { value: 0, n: 71 },
    });
  });

  test('an example that errors is in neither rate', () => {
    expect(single([[flipped], ...times(3, correct), ...times(2, errored), ...times(4, wrong)])).toMatchObject({
      originalAccuracy: { value: 4 / 8, n: 8 },
      accuracyUnderAttack: { value: 3 / 8, n: 8 },
      attackSuccessRate: { value: 1 / 4, n: 4 },
    });
  });

  test('a tie is wrong before an attack and kept under it', () => {
    const tiedBefore: Fate = { ...wrong, reason: TIED_PREDICTION };
    expect(single([[flipped], [{ status: 'tied', label: 1 }], [tiedBefore]])).toMatchObject({
      originalAccuracy: { value: 2 / 3, n: 3 },
      accuracyUnderAttack: { value: 1 / 3, n: 3 },
    });
  });

  test.each([BESIDE_GOAL, GOAL_REACHED, REFUSED])('skipped because %s: in no rate', (reason) => {
    expect(standingOf({ status: 'skipped', reason })).toBeUndefined();
    expect(single([[flipped], [correct], [{ ...wrong, reason }]])).toMatchObject({
      originalAccuracy: { value: 1, n: 2 },
      accuracyUnderAttack: { value: 1 / 2, n: 2 },
      notConcerned: 1,
    });
  });

  test("a detector's recall is over its positives, its false positives over its negatives", () => {
    const [, rule] = RULES[1] as (typeof RULES)[number];
    const negative = (fate: Fate): Fate[] => [{ ...fate, label: 0 }];
    const examples = [
      ...[[flipped], [flipped], ...times(5, correct), ...times(3, wrong), [errored]],
      ...[negative(flipped), ...times(6, { ...correct, label: 0 }), negative(wrong)],
    ];
    const { attacks, any } = figuresOf(rule, LABELS, examples);
    for (const rates of [attacks[0], any]) {
      expect(rates).toMatchObject({
        originalRecall: { value: 7 / 10, n: 10 },
        recallUnderAttack: { value: 5 / 10, n: 10 },
        evasionRate: { value: 2 / 7, n: 7 },
        originalFalsePositiveRate: { value: 1 / 8, n: 8 },
        falsePositiveRateUnderAttack: { value: 2 / 8, n: 8 },
        alarmRate: { value: 1 / 7, n: 7 },
        originalAccuracy: { value: 14 / 18, n: 18 },
      });
    }
  });

  test('an attack on the positives alone says nothing of the negatives', () => {
    const [, rule] = RULES[1] as (typeof RULES)[number];
    const { any } = figuresOf(rule, LABELS, [[flipped], [correct], [wrong], [others]]);
    expect(any).toMatchObject({ originalRecall: { value: 2 / 3, n: 3 }, recallUnderAttack: { value: 1 / 3, n: 3 } });
    expect(any).not.toHaveProperty('alarmRate');
    expect(any).not.toHaveProperty('originalFalsePositiveRate');
  });

  test('together an example is flipped when any attack flipped it, and left out when one errored and none flipped it', () => {
    const { any } = figuresOf(undefined, LABELS, [
      [flipped, errored],
      [correct, flipped],
      [errored, correct],
      [unreached, correct],
      [wrong, wrong],
    ]);
    expect(any).toMatchObject({
      originalAccuracy: { value: 3 / 4, n: 4 },
      accuracyUnderAttack: { value: 1 / 4, n: 4 },
      attackSuccessRate: { value: 2 / 3, n: 3 },
    });
  });
});

const SKIP_REASONS = [undefined, TIED_PREDICTION, BESIDE_GOAL, GOAL_REACHED, REFUSED];

/** An example under two attacks: what precedes the search is the same for both. */
const example: fc.Arbitrary<readonly Fate[]> = fc
  .record({ label: fc.nat(1), skipped: fc.option(fc.constantFrom(...SKIP_REASONS), { nil: null }) })
  .chain(({ label, skipped }): fc.Arbitrary<readonly Fate[]> => {
    if (skipped !== null) {
      const fate: Fate = { status: 'skipped', label, ...(skipped && { reason: skipped }) };
      return fc.constant([fate, fate]);
    }
    const attacked = STATUSES.filter((status) => status !== 'skipped');
    const fate = fc
      .record({ status: fc.constantFrom(...attacked), reach: fc.constantFrom(undefined, 0, 0.04) })
      .map(
        ({ status, reach }): Fate => ({ status, label, ...(status === 'failed' && reach !== undefined && { reach }) }),
      );
    return fc.array(fate, { minLength: 2, maxLength: 2 });
  });

const count = ({ value, n }: Rate): number => Math.round((value ?? 0) * n);

describe.each(RULES)('of %s, whatever becomes of the examples', (_, rule, labels) => {
  const of = (examples: readonly (readonly Fate[])[]) => {
    const { attacks, any } = figuresOf(rule, labels, examples);
    return [...attacks, any];
  };

  test('rates are over the same examples, and differ by the successes', () => {
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 30 }), (examples) => {
        for (const rates of of(examples)) {
          const { originalAccuracy: before, accuracyUnderAttack: under, attackSuccessRate: success } = rates;
          expect(under.n).toBe(before.n);
          expect(success.n).toBe(count(before));
          expect(count(under)).toBe(count(before) - count(success));
          const { originalRecall, recallUnderAttack, evasionRate } = rates;
          if (originalRecall && recallUnderAttack && evasionRate) {
            expect(recallUnderAttack.n).toBe(originalRecall.n);
            expect(count(recallUnderAttack)).toBe(count(originalRecall) - count(evasionRate));
          }
          const { originalFalsePositiveRate: raised, falsePositiveRateUnderAttack: raisedUnder, alarmRate } = rates;
          if (raised && raisedUnder && alarmRate) {
            expect(raisedUnder.n).toBe(raised.n);
            expect(count(raisedUnder)).toBe(count(raised) + count(alarmRate));
          }
        }
      }),
    );
  });

  test('without a success nothing changes', () => {
    const failing = example.map((fates) =>
      fates.map((fate): Fate => (fate.status === 'succeeded' ? { ...fate, status: 'failed' } : fate)),
    );
    fc.assert(
      fc.property(fc.array(failing, { minLength: 1, maxLength: 30 }), (examples) => {
        for (const rates of of(examples)) {
          expect(rates.accuracyUnderAttack).toEqual(rates.originalAccuracy);
          expect(rates.recallUnderAttack).toEqual(rates.originalRecall);
          expect(rates.falsePositiveRateUnderAttack).toEqual(rates.originalFalsePositiveRate);
        }
      }),
    );
  });
});
