import type { Outcome } from './outcome.js';

/** With more decimals, single precision does not distinguish scores from 0.1 to 1. */
const MOST_DECIMALS = 9;

/** A threshold or a distance with at most four significant digits. */
export const thresholdText = (at: number): string => Number(at.toPrecision(4)).toString();

/**
 * Scores with the same number of decimals: `least`, or as many as distinguish all different scores from each other and from the threshold.
 * Scores have single precision: those that are equal in it are equal.
 */
export function scoreTexts(
  scores: readonly number[],
  { threshold, least = 2 }: { readonly threshold?: number | undefined; readonly least?: number | undefined } = {},
): { readonly scores: string[]; readonly threshold: string } {
  const all = threshold === undefined ? scores : [threshold, ...scores];
  const singles = all.map(Math.fround);
  const unlike = (texts: readonly string[]): boolean =>
    texts.every((text, at) => texts.every((other, of) => text !== other || singles[at] === singles[of]));
  const format = (decimals: number): string[] => all.map((score) => score.toFixed(decimals));
  let decimals = Math.max(least, threshold === undefined ? 0 : decimalsOf(thresholdText(threshold)));
  while (decimals < MOST_DECIMALS && !unlike(format(decimals))) decimals++;
  const texts = unlike(format(decimals))
    ? format(decimals)
    : all.map((score) => Number(score.toPrecision(MOST_DECIMALS)).toString());
  return threshold === undefined ? { scores: texts, threshold: '' } : { scores: texts.slice(1), threshold: texts[0]! };
}

const decimalsOf = (text: string): number => (/^\d+\.(\d+)$/.exec(text)?.[1] ?? '').length;

export interface Decided {
  readonly labels: readonly string[];
  /** A DecisionRule, of which only that of a detector matters here. */
  readonly rule?: { readonly kind: string; readonly positive?: readonly string[]; readonly at?: unknown } | undefined;
  readonly least?: number;
}

/**
 * Scores of an outcome before and after its attack: for a detector the score of what it detects, with its threshold; otherwise the scores
 * of the true label, or the numbers returned.
 */
export function outcomeScores(
  { label, scoreBefore, scoreAfter }: Pick<Outcome, 'label' | 'scoreBefore' | 'scoreAfter'>,
  { labels, rule, least }: Decided,
): { readonly before: string; readonly after: string; readonly threshold: string } {
  const detector = rule?.positive === undefined ? undefined : rule;
  // An outcome stores the confidence in the true label.
  const ofOthers = detector !== undefined && !detector.positive?.includes(labels[label] ?? '');
  const {
    scores: [before = '', after = ''],
    threshold,
  } = scoreTexts(ofOthers ? [1 - scoreBefore, 1 - scoreAfter] : [scoreBefore, scoreAfter], {
    threshold: detector?.at as number | undefined,
    least,
  });
  return { before, after, threshold };
}
