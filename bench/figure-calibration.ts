/**
 * How often the gate finds a figure of a decision worse although nothing changed, by simulation: at most 5 % of releases. Both runs are drawn
 * alike, with an error that they share for each text and one of their own, so that no figure of either is truly worse.
 *
 *   npm run bench -- dist/bench/figure-calibration.js [releases] [seed]
 *
 * The judging is the gate's own code, with no tolerance.
 */

import { type Random, random } from '../src/core/random.js';
import { judgeChanges } from '../src/gate/changes.js';
import { pairedFigures } from '../src/tasks/compare.js';
import type { DetectorAnswers } from '../src/tasks/detector/compare.js';
import type { ComparedRun } from '../src/tasks/task.js';

const SIZES = [60, 200];
const letters = (yes: readonly boolean[]): string => yes.map((each) => (each ? '1' : '0')).join('');

/** Draws the texts, and then as many runs on them as are asked for. */
type Drawn = (n: number, stream: Random) => () => ComparedRun;

const detector: Drawn = (n, stream) => {
  const texts = Array.from({ length: n }, () => ({ is: stream.unit() < 0.4, hard: stream.normal() }));
  return () => {
    const scores = texts.map(({ is, hard }) => {
      const evidence = (is ? 1.2 : -1.2) + hard + 0.7 * stream.normal();
      return Math.round(1e6 / (1 + Math.exp(-evidence))) / 1e6;
    });
    const [truth, found] = [letters(texts.map(({ is }) => is)), letters(scores.map((score) => score >= 0.5))];
    const answers: DetectorAnswers = { kind: 'threshold', truth, found, scores };
    return { rule: { kind: 'threshold', positive: ['yes'], by: 'max', at: 0.5 }, answers };
  };
};

const labelSets: Drawn = (n, stream) => {
  const labels = [0.5, 0.3, 0.1].map((share) =>
    Array.from({ length: n }, () => ({ is: stream.unit() < share, hard: stream.unit() < 0.2 })),
  );
  return () => ({
    rule: { kind: 'multi-label', at: labels.map(() => 0.5) },
    answers: {
      kind: 'multi-label',
      labels: labels.map((texts, at) => ({
        label: String(at),
        truth: letters(texts.map(({ is }) => is)),
        found: letters(texts.map(({ is, hard }) => is !== stream.unit() < (hard ? 0.5 : 0.03))),
      })),
    },
  });
};

const numbers: Drawn = (n, stream) => {
  const texts = Array.from({ length: n }, () => ({ value: 5 * stream.unit(), hard: stream.normal() }));
  return () => ({
    rule: { kind: 'regression', delta: 0.5 },
    answers: {
      kind: 'regression',
      truth: texts.map(({ value }) => value),
      answers: texts.map(({ value, hard }) => value + 0.5 * hard + 0.5 * stream.normal()),
    },
  });
};

const releases = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? 42);

console.log(`${releases} releases a cell, seed ${seed}\n`);
console.log(`| decision | ${SIZES.map((n) => `n = ${n}: fails`).join(' | ')} |`);
console.log('|---|---:|---:|');
for (const [name, drawn] of Object.entries({ detector, 'label sets': labelSets, number: numbers })) {
  const shares = SIZES.map((n) => {
    let failed = 0;
    for (let at = 0; at < releases; at++) {
      const run = drawn(n, random(seed, 'figures', name, String(n), String(at)));
      const figures = pairedFigures(run(), run(), at).filter(({ absent }) => !absent);
      const changes = figures.map((figure) => ({ name: 'clean', figure }));
      if (judgeChanges(changes, 0, 1).some(({ verdict }) => verdict === 'failed')) failed++;
    }
    return `${((100 * failed) / releases).toFixed(1)} %`;
  });
  console.log(`| ${name} | ${shares.join(' | ')} |`);
}
