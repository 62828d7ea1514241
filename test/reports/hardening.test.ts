/** Gains of adversarial training: the figures over seeds, and the verdict in words. */
import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { hardeningVerdict } from '../../reports/documents/hardening.js';
import { hardeningDocument, onScreen } from '../../reports/index.js';
import { seedDifference } from '../../src/core/statistics/seed-differences.js';
import type { Comparison, PairedRates } from '../../src/results/comparison/comparison.js';
import {
  type AnswersByVerdict,
  gainsOf,
  type HardeningReport,
  type SeedComparison,
} from '../../src/results/comparison/hardening.js';
import { matrix } from '../matrix.js';
import { attack, model, N, rates } from './comparison.js';

const chalk = new Chalk({ level: 0 });

/** Right answers unedited, under a suite of two attacks, and under one attack alone. */
type Right = readonly [clean: number, typos: number, fgsm: number];

/** The answers of the untouched model, its control and the hardened one. */
const rights = (rows: string) => matrix(rows) as unknown as readonly [Right, Right, Right];

const comparison = (a: Right, b: Right): Comparison => ({
  models: [model('a'), model('b')],
  clean: rates(a[0], b[0]),
  attacks: [
    attack('pruthi', 'typos', a[1], b[1]),
    attack('leet', 'typos', a[1], b[1]),
    attack('fgsm', null, a[2], b[2]),
  ],
  suites: [attack('typos', 'typos', a[1], b[1])],
  overall: rates(a[1], b[1]),
  newlyBroken: [],
  newlyMended: [],
});

const seed = (number: number, untouched: Right | undefined, control: Right, hardened: Right): SeedComparison => ({
  seed: number,
  hardened: 'h',
  control: 'h/control',
  ...(untouched && { gain: comparison(untouched, hardened), drift: comparison(untouched, control) }),
  beyond: comparison(control, hardened),
});

/** The texts of `rates`: the first ones are right. */
const texts = (a: Right, b: Right): AnswersByVerdict =>
  new Map(
    ['clean', 'typos', 'fgsm'].map((name, at) => [
      name,
      Array.from({ length: N }, (_, text) => [Number(text < a[at]!), Number(text < b[at]!)] as const),
    ]),
  );

type Models = readonly [seed: number, untouched: Right | undefined, control: Right, hardened: Right];

const textsOf = (of: readonly Models[]) =>
  of.map(([, untouched, control, hardened]) => ({
    ...(untouched && { gain: texts(untouched, hardened) }),
    beyond: texts(control, hardened),
  }));

const report = (...of: Models[]): HardeningReport => {
  const seeds = of.map((each) => seed(...each));
  return {
    data: { name: 'dev.tsv', sha256: 'x', examples: N },
    chosenOn: true,
    model: 'distilbert',
    seeds,
    gains: gainsOf(seeds, textsOf(of)),
  };
};

describe('the verdict of one seed', () => {
  const verdict = (...of: readonly [Right | undefined, Right, Right]) => hardeningVerdict(report([42, ...of]));

  test('names clean accuracy, the suite and the attack outside it, with intervals', () => {
    expect(verdict([166, 62, 50], [166, 64, 51], [165, 116, 52])).toEqual([
      'clean accuracy 83.0 → 82.5 % (-0.5, 95 % CI -2.4 to +1.3, n.s.)',
      'typos: accuracy under attack 31.0 → 58.0 % (+27.0, 95 % CI +20.6 to +33.0, p <0.001): a gain, +26.0 beyond the control',
      'fgsm: accuracy under attack 25.0 → 26.0 % (+1.0, 95 % CI -0.9 to +2.9, n.s.): no measurable gain against fgsm',
    ]);
  });

  test('a gain that the control has too is no gain of the adversarial examples', () => {
    expect(verdict([166, 62, 50], [166, 90, 51], [165, 92, 52])[1]).toMatch(
      /: a gain that equally long training without adversarial examples brings too \(\+1\.0 beyond the control, n\.s\.\)$/,
    );
  });

  test('a loss is called one', () => {
    expect(verdict([166, 62, 50], [166, 62, 50], [165, 30, 50])[1]).toMatch(/: worse against typos$/);
  });

  test('a new model is compared with the control', () => {
    expect(verdict(undefined, [166, 62, 50], [165, 116, 50])[1]).toMatch(/31\.0 → 58\.0 .*: a gain$/);
  });
});

test.each([
  [rights('166 62 50; 166 64 51; 165 116 52'), /^More robust against typos; clean accuracy 83.0 → 82.5 %; /],
  [rights('166 62 50; 166 90 51; 165 92 52'), /^No more robust against typos than the control; /],
  [rights('166 62 50; 166 62 50; 165 30 50'), /^Less robust against typos; /],
  [rights('166 62 50; 166 62 50; 166 62 50'), /^No measurable gain; /],
] as const)('the first line answers the question: %#', ([untouched, control, hardened], line) => {
  const document = hardeningDocument(report([42, untouched, control, hardened]));
  expect([...onScreen(document, { width: 200, chalk })].join('')).toMatch(line);
});

describe('several seeds', () => {
  const models: Models[] = [
    [1, [166, 62, 50], [166, 64, 50], [165, 110, 52]],
    [2, [166, 60, 50], [165, 66, 50], [166, 112, 40]],
    [3, [166, 64, 50], [164, 62, 50], [164, 114, 61]],
  ];
  const steady = report(...models);
  const steadyTexts = textsOf(models);

  test('means, extremes, and what is noise', () => {
    const [clean, typos, fgsm] = steady.gains;
    expect(clean).toMatchObject({ name: 'clean', gain: { noise: true } });
    expect(typos).toMatchObject({ name: 'typos', gain: { noise: false }, untouched: { low: 0.3, high: 0.32 } });
    expect(typos?.gain.mean).toBeCloseTo(0.25, 10);
    expect(typos?.gain.low).toBeCloseTo(0.24, 10);
    expect(typos?.gain.high).toBeCloseTo(0.26, 10);
    expect(typos?.beyond.mean).toBeCloseTo((46 + 46 + 52) / 3 / N, 10);
    expect(fgsm).toMatchObject({ name: 'fgsm', gain: { noise: true } });
    expect(steady.gains.map(({ beyond }) => beyond.noise)).toEqual([true, false, true]);
  });

  test('two verdicts are corrected for their number, the unedited texts are not', () => {
    const [, typos, fgsm] = steady.gains;
    const p = (name: string) => seedDifference(steadyTexts.map(({ gain }) => gain!.get(name)!)).p;
    expect([typos!.gain.p, fgsm!.gain.p]).toEqual([2 * p('typos'), p('fgsm')]);
  });

  test('a gain that the control has too is marked beside its figure', () => {
    const drifted = report(
      [1, [166, 62, 50], [166, 110, 50], [166, 110, 50]],
      [2, [166, 60, 50], [166, 106, 50], [166, 109, 50]],
      [3, [166, 61, 50], [166, 107, 50], [166, 111, 50]],
    );
    expect(hardeningVerdict(drifted)[1]).toMatch(
      /: a gain that equally long training without adversarial examples brings too \(\+1\.2 beyond the control, n\.s\.\)$/,
    );
    const document = hardeningDocument(drifted);
    const text = [...onScreen(document, { width: 200, chalk })].join('');
    expect(text).toMatch(/^No more robust against typos than the control; /);
    expect(text).toMatch(/^typos .*\+24\.5\s+\+18\.\d to \+3\d\.\d\s+<0\.001\s+\+1\.2\s+\d\.\d+$/m);
  });

  test('the verdict says so', () => {
    expect(hardeningVerdict(steady).slice(1)).toEqual([
      'typos: accuracy under attack 31.0 → 56.0 % (+25.0, 95 % CI +18.7 to +31.3, p <0.001): a gain, +24.0 beyond the control',
      'fgsm: accuracy under attack 25.0 → 25.5 % (+0.5, 95 % CI -12.7 to +13.7, n.s.): no measurable gain against fgsm',
    ]);
  });
});

test.each([80, 120])('at %i columns every line fits, and every model has its column', (width) => {
  for (const seeds of [1, 2]) {
    const of = report(
      ...Array.from({ length: seeds }, (_, at) => [at, [166, 62, 50], [166, 64, 51], [165, 116, 52]] as const),
    );
    const text = [...onScreen(hardeningDocument(of), { width, chalk })].join('');
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    for (const name of ['untouched', 'control', 'hardened', 'typos', '--test']) expect(text).toContain(name);
  }
});

describe('no verdict for too few compared examples', () => {
  const few = (n: number, difference: PairedRates['difference']) => ({ ...difference, n });
  const of = (n: number, ...seeds: Parameters<typeof report>): HardeningReport => {
    const thin = (each: Comparison): Comparison => ({
      ...each,
      suites: each.suites.map((rate) => ({ ...rate, difference: few(n, rate.difference) })),
      attacks: each.attacks.map((rate) => ({ ...rate, difference: few(n, rate.difference) })),
      clean: { ...each.clean, difference: few(n, each.clean.difference) },
    });
    const whole = report(...seeds);
    const thinned = whole.seeds.map((each) => ({
      ...each,
      beyond: thin(each.beyond),
      ...(each.gain && { gain: thin(each.gain) }),
    }));
    return { ...whole, seeds: thinned, gains: gainsOf(thinned, textsOf(seeds)) };
  };
  const won: readonly [Right, Right, Right] = rights('166 62 50; 166 64 51; 165 116 152');

  test.each([0, 1, 29])('of %i examples, with one seed or several', (n) => {
    for (const told of [hardeningVerdict(of(n, [1, ...won])), hardeningVerdict(of(n, [1, ...won], [2, ...won]))]) {
      for (const line of told.slice(1))
        expect(line).toMatch(new RegExp(`inconclusive, ${n} examples? compared, 30 are needed`));
    }
  });

  test('30 are enough', () => {
    expect(hardeningVerdict(of(30, [1, ...won])).join()).not.toMatch(/inconclusive/);
  });

  test('no change over seeds is no gain, however alike the seeds are', () => {
    const same: readonly [Right, Right, Right] = rights('166 62 50; 166 62 50; 166 62 50');
    const lines = hardeningVerdict(report([1, ...same], [2, ...same]));
    for (const line of lines) expect(line).toMatch(/n\.s\./);
  });
});
