/** @file Words that two models weigh in opposite directions. */
import type { Attribution } from '../src/index.js';

const heaviest = ({ words }: Attribution): number => Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));

/** Places of the words that two models weigh in opposite directions, both at a tenth of their heaviest word's weight or more. */
export function disagreements([a, b]: readonly Attribution[]): ReadonlySet<number> {
  if (a === undefined || b === undefined) return new Set();
  const [mostA, mostB] = [heaviest(a), heaviest(b)];
  return new Set(
    a.words.flatMap(({ weight }, at) => {
      const [one, other] = [weight / mostA, (b.words[at]?.weight ?? 0) / mostB];
      return one * other < 0 && Math.min(Math.abs(one), Math.abs(other)) >= 0.1 ? [at] : [];
    }),
  );
}
