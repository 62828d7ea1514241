/** Reports of ten lines: what a gate looks at, and nothing else. */

import type { Rules } from '../../src/gate/judge.js';
import { limitsOf, type Threshold } from '../../src/gate/threshold.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
import { attackRates } from '../../src/results/measures/attack-rates.js';
import { AttackFold } from '../../src/results/metrics.js';
import type { Report } from '../../src/results/report/report.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { headlineOf } from '../../src/tasks/headline.js';

export const LABELS = ['negative', 'positive'];

export function attack(
  name: string,
  suite: string | null,
  succeeded: number,
  failed: number,
  errored = 0,
): AttackMetrics {
  return {
    ...new AttackFold(LABELS).metrics(),
    ...{ name, suite, constraints: [], options: {}, seconds: 1, succeeded, failed, errored },
    ...attackRates({ flipped: succeeded, kept: failed, wrong: 0 }),
  };
}

/** 100 examples, 90 of them right. */
export function report(attacks: readonly AttackMetrics[], rest: Partial<Report> = {}): Report {
  const clean = cleanFold(LABELS);
  for (let at = 0; at < 100; at++)
    clean.add(at % 2, Float32Array.of(...((at + (at < 90 ? 0 : 1)) % 2 ? [0, 1] : [1, 0])));
  const rates = attackRates({ flipped: 30, kept: 60, wrong: 10 });
  const suites = [...new Set(attacks.flatMap(({ suite }) => suite ?? []))];
  const whole = {
    model: { name: 'toy', sha256: 'a'.repeat(64), labels: LABELS },
    data: { name: 'toys', sha256: 'b'.repeat(64), examples: 100 },
    ...{
      seed: 42,
      engine: 'onnx',
      toolVersion: '0.1.0',
      run: 'r',
      command: 'robust attack',
      closest: [],
      warnings: [],
    },
    clean: clean.metrics(),
    attacks,
    suites: suites.map((name) => ({ name, attacks: [], ...rates })),
    overall: rates,
    examples: (async function* () {})(),
    verdict: 'none',
    ...rest,
  } satisfies Partial<Report>;
  return { headline: headlineOf(whole), ...whole } as Report;
}

export const threshold = (metric: string, expected: string, rest: Partial<Threshold> = {}): Threshold => ({
  ...{ metric, level: 'error', expected, limits: limitsOf(expected), ci: 'value', minExamples: 1, origin: 'here' },
  ...rest,
});

export const rules = (thresholds: readonly Threshold[], rest: Partial<Rules> = {}): Rules => ({
  ...{ thresholds, waivers: [], maxErrorRate: 0.02, minExamples: 1, today: '2026-11-21' },
  ...rest,
});
