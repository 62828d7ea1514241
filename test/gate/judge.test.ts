import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { binomialTail, decidingSize, wilson, wilsonBounds } from '../../src/core/statistics/stats.js';
import { figuresOf, producibleFigures } from '../../src/gate/figures.js';
import { checkRules } from '../../src/gate/judge.js';
import { limitsOf } from '../../src/gate/threshold.js';
import { gate, reasonsOf } from '../../src/gate/verdict.js';
import type { Report } from '../../src/results/report/report.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { refusal } from '../refusal.js';
import { attack, LABELS, report, rules, threshold } from './toys.js';

/** 30 of 90 broken: 33.3 %, 95 % interval 24.4 to 43.6 %. */
const run = (rest: Partial<Report> = {}) => report([attack('deepwordbug', 'typos', 30, 60)], rest);
const ASR = 'deepwordbug.attackSuccessRate';

/** The gate's verdict and the only threshold's. */
function verdicts(limit: string, rest: Parameters<typeof threshold>[2] = {}, of = run()) {
  const { gate: result } = gate(of, rules([threshold(rest.metric ?? ASR, limit, rest)]));
  return [result.verdict, result.thresholds[0]!.verdict];
}

describe('a limit', () => {
  test.each([
    ['<= 0.34', 'value', 'passed'],
    ['<= 0.33', 'value', 'failed'],
    ['>= 33 %', 'value', 'passed'],
    ['>= 0.3 and <= 0.35', 'value', 'passed'],
    ['>= 0.34 and <= 0.4', 'value', 'failed'],
    // The interval must lie below the limit to pass, and above it to fail.
    ['<= 0.44', 'interval', 'passed'],
    ['<= 0.40', 'interval', 'inconclusive'],
    ['<= 0.25', 'interval', 'inconclusive'],
    ['<= 0.24', 'interval', 'failed'],
    ['>= 0.24', 'interval', 'passed'],
    ['>= 0.30', 'interval', 'inconclusive'],
    ['>= 0.44', 'interval', 'failed'],
    ['>= 0.24 and <= 0.44', 'interval', 'passed'],
    ['>= 0.30 and <= 0.44', 'interval', 'inconclusive'],
    ['>= 0.30 and <= 0.20', 'interval', 'failed'],
  ] as const)('%s by the %s is %s', (limit, ci, verdict) => {
    const limits = limit.split(' and ').flatMap(limitsOf);
    expect(verdicts('<= 1', { ci, expected: limit, limits })).toEqual([verdict, verdict]);
  });

  test('an undecided limit tells how many examples of the data would decide', () => {
    const judged = (limit: string, rest = {}) =>
      gate(run(), rules([threshold(ASR, limit, { ci: 'interval', ...rest })])).gate.thresholds[0]!;
    // 90 of the 100 examples were attacked: 224 of the attack's decide.
    expect(judged('<= 0.25')).toMatchObject({ neededExamples: 249 });
    expect(judged('<= 0.25').reason).toMatchSnapshot();
    expect(judged('<= 0.5', { minExamples: 180 })).toMatchObject({ neededExamples: 200 });
    expect(judged('<= 0.5')).not.toHaveProperty('neededExamples');
    const at = wilson(30, 90).value!;
    expect(judged('<= 0.3', { limits: [{ operator: '<=', limit: at }] }).reason).toBe('the value is at the limit');
  });

  test.each([
    [0.4, 0.3],
    [0.1, 0.3],
    [0.8, 0.9],
    [0, 0.05],
  ])(
    'a true %d is told from %d by the n that decides in 8 of 10 runs, and never passed wrongly in more than 1 of 40',
    (p, limit) => {
      const n = decidingSize({ value: p, ...wilsonBounds(p, 100), n: 100 }, limit);
      const counts = Array.from({ length: n + 1 }, (_, k) => k);
      const chance = (holds: (low: number, high: number) => boolean, size: number, of: number) =>
        counts.slice(0, size + 1).reduce((total, k) => {
          const { low, high } = wilsonBounds(k / size, size);
          return total + (holds(low, high) ? binomialTail(k, size, of) - binomialTail(k + 1, size, of) : 0);
        }, 0);
      const decided = chance((low, high) => low > limit || high < limit, n, p);
      expect(decided).toBeGreaterThan(0.75);
      if (p > 0) expect(decided).toBeLessThan(0.87);
      // The default minimum: a model that misses the limit.
      if (p > limit && n >= 30) expect(chance((_, high) => high <= limit, 30, p)).toBeLessThan(0.025);
    },
  );

  test('the suite standard has worst cases, of all its attacks and of each', () => {
    const attack = { name: 'standard-characters', suite: 'standard' };
    const names = [...producibleFigures({ attacks: [attack] }).figures.keys()];
    expect(names).toEqual(
      expect.arrayContaining(['standard.worstCaseAccuracy', 'standard.characters.worstCaseAccuracy']),
    );
  });

  test('of a warning does not fail the gate', () => {
    expect(verdicts('<= 0.1', { level: 'warn' })).toEqual(['passed', 'failed']);
  });
});

describe('fails closed', () => {
  test('of warnings alone, none of which could be judged, nothing passes', () => {
    const few = { level: 'warn', minExamples: 91 } as const;
    const { gate: result } = gate(run(), rules([threshold(ASR, '<= 1', few)]));
    expect(result.verdict).toBe('inconclusive');
    const needs = 'measured on 90 examples, expected at least 91; needs about 102 examples (-n 102)';
    expect(reasonsOf(result)).toEqual([`${ASR}: ${needs}`]);
  });

  test('texts on which nothing could be tried are no evidence, but the others are', () => {
    const untried = [{ reason: 'no word in the text', n: 61 }];
    const tried = (minExamples: number) =>
      verdicts(
        '<= 1',
        { metric: 'a.attackSuccessRate', minExamples },
        report([{ ...attack('a', null, 0, 90), untried }]),
      );
    expect([tried(29)[0], tried(30)[0]]).toEqual(['passed', 'inconclusive']);
  });

  describe('the worst case of standard is the figure of its attack, and guarded like it', () => {
    const metric = 'standard.characters.worstCaseAccuracy';
    const standard = (rest: object = {}) => ({ ...attack('standard-characters', 'standard', 0, 90), ...rest });
    test.each<[string, object]>([
      ['nothing was tried', { untried: [{ reason: 'no word in the text', n: 90 }] }],
      ['it does not apply', { applicable: false, notApplicable: { reason: 'no letters' } }],
      ['examples errored', { errored: 10 }],
    ])('%s', (_, rest) => {
      for (const each of [metric, 'standard-characters.accuracyUnderAttack', 'standard.worstCaseAccuracy']) {
        const { gate: result } = gate(
          report([standard(rest)]),
          rules([threshold(each, '>= 0.1', { minExamples: 10 })]),
        );
        expect([each, result.verdict]).toEqual([each, 'inconclusive']);
        if (each === metric) expect(reasonsOf(result)).toMatchSnapshot();
      }
    });

    test('without one of its attacks, the suite has no worst case', () => {
      const leftOut = [{ name: 'standard-words', suite: 'standard', reason: 'needs the language part synonyms' }];
      const { gate: result } = gate(
        report([standard()], { leftOut }),
        rules([threshold('standard.worstCaseAccuracy', '>= 0.1'), threshold(metric, '>= 0.1')]),
      );
      expect(result.thresholds.map(({ verdict }) => verdict)).toEqual(['inconclusive', 'passed']);
      expect(result.thresholds[0]?.reason).toMatchSnapshot();
    });
  });

  test('examples whose space holds no text do not prove a model', () => {
    const rate = wilson(90, 90);
    const untried = [{ reason: 'the space holds no text', n: 90 }];
    for (const [name, limit] of [
      ['proved', '>= 0.5'],
      ['notBroken', '>= 0.5'],
      ['broken', '<= 0.5'],
    ] as const) {
      const check = { ...attack('verify', null, 0, 90), untried, [name]: name === 'broken' ? wilson(0, 90) : rate };
      expect([name, verdicts(limit, { metric: `verify.${name}` }, report([check]))[0]]).toEqual([name, 'inconclusive']);
    }
  });

  const nothing = wilson(0, 0);
  test.each<[string, Report, string]>([
    ['all skipped', report([attack('deepwordbug', 'typos', 0, 0)]), ASR],
    ['all errored', report([attack('deepwordbug', 'typos', 0, 0, 90)]), ASR],
    ['errored above the cap', report([attack('deepwordbug', 'typos', 1, 80, 9)]), ASR],
    [
      'another attack of the suite errored',
      report([attack('a', 's', 0, 9), attack('b', 's', 0, 9, 1)]),
      's.attackSuccessRate',
    ],
    ['overall, one attack errored', report([attack('a', 's', 0, 9, 1)]), 'overall.attackSuccessRate'],
    [
      'NaN',
      report([{ ...attack('a', null, 0, 9), attackSuccessRate: { ...wilson(0, 9), value: Number.NaN } }]),
      'a.attackSuccessRate',
    ],
    ['no successes to average', report([attack('a', null, 0, 9)]), 'a.perturbedWords'],
    [
      'an empty run',
      report([], { data: { name: 'd', sha256: '', examples: 0 }, clean: { ...run().clean, accuracy: nothing } }),
      'clean.accuracy',
    ],
    [
      'texts that could not be classified',
      run({ clean: { ...run().clean, accuracy: wilson(80, 80) } }),
      'clean.accuracy',
    ],
    ['an inconclusive run', run({ verdict: 'inconclusive' }), ASR],
    [
      'nothing could be tried',
      report([{ ...attack('a', null, 0, 90), untried: [{ reason: 'no query left for a rewrite', n: 90 }] }]),
      'a.accuracyUnderAttack',
    ],
    [
      'nothing could be tried by any attack',
      report([attack('a', 's', 0, 90)], { overall: { ...run().overall, untried: 90 } }),
      'overall.attackSuccessRate',
    ],
  ])('%s is never a pass', (_, of, metric) => {
    const { gate: result } = gate(of, rules([threshold(metric, '<= 1')]));
    expect(result.verdict).toBe('inconclusive');
    expect(reasonsOf(result)).toMatchSnapshot();
  });

  test('too few examples', () => {
    expect(verdicts('<= 0.5', { minExamples: 90 })).toEqual(['passed', 'passed']);
    expect(verdicts('<= 0.5', { minExamples: 91 })).toEqual(['inconclusive', 'inconclusive']);
  });

  test('a figure without an interval is judged by its value, and that is said', () => {
    const { gate: result } = gate(run(), rules([threshold('clean.macroF1', '>= 0.5', { ci: 'interval' })]));
    expect(result.thresholds).toMatchObject([{ ci: 'value', verdict: 'passed' }]);
  });

  test('nothing to judge by', () => refusal(() => gate(run(), rules([])), 'REQUIREMENT_INVALID'));

  test('whatever the figures, a pass means every limit is met by a finite figure', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.nat(50),
        fc.nat(5),
        fc.integer({ min: 0, max: 100 }),
        (broken, held, errored, cent) => {
          const of = report([attack('a', null, broken, held, errored)]);
          const { gate: result } = gate(of, rules([threshold('a.attackSuccessRate', `<= ${cent} %`)]));
          if (result.verdict !== 'passed') return;
          expect(broken + held).toBeGreaterThan(0);
          expect(broken / (broken + held)).toBeLessThanOrEqual(cent / 100);
          expect(errored / (broken + held + errored)).toBeLessThanOrEqual(0.02);
        },
      ),
    );
  });
});

describe('refused', () => {
  const planned = { attacks: [{ name: 'deepwordbug', suite: 'typos' }] };
  const check =
    (metric: string, limit = '<= 0.5') =>
    () =>
      checkRules({ thresholds: [threshold(metric, limit)], waivers: [] }, planned);

  test.each([
    'typo.attackSuccessRate',
    'typos.attackSucessRate',
    'chars.attackSuccessRate',
    'nonsense',
    'deepwordbug.seconds',
    'deepwordbug.whatever it may be',
  ])('%s', async (metric) => {
    await refusal(check(metric), 'METRIC_NOT_FOUND');
    await refusal(() => gate(run(), rules([threshold(metric, '<= 0.5')])), 'METRIC_NOT_FOUND');
  });

  test('a fraction in percent without the sign', async () => {
    await refusal(check(ASR, '<= 30'), 'REQUIREMENT_INVALID');
    expect(check('deepwordbug.queries.asked', '<= 30')).not.toThrow();
  });

  test('what only a run shows may be named before it, and must be there after it', async () => {
    const asked = { thresholds: [threshold('fgsm.sweep.0.1.accuracyUnderAttack', '<= 0.5')], waivers: [] };
    const fgsm = { name: 'fgsm', suite: null, measures: ['noise', 'sweep'] };
    expect(() => checkRules(asked, { attacks: [fgsm] })).not.toThrow();
    await refusal(() => checkRules(asked, { attacks: [{ ...fgsm, measures: [] }] }));
    await refusal(() => gate(run(), rules([threshold('deepwordbug.noise.value', '<= 0.5')])));
  });

  test.each([
    [['typos.attackSuccessRate'], 'typos.attackSuccessRat'],
    [['typos.attackSuccessRate', ASR], 'nothing'],
    [[], 'nothing'],
  ])('a waiver of nothing among %j', async (metrics, metric) => {
    const waivers = [{ metric, owner: 'me', reason: 'x', expires: '2027-01-01' }];
    const thresholds = metrics.map((each) => threshold(each, '<= 0.5'));
    await refusal(() => checkRules({ thresholds, waivers }, planned), 'METRIC_NOT_FOUND');
  });
});

describe('a waiver', () => {
  const waiver = (expires: string) => [{ metric: ASR, owner: 'me', reason: 'x', expires }];
  const judged = (expires: string, limit = '<= 0.1', of = run()) =>
    gate(of, rules([threshold(ASR, limit)], { waivers: waiver(expires) }));

  test('is valid to the end of its day, and is reported', () => {
    const { gate: result, warnings } = judged('2026-11-21');
    expect(result).toMatchObject({ verdict: 'passed', thresholds: [{ verdict: 'failed', waiver: { owner: 'me' } }] });
    expect(warnings).toEqual([]);
  });

  test('no longer', () => {
    const { gate: result, warnings } = judged('2026-11-20');
    expect(result.verdict).toBe('failed');
    expect(warnings).toEqual([`the waiver of ${ASR} (me) ended with 2026-11-20`]);
  });

  test('does not cover an inconclusive requirement', () => {
    expect(judged('2026-11-21', '<= 0.1', report([attack('deepwordbug', 'typos', 0, 0)])).gate.verdict).toBe(
      'inconclusive',
    );
  });
});

test('what can be produced is what is measured', () => {
  const before = [...producibleFigures({ attacks: [{ name: 'deepwordbug', suite: 'typos' }] }).figures.keys()];
  const after = [...figuresOf(run()).keys()].filter((metric) => !metric.includes('perClass'));
  expect(after.toSorted()).toEqual(before.toSorted());
  expect(after).toEqual(
    expect.arrayContaining([
      'clean.accuracy',
      'clean.calibration.error',
      'typos.attackSuccessRate',
      'deepwordbug.queries.asked',
    ]),
  );
  expect([...figuresOf(run()).keys()]).toContain('clean.perClass.positive.recall');
});

describe('a victim that answers all texts alike', () => {
  /** 100 texts, all answered with one class; `all` are of it too. */
  const constant = (all: boolean) => {
    const fold = cleanFold(LABELS);
    for (let at = 0; at < 100; at++) fold.add(all ? 0 : at % 2, Float32Array.of(0.6 + at / 1000, 0.4 - at / 1000));
    return fold.metrics();
  };
  const held = [threshold('overall.attackSuccessRate', '<= 0.5')];
  const reasonsOf = (of: ReturnType<typeof report>, rest: Parameters<typeof rules>[1] = {}) =>
    gate(of, rules(held, rest)).gate;

  test.each<[string, Report]>([
    ['of texts of both classes', report([attack('a', null, 0, 50)], { clean: constant(false) })],
    [
      'and is inconclusive by itself',
      report([attack('a', null, 0, 50)], { clean: constant(false), verdict: 'inconclusive' }),
    ],
    ['of texts of that class', report([attack('a', null, 0, 90)], { clean: constant(true) })],
    [
      'of that class, by an attack whose success turns nothing',
      report([{ ...attack('a', null, 9, 81), ownGoal: true }], { clean: constant(true) }),
    ],
  ])('is not judged: %s', (_, of) => {
    const { verdict, reasons } = reasonsOf(of);
    expect(verdict).toBe('inconclusive');
    expect(reasons).toMatchSnapshot();
    expect(reasonsOf(of, { allowDegenerate: true })).toMatchObject({ verdict: 'passed', reasons: [] });
  });

  test('once an attack turned an answer, texts of one class are judged', () => {
    expect(reasonsOf(report([attack('a', null, 9, 81)], { clean: constant(true) }))).toMatchObject({
      verdict: 'passed',
    });
  });

  test('a threshold it breaks is broken all the same', () => {
    const broken = rules([threshold('clean.accuracy', '>= 0.8')]);
    expect(gate(report([attack('a', null, 0, 50)], { clean: constant(false) }), broken).gate.verdict).toBe('failed');
  });
});

describe('an attack that does not apply to the texts', () => {
  const idle = (name: string, succeeded: number, failed: number) => ({
    ...attack(name, 's', succeeded, failed),
    applicable: false as const,
    notApplicable: { n: 80, reason: 'it found edits for fewer than 5 % of the words in 80 of 90 texts' },
  });
  const judged = (of: ReturnType<typeof report>, metric: string, limit = '<= 0.5') =>
    gate(of, rules([threshold(metric, limit)])).gate;

  test.each<[string, Report, string]>([
    ['its own rate', report([idle('a', 0, 10)]), 'a.attackSuccessRate'],
    ['its suite, half of which it is', report([idle('a', 0, 10), attack('b', 's', 1, 80)]), 's.attackSuccessRate'],
    ['without any text left', report([idle('a', 0, 0)]), 'a.accuracyUnderAttack'],
  ])('passes no threshold: %s', (_, of, metric) => {
    const { verdict, thresholds } = judged(of, metric);
    expect([verdict, thresholds.map((each) => each.verdict)]).toEqual(['inconclusive', ['inconclusive']]);
    expect(thresholds.map(({ reason }) => reason)).toMatchSnapshot();
  });

  test('breaks none either: its rate keeps what it turned, and leaves out what it could not edit', () => {
    expect(judged(report([idle('a', 9, 1)]), 'a.attackSuccessRate').verdict).toBe('inconclusive');
  });

  test('is named where it is few of a suite', () => {
    const of = report([idle('a', 0, 10), attack('b', 's', 1, 80), attack('c', 's', 1, 80)]);
    expect(judged(of, 's.attackSuccessRate')).toMatchObject({ verdict: 'passed', thresholds: [{ without: ['a'] }] });
  });
});

test('what a file states is judged only where its outcomes show it; a figure of a review, where there is one', () => {
  const metrics = ['clean.accuracy', 'clean.calibration.error', ASR, 'deepwordbug.queries.asked'];
  const reviewed = ['deepwordbug.validSuccessRate', 'overall.validSuccessRate'];
  const review = (verdict: string) => ({ verdict, reasons: ['one reader'] });
  const of = (rest: object) => run(rest as Partial<Report>);
  const cases: readonly (readonly [string, Report])[] = [
    ['not stated', of({})],
    ['by a file', of({ stated: 'file' })],
    ['by a record', of({ stated: 'record' })],
    ['by a file, of tied texts', of({ stated: 'file', clean: { ...run().clean, tied: 3 } })],
    ['by a review without evidence', of({ review: review('inconclusive') })],
    ['by a review', of({ review: review('none') })],
    ['by a file, with a review', of({ stated: 'file', review: review('none') })],
  ];
  const said = cases.map(([name, report]) => {
    const found = (metric: string) => {
      try {
        const { verdict, thresholds } = gate(
          report,
          rules([threshold(metric, '<= 1 and >= 0', { minExamples: 1 })]),
        ).gate;
        return `${metric}: ${verdict}, ${thresholds[0]!.reason}`;
      } catch (error) {
        return `${metric}: ${(error as { code?: string }).code}`;
      }
    };
    return [name, ...[...metrics, ...reviewed].map(found)];
  });
  expect(said).toMatchSnapshot();
});
