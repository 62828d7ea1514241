/** @file May two finished runs be compared? Only the models may differ, and thresholds, which reports mention. */
import { RobustError } from '../core/errors.js';
import type { DecisionDifference } from '../results/comparison/decision-difference.js';
import { decisionDifference } from '../tasks/compare.js';
import type { RunFolder } from './folder.js';

/** Facts in which compared runs may differ: the models, how they are queried, and versions. */
const FREE = [
  ...['toolVersion', 'engine', 'model', 'labels', 'decision', 'windows'],
  ...['dataLabels', 'language', 'precision'],
];

/** The facts of a fingerprint that comparable runs share, without their attacks. */
export const conditionsOf = (fingerprint: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fingerprint).filter(([name]) => name !== 'attacks' && !FREE.includes(name)));

/** Undefined where both decide alike. */
export const differenceOf = (a: RunFolder, b: RunFolder): DecisionDifference | undefined => {
  const [x, y] = [a.record.model, b.record.model];
  return decisionDifference({ rule: x.decision, labels: x.labels }, { rule: y.decision, labels: y.labels });
};

/** Throws RobustError RUN_MISMATCH for runs whose models decide different questions. */
export function checkDecisions(a: RunFolder, b: RunFolder): void {
  const difference = differenceOf(a, b);
  if (difference?.kind !== 'incomparable') return;
  throw new RobustError(
    `expected two runs that decide the same question, but they differ in their ${difference.what}: run ${a.id} decides ${difference.a}; run ${b.id} decides ${difference.b}`,
    {
      code: 'RUN_MISMATCH',
      hint: 'Run both with one decision: the same --positive for detectors, the same --task, models of the same labels.',
    },
  );
}

/** Throws RobustError RUN_UNFINISHED or RUN_MISMATCH, naming what the runs do not share. */
export function checkComparable(a: RunFolder, b: RunFolder): void {
  for (const { id, record } of [a, b]) {
    if (record.status !== 'done')
      throw new RobustError(`expected a finished run, but ${id} was interrupted`, {
        code: 'RUN_UNFINISHED',
        hint: `Finish it with: robust attack --resume ${id}`,
      });
  }
  checkDecisions(a, b);
  const facts = new Set([a, b].flatMap(({ record }) => Object.keys(record.fingerprint)));
  const different = [...facts].flatMap((name) => {
    if (FREE.includes(name)) return [];
    const [x, y] = [factOf(name, a, b), factOf(name, b, a)].map((fact) => JSON.stringify(fact) ?? 'none');
    return x === y ? [] : [`${name} (${short(x)} and ${short(y)})`];
  });
  if (different.length > 0) throw mismatch(`they differ in ${different.join('; ')}`);
}

/** A fact of a run's fingerprint; of its attacks those that the other run did not have to leave out. */
function factOf(name: string, { record }: RunFolder, other: RunFolder): unknown {
  const fact = record.fingerprint[name];
  const { leftOut = [] } = other.record;
  if (name !== 'attacks' || !Array.isArray(fact)) return fact;
  return fact.filter(({ label }) => leftOut.every((one) => one.name !== label));
}

const short = (text = ''): string => (text.length > 160 ? `${text.slice(0, 157)}...` : text);

export const mismatch = (what: string): RobustError =>
  new RobustError(`expected two runs of the same attacks on the same data with the same seed, but ${what}`, {
    code: 'RUN_MISMATCH',
    hint: 'Give the models instead of the runs: robust compare A B runs both alike.',
  });
