/** @file Which words fooled the model, in one line. */
import type { Explanation, Outcome, Report } from '../src/index.js';

/** Words named on each side. */
const NAMED = 3;

const signed = (weight: number): string => `${weight < 0 ? '-' : '+'}${Math.abs(weight).toFixed(2)}`;

const heaviest = ({ methods }: Explanation): string =>
  (methods[0]?.words ?? [])
    .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight) || a.start - b.start)
    .slice(0, NAMED)
    .map(({ word, weight }) => `${word} ${signed(weight)}`)
    .join(', ');

/** `What counted for positive before: good +0.50, film +0.02; after: goood -0.01, ...`; undefined where the outcome was not explained. */
export function weighed({ explanations = [] }: Pick<Report, 'explanations'>, outcome: Outcome): string | undefined {
  const found = explanations.find(({ id, attack }) => id === outcome.id && attack === outcome.attack);
  if (found === undefined) return undefined;
  const { before, after } = found;
  return `What counted for ${before.label} before: ${heaviest(before)}; after: ${heaviest(after)}`;
}
