import { distance } from 'fastest-levenshtein';

/** Names suggested for a mistyped one. */
const MOST = 3;
/** That many known names are told whole where none is near. */
const FEW = 10;

/**
 * The known names that a mistyped one probably means, equally near. "Near" is at most a third of the longer name's letters, so `typo` finds
 * `typos` but not `trec`.
 */
function nearestNames(name: string, known: Iterable<string>): string[] {
  let best: string[] = [];
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of new Set(known)) {
    const d = distance(name.toLowerCase(), candidate.toLowerCase());
    if (d > least || d > Math.ceil(Math.max(name.length, candidate.length) / 3)) continue;
    best = d < least ? [candidate] : [...best, candidate];
    least = d;
  }
  return best;
}

/** The known name that a mistyped one probably means, or undefined. */
export const nearest = (name: string, known: Iterable<string>): string | undefined => nearestNames(name, known)[0];

/** `Did you mean "x" or "y"?`; where none is near, the known names if they are few, or the first of them. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known).slice(0, MOST);
  if (near.length > 0) return `Did you mean ${near.map((each) => `"${each}"`).join(' or ')}?`;
  const distinct = [...new Set(known)];
  if (distinct.length <= FEW) return `Known: ${distinct.join(', ')}.`;
  return `Known: ${distinct.slice(0, MOST).join(', ')} and ${distinct.length - MOST} others.`;
}
