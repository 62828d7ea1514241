/**
 * How often the regression gate is wrong, by simulation: releases that are no worse than the baseline and fail all the same
 * (at most 5 %), and releases whose attack success rate rose by 10 points at n = 500 and that are caught (at least 95 %).
 *
 *   npm run build && npx tsc -p bench && node dist/bench/gate-calibration.js [releases] [seed]
 *
 * A release reads each example anew: an example that was broken is mended with some probability, one that was not breaks
 * with another, such that the rate stays, or rises by what is asked. Their share that changes without any true change is
 * the churn. Two trainings of one model with other seeds differ like that; the last row has no memory at all: each release is
 * broken on examples as if it had never seen the baseline, which is the worst case of any pairing. Attacks are independent of
 * each other, which is the worst case for the number of false alarms. The judging is the gate's own code, the accuracy on
 * unedited texts included.
 */
import { random } from '../src/core/random.js';
import { type Change, judgeChanges } from '../src/gate/changes.js';

const N = 500;
const MAX_INCREASE = 0.03;
const RATE = 0.3;
const ACCURACY = 0.9;

interface Scenario {
  readonly attacks: number;
  /** Share of the examples that change although nothing changed; undefined: no memory of the baseline. */
  readonly churn: number | undefined;
  readonly maxIncrease: number;
}

/** One release: a paired table for each attack and for the accuracy. `rise`: of the success rate of the attacks named first. */
function release(
  stream: ReturnType<typeof random>,
  { attacks, churn }: Scenario,
  rise: number,
  rising: number,
): Change[] {
  const table = (rate: number, up: number): Change['counts'] => {
    const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
    const to = rate + up;
    // P(1 -> 0) and P(0 -> 1), such that the rate becomes `to`.
    const falls = churn === undefined ? 1 - to : churn / 2 / rate;
    const rises = churn === undefined ? to : (churn / 2 + up) / (1 - rate);
    for (let example = 0; example < N; example++) {
      const was = stream.unit() < rate;
      const is = was ? stream.unit() >= falls : stream.unit() < rises;
      counts[was ? (is ? 'both' : 'onlyA') : is ? 'onlyB' : 'neither'] += 1;
    }
    return counts;
  };
  return [
    { name: 'clean', metric: 'accuracy', counts: table(ACCURACY, 0) },
    ...Array.from(
      { length: attacks },
      (_, at): Change => ({
        name: `attack ${at}`,
        metric: 'attackSuccessRate',
        counts: table(RATE, at < rising ? rise : 0),
      }),
    ),
  ];
}

function failures(scenario: Scenario, rise: number, rising: number, releases: number, seed: number): number {
  let failed = 0;
  for (let at = 0; at < releases; at++) {
    const stream = random(seed, 'gate', JSON.stringify(scenario), String(rise), String(at));
    const changes = judgeChanges(release(stream, scenario, rise, rising), scenario.maxIncrease);
    if (changes.some(({ verdict }) => verdict === 'failed')) failed += 1;
  }
  return failed / releases;
}

const releases = Number(process.argv[2] ?? 10_000);
const seed = Number(process.argv[3] ?? 42);
const percent = (share: number): string => `${(100 * share).toFixed(2)} %`;

console.log(`${releases} releases a cell, n = ${N}, attack success rate ${RATE}, accuracy ${ACCURACY}, seed ${seed}\n`);
console.log(
  '| attacks | churn | allowed rise | fails without a change | all rise by 10 points: caught | one rises: caught |',
);
console.log('|---:|---:|---:|---:|---:|---:|');
for (const maxIncrease of [MAX_INCREASE, 0]) {
  for (const attacks of [1, 4]) {
    for (const churn of [0.05, 0.1, 0.2, undefined]) {
      const scenario = { attacks, churn, maxIncrease };
      const cells = [
        failures(scenario, 0, 0, releases, seed),
        failures(scenario, 0.1, attacks, releases, seed),
        attacks === 1 ? undefined : failures(scenario, 0.1, 1, releases, seed),
      ].map((share) => (share === undefined ? '' : percent(share)));
      console.log(
        `| ${[attacks, churn === undefined ? 'no memory' : percent(churn), percent(maxIncrease), ...cells].join(' | ')} |`,
      );
    }
  }
}
