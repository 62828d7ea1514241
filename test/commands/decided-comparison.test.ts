/**
 * Two releases of a model, compared: {compare, baseline save and diff, gate --baseline} x {single, detector, label sets, pairs, number}. Each
 * answer is written down, so that every figure below is computed by hand; the words must be those of the decision.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import type { JudgedChange } from '../../src/results/report/verdict.js';
import { scene, thing } from '../scenes.js';
import { folder, robust } from './cli.js';

const N = 80;
const at = Array.from({ length: N }, (_, index) => index);
const even = (index: number): boolean => index % 2 === 0;

/** A release's answers to each text and to an edited one. The attack keeps the last character. */
interface Release {
  readonly labels: readonly string[];
  readonly scores: (index: number) => readonly number[];
  readonly edited: Readonly<Record<string, readonly number[]>>;
}

interface Kind {
  readonly flags: readonly string[];
  /** The last character of each text. */
  readonly end: (index: number) => string;
  /** Each text's true label in the data set. */
  readonly truth: (index: number) => string;
  readonly a: Release;
  /** The later release, which is worse. */
  readonly b: Release;
  /** Figures without an attack: a, b. */
  readonly clean: Readonly<Record<string, readonly [number, number]>>;
  /** The figure under attack: a, b. */
  readonly attacked: readonly [metric: 'recallUnderAttack' | 'accuracyUnderAttack', a: number, b: number];
  /** The figures that fail the gate. */
  readonly fails: readonly string[];
  /** Must be said in the comparison. */
  readonly says: readonly RegExp[];
  /** Must not be said anywhere. */
  readonly never: RegExp;
}

const text = (index: number, end: string): string => `the ${scene(index)} beside a ${thing(index * 7 + 3)}${end}`;
const pair = (wrong: (index: number) => boolean): Release => ({
  labels: ['no', 'yes'],
  scores: (index) => (even(index) === wrong(index) ? [0.9, 0.1] : [0.1, 0.9]),
  // A failed attack: the true label stays.
  edited: { '!': [0.1, 0.9], '?': [0.9, 0.1], '.': [0.9, 0.1], ';': [0.1, 0.9] },
});
/** Yes at even places; half of the attacks fail. */
const ends = (index: number): string => (index % 4 < 2 ? (even(index) ? '!' : '?') : even(index) ? '.' : ';');
const single = {
  end: ends,
  truth: (index) => (even(index) ? 'yes' : 'no'),
  // a misreads the last 8, b the last 20, of each half.
  a: pair((index) => index >= 72),
  b: pair((index) => index >= 60),
  clean: { accuracy: [72 / 80, 60 / 80] },
  attacked: ['accuracyUnderAttack', 36 / 80, 30 / 80],
  fails: ['clean.accuracy'],
  says: [/clean accuracy 90\.0 → 75\.0 %/, /deepwordbug: accuracy under attack 45\.0 → 37\.5 %/],
  never: /recall|false positive|decide/i,
} as const satisfies Omit<Kind, 'flags'>;

const detector = (found: number, alarms: number, at: number): Release => ({
  labels: ['benign', 'injection'],
  // The first 40 are injections.
  scores: (index) => {
    const score = index < 40 ? (index < 26 ? 0.9 : index < found ? at : 0.2) : index < 40 + alarms ? 0.7 : 0.1;
    return [1 - score, score];
  },
  edited: { '!': [0.1, 0.9], '.': [0.9, 0.1] },
});

const sets = (lost: (index: number) => boolean): Release => ({
  labels: ['insult', 'threat'],
  scores: (index) => [
    index < 40 || (index >= 70 && index < 78) ? 0.9 : 0.1,
    index >= 30 && index < 70 && !lost(index) ? 0.9 : 0.1,
  ],
  edited: { '!': [0.9, 0.9], '.': [0.1, 0.1] },
});

const numbers = (odd: number): Release => ({
  labels: ['score'],
  scores: (index) => [index / 16 + (even(index) ? 0.1 : odd)],
  edited: { '.': [99] },
});

const KINDS: Readonly<Record<string, Kind>> = {
  single: { ...single, flags: [] },
  pairs: { ...single, flags: ['--columns', 'pair=first,second'] },
  detector: {
    flags: ['--positive', 'injection', '--threshold', '0.5'],
    end: (index) => (index < 20 ? '!' : '.'),
    truth: (index) => (index < 40 ? 'injection' : 'benign'),
    // a: 36 of 40 at 0.9 and 0.6, 4 at 0.2. b: 26 at 0.9, 14 at 0.2. Both: 4 negatives at 0.7, 36 at 0.1.
    a: detector(36, 4, 0.6),
    b: detector(26, 4, 0.6),
    clean: {
      recall: [36 / 40, 26 / 40],
      falsePositiveRate: [4 / 40, 4 / 40],
      precision: [36 / 40, 26 / 30],
      // Pairs of a positive and a negative in order: (26 * 40 + 14 * 36) / 1600 of both, for 0.6 and 0.2 both lie between 0.1 and 0.7.
      auroc: [(26 * 40 + 14 * 36) / 1600, (26 * 40 + 14 * 36) / 1600],
      averagePrecision: [26 / 40 + (10 / 40) * (36 / 40) + (4 / 40) * (40 / 44), 26 / 40 + (14 / 40) * (40 / 44)],
    },
    attacked: ['recallUnderAttack', 20 / 40, 20 / 40],
    fails: ['clean.recall'],
    says: [
      /Both decide: injection from a score of 0\.5 on\./,
      /recall 90\.0 → 65\.0 % \(-25\.0/,
      /false positive rate 10\.0 → 10\.0 %/,
      /precision 90\.0 → 86\.7 %/,
      /area under ROC 0\.965 → 0\.965/,
      /deepwordbug: recall under attack 50\.0 → 50\.0 %/,
    ],
    never: /accuracy/i,
  },
  'label sets': {
    flags: ['--task', 'multi-label', '--columns', 'label=label'],
    end: (index) => (even(index) ? '!' : '.'),
    truth: (index) => (index < 30 ? 'insult' : index < 40 ? 'insult,threat' : index < 70 ? 'threat' : ''),
    a: sets(() => false),
    // b misses the threat of 12 texts, of which 10 are insults too.
    b: sets((index) => index >= 30 && index < 42),
    clean: {
      accuracy: [72 / 80, 60 / 80],
      microF1: [160 / 168, 136 / 156],
      macroF1: [(80 / 88 + 1) / 2, (80 / 88 + 56 / 68) / 2],
      'labelSets.perLabel.insult.recall': [1, 1],
      'labelSets.perLabel.insult.falsePositiveRate': [8 / 40, 8 / 40],
      'labelSets.perLabel.threat.recall': [1, 28 / 40],
      'labelSets.perLabel.threat.falsePositiveRate': [0, 0],
    },
    attacked: ['accuracyUnderAttack', 35 / 70, 34 / 70],
    fails: ['clean.accuracy', 'clean.microF1', 'clean.macroF1', 'clean.labelSets.perLabel.threat.recall'],
    says: [
      /Both decide: each label from a score of 0\.5 on\./,
      /sets correct 90\.0 → 75\.0 %/,
      /micro F1 95\.2 → 87\.2 %/,
      /macro F1 95\.5 → 86\.6 %/,
      /threat: recall +100\.0 % +70\.0 %/,
      /deepwordbug: found labels kept 50\.0 → 48\.6 %/,
    ],
    never: /accuracy under|clean accuracy/i,
  },
  number: {
    flags: ['--task', 'regression:delta=0.5'],
    end: () => '.',
    truth: (index) => String(index / 16),
    a: numbers(0.1),
    b: numbers(0.4),
    clean: {
      accuracy: [1, 1],
      'regression.meanSquaredError': [0.01, 0.085],
      'regression.meanAbsoluteError': [0.1, 0.25],
      // numpy.corrcoef, of the numbers and of their ranks.
      'regression.pearson': [1, 0.9946688395682678],
      'regression.spearman': [1, 0.9964135021097047],
    },
    attacked: ['accuracyUnderAttack', 0, 0],
    fails: ['clean.regression.meanSquaredError', 'clean.regression.meanAbsoluteError'],
    says: [
      /within 0\.5 of the true number 100\.0 → 100\.0 %/,
      /mean squared error 0\.010 → 0\.085 \(\+0\.075/,
      /Pearson's r 1\.000 → 0\.995/,
      /deepwordbug: within 0\.5, not moved 0\.0 → 0\.0 %/,
    ],
    never: /accuracy/i,
  },
};

const moduleOf = ({ labels, scores, edited }: Release, end: Kind['end']): string =>
  `const known = new Map(${JSON.stringify(at.map((index) => [text(index, end(index)), scores(index)]))});
const edited = ${JSON.stringify(edited)};
export default { labels: ${JSON.stringify(labels)}, classify: async (texts) => texts.map((given) => {
  const text = Array.isArray(given) ? given[1] : given;
  return Float32Array.from(known.get(text) ?? edited[text.at(-1)] ?? ${JSON.stringify(Object.values(edited)[0])}); }) };`;

const close = (value: number) => expect.objectContaining({ value: expect.closeTo(value, 5) });

describe.each(Object.entries(KINDS))('%s', (name, kind) => {
  const paired = name === 'pairs';
  const row = (index: number): string =>
    [...(paired ? ['the premise'] : []), text(index, kind.end(index)), kind.truth(index)].join('\t');
  const cwd = folder({
    'data.tsv': `${paired ? 'first\tsecond' : 'text'}\tlabel\n${at.map(row).join('\n')}\n`,
    'a.mjs': moduleOf(kind.a, kind.end),
    'b.mjs': moduleOf(kind.b, kind.end),
  });
  const line = ['-d', 'data.tsv', '-a', 'deepwordbug', '-n', '0', '-q', '--force', ...kind.flags];
  let report: ComparisonReport;
  let [runA, runB] = ['', ''];
  beforeAll(async () => {
    const { code, stdout, stderr } = await robust(['compare', './a.mjs', './b.mjs', ...line, '--json'], { cwd });
    expect([code, stderr]).toEqual([0, '']);
    report = JSON.parse(stdout).result;
    [runA, runB] = report.models.map(({ run }) => run) as [string, string];
  });

  test('compare: the figures of the decision, on the screen and in every format', async () => {
    const figures = report.figures ?? [{ ...report.clean, metric: 'accuracy' }];
    expect(Object.fromEntries(figures.map(({ metric, a, b }) => [metric, [a, b]]))).toEqual(
      Object.fromEntries(Object.entries(kind.clean).map(([metric, [a, b]]) => [metric, [close(a), close(b)]])),
    );
    const [metric, a, b] = kind.attacked;
    const [attacked] = report.attacks;
    expect(metric === 'recallUnderAttack' ? attacked?.recallUnderAttack : attacked).toMatchObject({
      ...{ a: close(a), b: close(b) },
    });
    const files = ['c.md', 'c.html', 'c.xml', 'c.csv', 'c.sarif'];
    const again = await robust(['compare', runA, runB, ...files.flatMap((file) => ['-o', file])], {
      cwd,
      env: { COLUMNS: '120' },
    });
    const screen = again.stdout.replace(/\s+/g, ' ');
    for (const words of kind.says) expect(screen).toMatch(words);
    const written = files.map((file) =>
      readFileSync(join(cwd, file), 'utf8').replace(/<(style|script)[\s\S]*?<\/\1>/g, ''),
    );
    // CSV and SARIF name a figure as the requirements of a gate do: `accuracy` is the share within delta there.
    for (const each of [screen, ...written.slice(0, 3)]) expect(each).not.toMatch(kind.never);
  });

  test('baseline save and diff, and the gate: worse is worse, and the way back passes', async () => {
    // The same model in a later release.
    const saved = await robust(['baseline', 'save', runA], { cwd });
    expect(saved.code).toBe(0);
    const models = [0, 1].map(
      (which) =>
        JSON.parse(readFileSync(join(cwd, '.robust/runs', [runA, runB][which] as string, 'run.json'), 'utf8')).model
          .name,
    );
    const against = (model: string): string[] => ['--baseline', 'robust.baseline.json', '--baseline', `model=${model}`];
    const diff = JSON.parse(
      (await robust(['baseline', 'diff', runB, ...against(models[0]), '--json'], { cwd })).stdout,
    ).result;
    const of = (changes: readonly JudgedChange[]) => changes.filter(({ name: each }) => each === 'clean');
    expect(
      Object.fromEntries(of(diff.changes).map(({ metric, baseline, current }) => [metric, [baseline, current]])),
    ).toEqual(Object.fromEntries(Object.entries(kind.clean).map(([metric, [a, b]]) => [metric, [close(a), close(b)]])));
    expect(diff.verdict).toBe('failed');
    const gated = await robust(['gate', runB, ...against(models[0]), '--json'], { cwd });
    const { changes } = JSON.parse(gated.stdout).result.baseline as { changes: readonly JudgedChange[] };
    const failed = changes.filter(({ verdict }) => verdict === 'failed').map((each) => `${each.name}.${each.metric}`);
    expect({ code: gated.code, failed: failed.slice(0, kind.fails.length) }).toEqual({ code: 1, failed: kind.fails });
    const screen = (await robust(['gate', runB, ...against(models[0])], { cwd })).stdout;
    for (const metric of kind.fails) expect(screen).toMatch(new RegExp(`^failed +${metric}`, 'm'));
    const shown = (await robust(['baseline', 'diff', runB, ...against(models[0])], { cwd })).stdout;
    if (name === 'detector') expect(shown).not.toMatch(/accuracy/);
    if (name === 'number')
      expect(shown).toContain('clean.accuracy (within 0.5 of the true number) against the baseline');
    if (name === 'label sets') expect(shown).toContain('clean.accuracy (sets correct) against the baseline');
    await robust(['baseline', 'save', runB], { cwd });
    const back = JSON.parse(
      (await robust(['baseline', 'diff', runA, ...against(models[1]), '--json'], { cwd })).stdout,
    ).result;
    expect(back.changes.filter(({ verdict }: JudgedChange) => verdict === 'failed')).toEqual([]);
  });
});

describe('two decisions', async () => {
  // 40 injections: 26 at 0.9, 10 at 0.6, 4 at 0.2; 40 benign texts: 10 at 0.7, 30 at 0.1. Both thresholds are right on 66 of 80.
  const guard = detector(36, 10, 0.6);
  const { end, truth } = KINDS.detector as Kind;
  const rows = (texts: readonly number[]): string =>
    `text\tlabel\n${texts.map((index) => `${text(index, end(index))}\t${truth(index)}`).join('\n')}\n`;
  const cwd = folder({ 'data.tsv': rows(at), 'few.tsv': rows(at.slice(0, 60)), 'guard.mjs': moduleOf(guard, end) });
  const json = async (...args: string[]) => {
    const { code, stdout } = await robust([...args, '--json'], { cwd });
    return { code, document: JSON.parse(stdout) };
  };
  const runOn = async (data: string, ...flags: string[]): Promise<string> => {
    const args = ['attack', '-m', './guard.mjs', '-d', data, '-a', 'deepwordbug', '-n', '0', '-q', ...flags];
    return (await json(...args)).document.result.run;
  };
  const run = (...flags: string[]): Promise<string> => runOn('data.tsv', ...flags);
  const positive = ['--positive', 'injection'];
  const loose = await run(...positive, '--threshold', '0.5');
  const strict = await run(...positive, '--threshold', '0.85');

  test('one detector at two thresholds: the same accuracy, and both recall and false positives say what changed', async () => {
    const { code, document } = await json('compare', loose, strict, '-o', 'c.md', '-o', 'c.html');
    const { clean, figures, decisions, decisionDifference, attacks } = document.result as ComparisonReport;
    expect(code).toBe(0);
    expect([clean.a.value, clean.b.value]).toEqual([66 / 80, 66 / 80]);
    expect(decisions?.map((rule) => rule.kind === 'threshold' && rule.at)).toEqual([0.5, 0.85]);
    expect(decisionDifference).toMatchObject({ kind: 'moved', a: 'injection from a score of 0.5 on' });
    const of = (metric: string) => figures?.find((each) => each.metric === metric);
    expect(of('recall')).toMatchObject({ a: { value: 36 / 40, n: 40 }, b: { value: 26 / 40, n: 40 } });
    // McNemar: 10 changed one way, 2 * 0.5^10; Holm: the second smallest of five p-values.
    expect(of('recall')).toMatchObject({ p: 2 * 0.5 ** 10, adjustedP: 4 * 2 * 0.5 ** 10 });
    expect(of('falsePositiveRate')).toMatchObject({ a: { value: 10 / 40 }, b: { value: 0 }, p: 2 * 0.5 ** 10 });
    expect(of('precision')).toMatchObject({ a: { value: 36 / 46 }, b: { value: 1 } });
    expect(of('auroc')).toMatchObject({ difference: { value: 0, low: 0, high: 0 }, p: 1 });
    expect(attacks[0]?.recallUnderAttack).toMatchObject({ a: { value: 20 / 40 }, b: { value: 20 / 40 } });
    for (const file of ['c.md', 'c.html']) {
      const page = readFileSync(join(cwd, file), 'utf8')
        .replace(/<[^>]*>|\\/g, '')
        .replace(/\s+/g, ' ');
      expect(page).toMatch(
        /The decisions differ\. \S+ decides: injection from a score of 0\.5 on; \S+: injection from a score of 0\.85 on\./,
      );
      expect(page).toMatch(/false positive rate 25\.0 → 0\.0 %/);
    }
  });

  test('the gate refuses a baseline of another decision, and one of a recall that fell fails', async () => {
    expect((await json('baseline', 'save', loose)).code).toBe(0);
    const baseline = ['--baseline', 'robust.baseline.json'];
    const other = await json('gate', strict, ...baseline);
    expect({ code: other.code, error: other.document.error }).toMatchObject({
      code: 2,
      error: {
        code: 'BASELINE_MISMATCH',
        message: expect.stringContaining(
          'decision (was injection from a score of 0.5 on, is injection from a score of 0.85 on)',
        ),
      },
    });
    expect((await json('gate', loose, ...baseline)).code).toBe(0);
    // One that does not say what was decided.
    const file = join(cwd, 'robust.baseline.json');
    const { decision: _, ...older } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(join(cwd, 'older.json'), JSON.stringify({ ...older, toolVersion: '0.0.1' }));
    const silent = await json('gate', loose, '--baseline', 'older.json');
    expect(silent.document.error?.message).toMatch(/decision \(was not noted by robust 0\.0\.1, is injection/);
  });

  test('thresholds that one rule found are compared, and named', async () => {
    const found = await run(...positive, '--threshold', 'fpr=0.1');
    await json('baseline', 'save', found, '--baseline', 'fpr.json');
    const file = join(cwd, 'fpr.json');
    const saved = JSON.parse(readFileSync(file, 'utf8'));
    saved.decision.rule.at = 0.75;
    writeFileSync(file, JSON.stringify(saved));
    const { stdout } = await robust(['baseline', 'diff', found, '--baseline', 'fpr.json'], { cwd });
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /The baseline decides: injection from a score of 0\.75 on; this run: .*The same rule found both thresholds: 10\.0 % false positives on data\.tsv/,
    );
  });

  test('kinds and labels that differ are refused', async () => {
    const [most, benign] = [await run(), await run('--positive', 'benign', '--threshold', '0.5')];
    for (const other of [most, benign]) {
      const { code, document } = await json('compare', loose, other);
      expect({ code, error: document.error.code }).toEqual({ code: 2, error: 'RUN_MISMATCH' });
      expect(document.error.message).toMatch(
        /differ in their decision: run \S+ decides injection from a score of 0\.5 on; run \S+ decides /,
      );
    }
  });

  test('a model that decides something else is refused before its first attack', async () => {
    const args = ['--data', 'data.tsv', '-a', 'deepwordbug', '-n', '0', '-q', '--positive', 'benign'];
    const { code, document } = await json('compare', loose, './guard.mjs', ...args);
    expect({ code, error: document.error.code }).toEqual({ code: 2, error: 'RUN_MISMATCH' });
    const [, left] = /run \S+ decides .*; run (\S+) decides/.exec(document.error.message) as RegExpExecArray;
    expect(existsSync(join(cwd, '.robust/runs', left as string, 'results.jsonl'))).toBe(false);
  });

  test('20 negative texts are too few for the false positive rate: inconclusive, not passed', async () => {
    const few = await runOn('few.tsv', ...positive, '--threshold', '0.5');
    await json('baseline', 'save', few, '--baseline', 'few.json');
    const { code, document } = await json('gate', few, '--baseline', 'few.json');
    expect(code).toBe(4);
    expect(document.result.reasons).toContainEqual(
      'clean.falsePositiveRate against the baseline: both have it for 20 examples, expected at least 30',
    );
  });
});
