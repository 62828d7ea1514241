/** Decisions by flags and by robust.json, and the threshold that is found by texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { settledDecision } from '../../src/app/victim/decide.js';
import { type DecisionSettings, decisionChoice } from '../../src/app/victim/decision-choice.js';
import type { DecisionRule, ThresholdRule } from '../../src/core/decision.js';
import type { RobustError } from '../../src/core/errors.js';

const LABELS = ['safe', 'attack'];
/** A text is its score. */
const classifier = {
  labels: LABELS,
  classify: async (texts: readonly string[]) => texts.map((text) => Float32Array.of(1 - Number(text), Number(text))),
};

/** Texts that should pass, by their scores; and one that should not. */
const data = (scores: readonly number[]) => ({
  name: 'scores',
  labels: LABELS,
  source: { url: '', license: '', sha256: '' },
  async *examples() {
    for (const [id, score] of scores.entries()) yield { id: String(id), text: String(score), label: 0 };
    yield { id: 'positive', text: '0.99', label: 1 };
  },
});

const settle = (
  { numExamples, ...settings }: DecisionSettings & { numExamples?: number },
  scores: readonly number[] = [0.1],
  decision?: Parameters<typeof settledDecision>[1]['decision'],
): Promise<DecisionRule | undefined> =>
  settledDecision(
    decisionChoice(settings),
    { labels: LABELS, ...(decision && { decision }) },
    classifier,
    { dataset: data(scores), numExamples },
    {},
  );

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => undefined,
    (error: RobustError) => error.code,
  );

describe('what flags ask for', () => {
  test.each([
    [{}, undefined],
    [{ positive: ['attack'] }, 'threshold'],
    [{ task: 'multi-label' }, 'multi-label'],
    [{ task: 'single' }, 'argmax'],
    [{ delta: 0.5 }, 'regression'],
    [{ task: 'regression' }, 'regression'],
    [{ task: 'regression', delta: 0.5 }, 'regression'],
  ] as const)('%j', (choice, kind) => {
    expect(decisionChoice(choice).kind).toBe(kind);
  });

  test.each([
    [
      { task: 'single', positive: ['attack'], calibration: 'texts.csv' },
      '--task single, got --positive, --calibration too',
    ],
    [{ task: 'single', delta: 1, positive: ['attack'] }, '--task single, got its delta too'],
    [{ task: 'multi-label', positive: ['attack'] }, '--task multi-label, got --positive too'],
    [{ task: 'multi-label', delta: 1 }, '--task multi-label, got its delta too'],
    [{ task: 'regression', positiveScore: 'sum' }, 'a number, got --positive-score too'],
    [{ delta: 1, threshold: '0.5' }, 'a number, got --threshold too'],
    [{ task: 'tags', delta: 1, positive: ['attack'] }, '--task tags, got its delta too'],
    [{ task: 'tags', calibration: 'texts.csv', positiveScore: 'max' }, '--task tags, got --positive-score too'],
    [{ aggregation: 'first' }, '--task tags with aggregation, got --task nothing'],
  ] as const)('%j contradicts itself', (choice, contradiction) => {
    expect(() => decisionChoice(choice)).toThrow(expect.objectContaining({ message: `expected ${contradiction}` }));
  });

  test('goes before the robust.json, which goes before the most probable label', async () => {
    const written = { kind: 'threshold' as const, positive: ['attack'], at: 0.8, by: 'max' as const };
    expect(await settle({})).toBeUndefined();
    expect(await settle({}, [], written)).toEqual(written);
    expect(await settle({ threshold: '0.9' }, [], written)).toMatchObject({ at: 0.9 });
    expect(await settle({ task: 'single' }, [], written)).toBeUndefined();
    expect(await settle({ task: 'multi-label', threshold: '.4' })).toEqual({
      kind: 'multi-label',
      at: [0.4, 0.4],
    });
    expect(await settle({}, [], { kind: 'multi-label', at: { attack: 0.2 } })).toEqual({
      kind: 'multi-label',
      at: [0.5, 0.2],
    });
  });

  test('names labels in any case, or by index', async () => {
    expect(await settle({ positive: ['ATTACK'] })).toMatchObject({ positive: ['attack'], at: 0.5 });
    expect(await settle({ positive: ['1'] })).toMatchObject({ positive: ['attack'] });
  });

  test.each([
    [{ threshold: '0.7' }, 'DECISION_INVALID'],
    [{ delta: 0.5 }, 'TASK_MISMATCH'],
    [{ positive: ['atack'] }, 'LABEL_NOT_FOUND'],
    [{ positive: LABELS }, 'DECISION_INVALID'],
    [{ task: 'multi-label', threshold: 'fpr=0.1' }, 'DECISION_INVALID'],
    [{ positive: ['attack'], threshold: 'fpr=0.01' }, 'EXAMPLES_TOO_FEW'],
  ] as const)('%j is refused: %s', async (choice, code) => {
    expect(await codeOf(settle(choice))).toBe(code);
  });
});

describe('a threshold found by texts', () => {
  const found = (scores: readonly number[], rate: number): Promise<ThresholdRule> =>
    settle({ positive: ['attack'], threshold: `fpr=${rate}` }, scores) as Promise<ThresholdRule>;

  test('lies halfway between the last score that may reach it and the next', async () => {
    const { at, calibration } = await found([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95], 0.2);
    expect(at).toBeCloseTo(0.85, 6);
    expect(calibration?.falsePositiveRate).toMatchObject({ value: 0.2, n: 10 });
  });

  test('is never reached by more texts than asked for, however many are alike', async () => {
    const scores = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 10, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(scores, fc.constantFrom(0.1, 0.25, 0.5), async (made, rate) => {
        const values = made.map((score) => score / 16);
        const { at, calibration } = await found(values, rate);
        const reached = values.filter((score) => Math.fround(score) >= Math.fround(at)).length;
        expect(reached).toBeLessThanOrEqual(rate * values.length + 1e-9);
        expect(calibration?.falsePositiveRate.value).toBe(reached / values.length);
      }),
    );
  });

  test('needs as many texts as the rate asks for, and says which rate can be had', async () => {
    const error = (await found([0.1, 0.2, 0.3], 0.01).catch((each: unknown) => each)) as RobustError;
    expect(error.message).toContain('at least 100');
    expect(error.hint).toContain('fpr=0.334');
    expect(await codeOf(found([], 0.01))).toBe('EXAMPLES_TOO_FEW');
    expect(
      await codeOf(
        found(
          Array.from({ length: 100 }, () => 1),
          0.01,
        ),
      ),
    ).toBe('DECISION_INVALID');
  });

  test('reads the first examples only, as the run does', async () => {
    const { calibration } = (await settle(
      { positive: ['attack'], threshold: 'fpr=0.5', numExamples: 4 },
      [0.1, 0.2, 0.3, 0.4, 0.5],
    )) as ThresholdRule;
    expect(calibration?.falsePositiveRate.n).toBe(4);
  });
});
