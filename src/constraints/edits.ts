/** @file How much of a text may be changed. */
import { distance } from 'fastest-levenshtein';
import type { Draft } from '../core/draft.js';
import type { Constraint } from '../core/search.js';

/** No word is edited twice (TextAttack's RepeatModification): keeps each edit as small as its transformation makes it. */
export const noRepeat: Constraint = {
  name: 'each word edited once',
  editable: (draft, at) => !draft.edited.has(at),
};

/** At most `count` words edited. */
export function maxWords(count: number): Constraint {
  return {
    name: `at most ${count} ${count === 1 ? 'word' : 'words'} edited`,
    editable: (draft, at) => draft.edited.size < count || draft.edited.has(at),
    accepts: (candidates) => candidates.map((candidate) => candidate.changed <= count),
  };
}

/** At most this fraction of the words edited, rounded up so that every text has at least one (as TextAttack does). */
export function maxFraction(fraction: number): Constraint {
  const most = (draft: Draft) => Math.ceil(draft.size * fraction);
  return {
    name: `at most ${Math.round(fraction * 100)} % of words edited`,
    editable: (draft, at) => draft.edited.size < most(draft) || draft.edited.has(at),
    accepts: (candidates) => candidates.map((candidate) => candidate.changed <= most(candidate)),
  };
}

/** At most `edits` character insertions, deletions and substitutions in the whole text (Levenshtein distance). */
export function maxEdits(edits: number): Constraint {
  return {
    name: `at most ${edits} character edits`,
    accepts: (candidates, original) => candidates.map((candidate) => withinDistance(candidate, original, edits)),
  };
}

/**
 * Same answer as measuring the whole texts, in a fraction of the time: the distance is at most the sum over the stretches
 * that differ, and that sum nearly always settles it.
 */
function withinDistance(candidate: Draft, original: Draft, most: number): boolean {
  if (candidate.sharesOriginalWith(original)) {
    let bound = 0;
    for (const { before, after } of candidate.differences) bound += distance(before, after);
    if (bound <= most) return true;
  }
  if (Math.abs(candidate.text.length - original.text.length) > most) return false;
  return distance(candidate.text, original.text) <= most;
}
