/**
 * Simulates the errors of the regression gate. At most 5 % of releases that are no worse than the baseline may fail. At least 95 % of
 * releases whose attack success rate rose by 10 points at n = 500 must fail.
 *
 *   npm run bench -- dist/bench/gate-calibration.js [releases] [seed]
 *
 * A release redraws each example: a flipped example is fixed with some probability, another one regresses with a second probability. They
 * keep the rate, or raise it by the given amount. The share that changes without any true change is the churn. Two trainings of one model
 * with different seeds differ like that. The last row has no memory: each release is independent of the baseline, which is the worst case
 * of any pairing. Attacks are independent of each other, which is the worst case for the number of false alarms. The gate's own code
 * judges, including the accuracy on unedited texts.
 */

import { random } from '../src/core/random.js';
import type { PairedCounts } from '../src/core/statistics/paired.js';
import { judgeChanges, type PairedChange } from '../src/gate/changes.js';
import { proportion } from '../src/results/comparison/paired-figures.js';

const N = 500;
const RATE = 0.3;
const ACCURACY = 0.9;

interface Scenario {
  readonly attacks: number;
  /** Share of the examples that change although nothing changed; undefined: no memory of the baseline. */
  readonly churn: number | undefined;
}

/** One release: a paired table for each attack and for the accuracy. `rise`: of the success rate of the attacks named first. */
function release(
  stream: ReturnType<typeof random>,
  { attacks, churn }: Scenario,
  rise: number,
  rising: number,
): PairedChange[] {
  const table = (rate: number, up: number): PairedCounts => {
    const to = rate + up;
    // P(1 -> 0) and P(0 -> 1), such that the rate becomes `to`.
    const falls = churn === undefined ? 1 - to : churn / 2 / rate;
    const rises = churn === undefined ? to : (churn / 2 + up) / (1 - rate);
    const [both, onlyA, onlyB] = [rate * (1 - falls), rate, rate + (1 - rate) * rises];
    const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
    for (let example = 0; example < N; example++) {
      const at = stream.unit();
      counts[at < both ? 'both' : at < onlyA ? 'onlyA' : at < onlyB ? 'onlyB' : 'neither'] += 1;
    }
    return counts;
  };
  return [
    { name: 'clean', figure: proportion({ metric: 'accuracy', higherIsBetter: true }, table(ACCURACY, 0)) },
    ...Array.from({ length: attacks }, (_, at): PairedChange => {
      const counts = table(RATE, at < rising ? rise : 0);
      return {
        name: `attack ${at}`,
        figure: proportion({ metric: 'attackSuccessRate', higherIsBetter: false }, counts),
      };
    }),
  ];
}

const ALLOWED = [0.03, 0];

/** Share of the releases that fail, for each allowed rise. */
function failures(scenario: Scenario, rise: number, rising: number, releases: number, seed: number): number[] {
  const failed = ALLOWED.map(() => 0);
  for (let at = 0; at < releases; at++) {
    const stream = random(seed, 'gate', JSON.stringify(scenario), `${rise} ${rising}`, String(at));
    const changes = release(stream, scenario, rise, rising);
    for (const [which, allowed] of ALLOWED.entries()) {
      if (judgeChanges(changes, allowed, 1).some(({ verdict }) => verdict === 'failed')) failed[which]! += 1;
    }
  }
  return failed.map((count) => count / releases);
}

const releases = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 42);
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

console.log(`${releases} releases a cell, n = ${N}, attack success rate ${RATE}, accuracy ${ACCURACY}, seed ${seed}\n`);
console.log(
  '| attacks | churn | allowed rise | no change: fails | all rise by 10 points: caught | one rises: caught |',
);
console.log('|---:|---:|---:|---:|---:|---:|');
for (const attacks of [1, 4]) {
  for (const churn of [0.05, 0.1, 0.2, undefined]) {
    const scenario = { attacks, churn };
    const same = failures(scenario, 0, 0, releases, seed);
    const all = failures(scenario, 0.1, attacks, releases, seed);
    const one = attacks === 1 ? all : failures(scenario, 0.1, 1, releases, seed);
    for (const [which, allowed] of ALLOWED.entries()) {
      const cells = [same, all, one].map((shares) => percent(shares[which] as number));
      const kind = churn === undefined ? 'no memory' : percent(churn);
      console.log(`| ${[attacks, kind, percent(allowed), ...cells].join(' | ')} |`);
    }
  }
}
