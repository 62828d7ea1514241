/** The limits that are suggested after a run protect something. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suggestGate } from '../../src/app/runs/measured-thresholds.js';
import { wilson } from '../../src/core/statistics/stats.js';
import { thresholdsOf } from '../../src/gate/requirements.js';
import { gate } from '../../src/gate/verdict.js';
import { attackRates, detectorRates } from '../../src/results/measures/attack-rates.js';
import type { Report } from '../../src/results/report/report.js';
import { clusteredRate } from '../../src/results/tags/figures.js';
import { tries } from '../cover.js';
import { attack, report, rules } from './toys.js';

/** A run of `n` examples (of a detector as many of each side), of which `right` are classified correctly, and of them `left` under attack. */
type Counts = { readonly n: number; readonly right: number; readonly left: number };

const KINDS: Readonly<Record<string, (counts: Counts) => Report>> = {
  label: (counts) => of(counts),
  detector: ({ n, right, left }) =>
    of(
      { n, right, left },
      { recall: wilson(right, n), falsePositiveRate: wilson(n - right, n) },
      detectorRates({ flipped: right - left, kept: left, wrong: n - right }, { flipped: 0, kept: 0, wrong: 0 }),
    ),
  'label sets': (counts) =>
    of(
      counts,
      {
        labelSets: {
          microPrecision: wilson(counts.right, counts.n),
          microRecall: wilson(counts.right, counts.n),
          perLabel: [],
        },
      },
      {},
      { decision: { kind: 'multi-label', at: [0.5, 0.5] } },
    ),
  tags: ({ n, right, left }) => {
    const share = (hits: number) =>
      clusteredRate(Array.from({ length: n }, (_, at) => ({ hits: Number(at < hits), n: 1 })));
    const leakRate = share(n - left);
    const one = { recall: share(right), recallUnderAttack: share(left), leakRate };
    return {
      ...of({ n, right, left }),
      tags: {
        ...one,
        ...{ leakRateBefore: share(n - right), leakedCharacters: leakRate, leakedTexts: leakRate },
        byType: [{ label: 'NAME', ...one }],
      },
    };
  },
};

function of({ n, right, left }: Counts, clean = {}, overall = {}, model = {}): Report {
  const rates = attackRates({ flipped: right - left, kept: left, wrong: n - right });
  const attacked = { ...attack('deepwordbug', null, right - left, left), skipped: n - right, ...overall };
  const base = report([attacked]);
  return {
    ...base,
    model: { ...base.model, ...model },
    data: { ...base.data, examples: n },
    clean: { ...base.clean, accuracy: wilson(right, n), ...clean } as Report['clean'],
    overall: { ...rates, ...overall },
  };
}

const verdictOn = (judged: Report, suggested: NonNullable<ReturnType<typeof suggestGate>>) =>
  gate(
    judged,
    rules(
      thresholdsOf(
        suggested.thresholds.map(({ metric, limit }) => `${metric} ${limit}`),
        { ci: 'interval', minExamples: 30 },
        () => '',
      ),
    ),
  ).gate.verdict;

const share = fc.integer({ min: 0, max: 1000 }).map((of) => of / 1000);
const counts = fc
  .record({ n: fc.integer({ min: 5, max: 400 }), right: share, left: share.map((of) => of ** 2) })
  .map(({ n, right, left }): Counts => {
    const known = Math.max(1, Math.round(n * right));
    return { n, right: known, left: Math.round(known * left) };
  });

describe.each(Object.entries(KINDS))('%s', (_, make) => {
  test('each suggestion passes its own run, fails a significantly worse one, and never passes one of which nothing is left', () => {
    let [limits, baselines, more] = [0, 0, 0];
    fc.assert(
      fc.property(counts, ({ n, right, left }) => {
        const suggested = suggestGate(make({ n, right, left }));
        if (suggested === undefined) return;
        if (suggested.needed !== undefined) {
          more++;
          expect(suggested.needed).toBeGreaterThan(n);
          return;
        }
        suggested.baseline ? baselines++ : limits++;
        expect(verdictOn(make({ n, right, left }), suggested)).toBe('passed');
        const defeated = verdictOn(make({ n, right, left: 0 }), suggested);
        expect(defeated).not.toBe('passed');
        if (suggested.baseline) return;
        expect(defeated).toBe('failed');
        const [fewer, unsure] = [below(left, n), below(right, n)];
        if (fewer > 0) expect(verdictOn(make({ n, right, left: fewer }), suggested)).toBe('failed');
        if (unsure > 0 && suggested.thresholds.some(({ metric }) => metric.startsWith('clean.'))) {
          const forgetful = make({ n, right: unsure, left: Math.min(left, unsure) });
          expect(verdictOn(forgetful, suggested)).toBe('failed');
        }
      }),
      { seed: 42, numRuns: tries(150) },
    );
    expect([limits > 0, baselines > 0, more > 0]).toEqual([true, true, true]);
  });

  test('where attacks leave nothing, nothing is suggested', () => {
    expect(suggestGate(make({ n: 200, right: 160, left: 0 }))).toBeUndefined();
  });
});

/** So few that the two intervals do not meet. */
function below(left: number, n: number): number {
  for (let worse = left; worse > 0; worse--) if (wilson(worse, n).high! < wilson(left, n).low! - 0.05) return worse;
  return 0;
}
