import { distance } from 'fastest-levenshtein';

/**
 * The known name that a mistyped one probably means, or undefined. "Near" is at most a third of the longer name's letters, so `typo` finds
 * `typos` but not `trec`.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const d = distance(name.toLowerCase(), candidate.toLowerCase());
    if (d < least && d <= Math.ceil(Math.max(name.length, candidate.length) / 3)) {
      best = candidate;
      least = d;
    }
  }
  return best;
}

/** `Did you mean "x"?`, or the list of known names. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${near}"?`;
}
