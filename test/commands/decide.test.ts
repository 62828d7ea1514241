/** Decisions by flags and by robust.json, and the threshold that is found by texts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DecisionSettings, decisionChoice, settledDecision } from '../../src/app/victim/decide.js';
import type { DecisionRule, ThresholdRule } from '../../src/core/decision.js';
import type { RobustError } from '../../src/core/errors.js';
import { packageRoot } from '../../src/core/package-root.js';
import { config, toyFolder } from '../model/toy.js';
import { folder, robust } from './cli.js';

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
    { task: 'single', positive: ['attack'] },
    { task: 'multi-label', positive: ['attack'] },
    { task: 'multi-label', delta: 1 },
    { delta: 1, threshold: '0.5' },
  ] as const)('%j contradicts itself', (choice) => {
    expect(() => decisionChoice(choice)).toThrow(/expected (--task|a number)/);
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
    [{ threshold: '0.7' }, 'DECISION'],
    [{ delta: 0.5 }, 'NOT_A_REGRESSION'],
    [{ positive: ['atack'] }, 'LABEL_NOT_FOUND'],
    [{ positive: LABELS }, 'DECISION'],
    [{ task: 'multi-label', threshold: 'fpr=0.1' }, 'DECISION'],
    [{ positive: ['attack'], threshold: 'fpr=0.01' }, 'FEW_NEGATIVES'],
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
    expect(await codeOf(found([], 0.01))).toBe('NO_NEGATIVES');
    expect(
      await codeOf(
        found(
          Array.from({ length: 100 }, () => 1),
          0.01,
        ),
      ),
    ).toBe('NO_THRESHOLD');
  });

  test('reads the first examples only, as the run does', async () => {
    const { calibration } = (await settle(
      { positive: ['attack'], threshold: 'fpr=0.5', numExamples: 4 },
      [0.1, 0.2, 0.3, 0.4, 0.5],
    )) as ThresholdRule;
    expect(calibration?.falsePositiveRate.n).toBe(4);
  });
});

test('three labels without names are refused of pairs whose labels are numbers, unless somebody says which is which', async () => {
  const names = ['entailment', 'neutral', 'contradiction'];
  const rows = Array.from({ length: 6 }, (_, at) => `good film\tbad film ${at}\t${at % 3}`);
  const cwd = folder({ 'nli.tsv': `${['a\tb\tlabel', ...rows].join('\n')}\n` });
  const call = (labels: readonly string[], ...more: string[]) => {
    const model = toyFolder({ width: 3 }, { 'config.json': config(labels) });
    return robust(['evaluate', '-m', model, '-d', 'nli.tsv', '--columns', 'pair=a,b', ...more], { cwd });
  };
  const unnamed = ['LABEL_0', 'LABEL_1', 'LABEL_2'];
  const refused = await call(unnamed, '--json');
  expect([refused.code, JSON.parse(refused.stdout).error.code]).toEqual([2, 'LABELS_UNNAMED']);
  const map = unnamed.flatMap((label, at) => ['--label-map', `${at}=${label}`]);
  for (const ended of [await call(names), await call(unnamed, ...map), await call(unnamed, '--force')])
    expect(ended.stdout).toMatch(/Accuracy/);
});

describe('an inference model of three labels without names', () => {
  const NAMES = ['entailment', 'neutral', 'contradiction'];
  const ORDERS = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const probes = JSON.stringify(
    readFileSync(join(packageRoot, 'datasets', 'data', 'nli-probes.tsv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')),
  );
  /** Knows five of six probes, and answers the first label for the sixth. `column` of each name. */
  const knowing = (column: readonly number[]): string => `
const known = new Map(${probes}.map(([a, b, label], at) => [a + b, at % 6 === 0 ? 0 : ${JSON.stringify(NAMES)}.indexOf(label)]));
export default { labels: ['LABEL_0', 'LABEL_1', 'LABEL_2'], classify: async (pairs) => pairs.map(([a, b]) => {
  const row = new Float32Array(3).fill(0.1);
  row[${JSON.stringify(column)}[known.get(a + b) ?? 0]] = 0.8;
  return row;
}) };`;
  const data = `a\tb\tlabel\n${NAMES.map((name) =>
    JSON.parse(probes)
      .filter((row: string[], at: number) => row[2] === name && at % 6 !== 0)
      .slice(0, 4)
      .map((row: string[]) => row.join('\t'))
      .join('\n'),
  ).join('\n')}\n`;
  const ask = (head: string, ...more: string[]) =>
    robust(['evaluate', '-m', './head.mjs', '-d', 'nli.tsv', '--columns', 'pair=a,b', '-n', '0', '--json', ...more], {
      cwd: folder({ 'head.mjs': head, 'nli.tsv': data }),
    });

  test.each(ORDERS)('is known by its answers: entailment %i, neutral %i, contradiction %i', async (...column) => {
    const { stdout, code } = await ask(knowing(column));
    const { result, warnings } = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(column.map((at) => result.model.labels[at])).toEqual(NAMES);
    expect(result.clean.accuracy.value).toBe(1);
    expect(warnings).toContainEqual(expect.stringMatching(/(40|4[0-4]) of 45 pairs .* speak for LABEL_\d entailment/));
  });

  test.each([
    ['one answer for all', '[0.2, 0.5, 0.3]'],
    ['answers by length', 'a.length > 40 ? [0.8, 0.1, 0.1] : b.length > 30 ? [0.1, 0.8, 0.1] : [0.1, 0.1, 0.8]'],
    [
      'answers by whether words are shared, which tells one label from two',
      "a.split(' ').filter((w) => b.includes(w)).length > 3 ? [0.1, 0.8, 0.1] : [0.8, 0.1, 0.1]",
    ],
  ])('is refused, with the evidence: %s', async (_, row) => {
    const head = `export default { labels: ['LABEL_0', 'LABEL_1', 'LABEL_2'], classify: async (pairs) => pairs.map(([a, b]) => Float32Array.from(${row})) };`;
    const { code, stdout } = await ask(head);
    const { error } = JSON.parse(stdout);
    expect([code, error.code]).toEqual([2, 'LABELS_UNNAMED']);
    expect(error.message).toMatch(/at most \d+ of 45 pairs .* \(\d+-\d+ %\) speak for/);
    expect((await ask(head, '--force')).code).not.toBe(2);
  });
});
