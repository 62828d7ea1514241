/** @file Which words of an explanation are shown, and on which of them two models disagree. */
import type { Attribution, Explanation } from '../src/results/report/explanation.js';

/** Weights of one method for one text and one model. */
export interface WordSeries {
  /** The method, and the model where there are several. */
  readonly title: string;
  readonly attribution: Attribution;
}

/** Method by method, of each the models side by side. */
export const seriesOf = (explanations: readonly Explanation[]): WordSeries[] =>
  (explanations[0]?.methods ?? []).flatMap((_, method) =>
    explanations.map(({ model, methods }) => {
      const attribution = methods[method] as Attribution;
      return { title: explanations.length > 1 ? `${attribution.name} ${model.name}` : attribution.name, attribution };
    }),
  );

/** Attention is never negative, and says nothing about the direction of a word's effect: grey, without a sign. */
export const isUndirected = ({ name }: Pick<Attribution, 'name'>): boolean => name === 'attention';

/** Largest |weight|, never 0. */
export const heaviestWeight = ({ words }: Attribution): number =>
  Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));

/** Places of the `most` words that weigh most by any of them, in text order. */
export function shownWords(sides: readonly Attribution[], most: number): number[] {
  const count = Math.max(...sides.map(({ words }) => words.length));
  const heaviest = sides.map(heaviestWeight);
  const share = Array.from({ length: count }, (_, at) =>
    Math.max(...sides.map(({ words }, side) => Math.abs(words[at]?.weight ?? 0) / (heaviest[side] as number))),
  );
  return [...share.keys()]
    .sort((a, b) => (share[b] as number) - (share[a] as number) || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
}

/** Places of the words that two models weigh in opposite directions, both at a tenth of their heaviest word's weight or more. */
export function disagreements([a, b]: readonly Attribution[]): ReadonlySet<number> {
  if (a === undefined || b === undefined) return new Set();
  const [mostA, mostB] = [heaviestWeight(a), heaviestWeight(b)];
  return new Set(
    a.words.flatMap(({ weight }, at) => {
      const [one, other] = [weight / mostA, (b.words[at]?.weight ?? 0) / mostB];
      return one * other < 0 && Math.min(Math.abs(one), Math.abs(other)) >= 0.1 ? [at] : [];
    }),
  );
}
