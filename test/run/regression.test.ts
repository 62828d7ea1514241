/** Victims that answer one number: figures by hand, goals, runs, and what is refused of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../src/core/dataset.js';
import type { DecisionRule, NumberDecision } from '../../src/core/decision.js';
import { regressionFold, regressionMetrics } from '../../src/results/clean/regression-metrics.js';
import { AnswerFile } from '../../src/run/answer-file.js';
import { attack, createRun, openRun } from '../../src/run/index.js';
import { readReport } from '../../src/run/report.js';
import { goals, usualGoal } from '../../src/search/goals.js';
import { decisionOf } from '../../src/tasks/decide.js';
import { folder, robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { bytesOf, planOf, runsIn } from './toys.js';

const RULE: DecisionRule = { kind: 'regression', delta: 1 };
const number = decisionOf(RULE, ['stars']) as NumberDecision;
const goalOf = (name: string, options: object = {}) =>
  goals.find((each) => each.name === name)!.create({ confidence: 0, ...options }, ['stars'], number);

describe('figures', () => {
  test('by hand: errors, correlations, their intervals', () => {
    const { meanAbsoluteError, pearson, spearman } = regressionMetrics([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 7, 7]);
    // Errors 1 1 1 1 2 1: mean 7/6, standard error sqrt((5/36 + 25/36) / 5 / 6) = 1/6.
    expect(meanAbsoluteError!.value).toBeCloseTo(7 / 6, 12);
    expect(meanAbsoluteError!.high - meanAbsoluteError!.value).toBeCloseTo(1.959963984540054 / 6, 12);
    expect(pearson!.value).toBeCloseTo(21 / Math.sqrt(17.5 * 32), 12);
    // Fisher: tanh(atanh r -+ 1.95996 / sqrt 3).
    expect(pearson!.low).toBeCloseTo(0.2713, 3);
    expect(pearson!.high).toBeCloseTo(0.9876, 3);
    // Two sevens share the ranks 5 and 6.
    expect(spearman!.value).toBeCloseTo(15 / Math.sqrt(17.5 * 17), 12);
    expect(spearman!.n).toBe(6);
  });

  test('a constant has no correlation, nor have three texts; no error is below 0', () => {
    expect(regressionMetrics([1, 2, 3, 4], [2, 2, 2, 2])).toEqual({
      meanSquaredError: { value: 1.5, low: expect.any(Number), high: expect.any(Number), n: 4 },
      meanAbsoluteError: expect.anything(),
    });
    expect(Object.keys(regressionMetrics([1, 2, 3], [1, 2, 4]))).toEqual(['meanSquaredError', 'meanAbsoluteError']);
    expect(regressionMetrics([0, 0, 0, 9], [0, 0, 0, 0]).meanAbsoluteError!.low).toBe(0);
    expect(regressionMetrics([], [])).toEqual({});
  });

  test('intervals hold their value, and ranks know only order', () => {
    const pairs = fc.array(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 })), {
      minLength: 4,
      maxLength: 30,
    });
    fc.assert(
      fc.property(pairs, (list) => {
        const [a, b] = [list.map(([x]) => x), list.map(([, y]) => y)];
        const found = regressionMetrics(a, b);
        for (const { value, low, high } of Object.values({ ...found })) {
          expect(low).toBeLessThanOrEqual(value + 1e-12);
          expect(high).toBeGreaterThanOrEqual(value - 1e-12);
        }
        const bent = regressionMetrics(
          a,
          b.map((y) => y ** 3),
        );
        expect(bent.spearman).toEqual(found.spearman);
      }),
    );
  });

  test('accuracy counts what lies within delta; a constant answer is degenerate', () => {
    const fold = regressionFold(number);
    for (const [value, answer] of [
      [3, 3.5],
      [3, 4],
      [3, 1.5],
      [2, 2.9],
    ] as const)
      fold.add({ label: 0, value }, [answer]);
    expect(fold.metrics()).toMatchObject({ accuracy: { value: 0.5, n: 4 }, perClass: [], confusion: [] });
    const same = regressionFold(number);
    for (let value = 0; value < 12; value++) same.add({ label: 0, value }, [5]);
    expect(same.metrics().degenerate).toEqual(['its scores are the same for all 12 texts']);
    expect(() => same.add({ label: 0 }, [5])).toThrow(RangeError);
  });
});

describe('the goal', () => {
  const truth = { label: 0, value: 3 };
  const from = Float32Array.of(3.25);
  const of = (direction: string) => goalOf('moved', { direction }).of!(truth, from)!.goal;

  test.each([
    ['up', [4.25], [4.2, 2]],
    ['down', [2.25], [2.3, 4.5]],
    ['either', [4.25, 2.25, 9], [4.2, 2.3]],
  ] as const)('%s: reached a delta away, and not before', (direction, reached, missed) => {
    for (const answer of reached) expect(of(direction).reached(Float32Array.of(answer), 0), `${answer}`).toBe(true);
    for (const answer of missed) expect(of(direction).reached(Float32Array.of(answer), 0), `${answer}`).toBe(false);
  });

  test('its score grows with the distance, and stays between 0 and 1', () => {
    const up = of('up');
    const scores = [-40, 3, 3.25, 3.5, 4.25, 80].map((answer) => up.score(Float32Array.of(answer), 0));
    expect(scores).toEqual([...scores].sort((a, b) => a - b));
    expect(new Set(scores).size).toBe(scores.length);
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(scores[2]).toBe(0.5);
  });

  test('is the usual one of numbers, of them alone, and other goals are not', async () => {
    expect(usualGoal(number)).toBe('moved');
    expect(goalOf('moved').of!({ label: 0, value: 9 }, from)).toBeUndefined();
    for (const name of ['untargeted', 'evade', 'alarm', 'label-lost', 'label-gained'])
      expect(() => goalOf(name), name).toThrow(expect.objectContaining({ code: 'GOAL_UNSUPPORTED' }));
    expect(() => goalOf('targeted', { label: 'stars' })).toThrow(expect.objectContaining({ code: 'GOAL_UNSUPPORTED' }));
    const labelled = goals.find(({ name }) => name === 'moved')!;
    await refusal(() => labelled.create({ direction: 'up' }, ['no', 'yes']));
  });
});

/** Each "o" is worth half a star. */
const stars = {
  labels: ['stars'],
  classify: async (texts: readonly string[]) =>
    texts.map((text) => Float32Array.of((text.match(/o/g)?.length ?? 0) / 2 + 1)),
};
const TEXTS = [
  'good cool food book',
  'so so',
  'dull',
  'a good film of old',
  'look who knows',
  'too good',
  'no',
  'oh no',
];
const truths = [5, 2.25, 1, 3.1, 9, 3, 1.5, 2.2];
const rated: Dataset = {
  name: 'rated',
  labels: stars.labels,
  source: { url: '', license: '', sha256: 'rated' },
  async *examples() {
    for (const [id, text] of TEXTS.entries()) yield { id: String(id), text, label: 0, value: truths[id]! };
  },
};

describe('a run', () => {
  const plan = planOf({
    model: { classifier: stars, name: 'stars', sha256: 'model-sha', decision: RULE },
    dataset: rated,
    goal: goalOf('moved'),
  });

  test('attacks predictions within delta, and new queries confirm the distance of its successes', async () => {
    const run = await createRun(runsIn(), plan);
    const report = await attack(plan, run);
    const lines = bytesOf(run)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set(['succeeded', 'failed', 'skipped']));
    for (const { id, status, value, scoreBefore, scoreAfter, adversarial, text } of lines) {
      expect(value).toBe(truths[Number(id)]);
      expect(scoreBefore).toBe((await stars.classify([text]))[0]![0]);
      expect(status === 'skipped').toBe(Math.abs(scoreBefore - value) >= 1);
      if (status !== 'succeeded') continue;
      const [row] = await stars.classify([adversarial]);
      expect(row![0]).toBe(scoreAfter);
      expect(Math.abs(scoreAfter - scoreBefore)).toBeGreaterThanOrEqual(1);
    }
    const mine = lines.filter((each) => each.attack === 'mangle' && each.status !== 'skipped');
    const shifts = mine.map(({ scoreBefore, scoreAfter }) => scoreAfter - scoreBefore);
    const { shift } = report.attacks[0] as unknown as { shift: { mean: { value: number; n: number } } };
    expect(shift.mean.n).toBe(mine.length);
    expect(shift.mean.value).toBeCloseTo(shifts.reduce((a, b) => a + b, 0) / mine.length, 9);
    expect(report.clean.regression?.meanAbsoluteError?.n).toBe(TEXTS.length);
    expect(report.clean.macroF1).toBeUndefined();
    const again = await readReport(await openRun(run.path.replace(/\/[^/]+$/, ''), run.id));
    expect(again.overall).toEqual(report.overall);
    expect(again.clean).toEqual(report.clean);
  });

  test('keeps true numbers to the last bit for a resumed one', () => {
    const path = join(folder(), 'answers.bin');
    const write = new AnswerFile(path, 1, 'resume', () => {}, 'value');
    write.append([{ example: { id: '0', text: 'x', label: 0, value: 0.1 }, row: Float32Array.of(7) }]);
    write.close();
    const read = new AnswerFile(path, 1, 'resume', () => {}, 'value');
    expect(read.read(0)).toEqual({ label: 0, value: 0.1, row: Float32Array.of(7) });
    read.close();
    const bytes = readFileSync(path);
    bytes[9]! ^= 1;
    writeFileSync(path, bytes);
    const damaged = new AnswerFile(path, 1, 'resume', () => {}, 'value');
    expect(damaged.count).toBe(0);
    damaged.close();
  });
});

describe('the command line', () => {
  const module = `export default { labels: ['stars'], classify: async (texts) => texts.map((t) => [(t.match(/o/g) ?? []).length / 2 + 1]) };`;
  const data = ['text\tscore', ...TEXTS.map((text, at) => `${text}\t${truths[at]}`)].join('\n');
  const cwd = folder({ 'stars.mjs': module, 'rated.tsv': `${data}\n`, 'torn.tsv': 'text\tscore\na\t1\nb\tmany\n' });
  const call = (...args: string[]) => robust([...args], { cwd });
  const asked = ['-m', './stars.mjs', '-d', 'rated.tsv', '--task', 'delta=1'];

  test('evaluates and attacks, and leaves out by name what works on labels', async () => {
    const evaluated = JSON.parse((await call('evaluate', ...asked, '--json')).stdout);
    expect(evaluated.result.clean.regression.meanAbsoluteError.n).toBe(TEXTS.length);
    expect(evaluated.result.model.decision).toEqual(RULE);
    const { code, stdout } = await call('attack', ...asked, '-s', 'typos', '-s', 'gradients', '--json');
    const { ok, result } = JSON.parse(stdout);
    expect([code, ok]).toEqual([0, true]);
    expect(result.attacks.some(({ shift }: { shift?: unknown }) => shift !== undefined)).toBe(true);
    expect(result.leftOut.map(({ reason }: { reason: string }) => reason)).toContain(
      'works on labels, and the victim answers a number',
    );
    await robust(['report', result.run, '-o', 'report.md'], { cwd });
    const page = readFileSync(join(cwd, 'report.md'), 'utf8');
    for (const part of [/Mean absolute error/, /answers move by/, /true: \d/]) expect(page).toMatch(part);
  });

  test.each([
    [['--task', 'delta=1', '--positive', 'stars'], 2, /got --positive/],
    [['--task', 'single:delta=1'], 2, /got its delta/],
    [['--task', 'delta=1', '-a', 'input-reduction'], 2, /works on labels/],
    [['--task', 'delta=1', '--goal', 'untargeted'], 2, /needs labels/],
    [['--task', 'delta=1', '--defend', 'spelling'], 2, /expected a model of labels/],
    [['--task', 'delta=1', '-d', 'torn.tsv'], 3, /torn.tsv:3: expected a number, got "many"/],
    [['--task', 'delta=-1'], 2, /delta/],
    [[], 3, /default export/],
  ] as const)('%j is refused', async (more, exit, says) => {
    const given = more.includes('-d' as never) ? [] : ['-d', 'rated.tsv'];
    const { code, stderr } = await call('attack', '-m', './stars.mjs', ...given, ...more);
    expect(stderr).toMatch(says);
    expect(code).toBe(exit);
  });
});
