/** @file Constraints on the amount of change. */
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { constraint } from '../core/component.js';
import { type Draft, wordsEdited } from '../core/draft.js';
import type { Constraint } from '../core/search.js';

/** No word is edited twice (TextAttack's RepeatModification): keeps each edit as small as its transformation makes it. */
export const noRepeat: Constraint = { name: 'each word edited once', editable: (draft, at) => !draft.edited.has(at) };

/** At most `count` words edited. */
export function maxWords(count: number): Constraint {
  return {
    name: `at most ${count} ${count === 1 ? 'word' : 'words'} edited`,
    editable: (draft, at) => draft.edited.size < count || draft.edited.has(at),
    accepts: (candidates, original) => candidates.map((candidate) => wordsEdited(candidate, original) <= count),
  };
}

/** At most this fraction of the words edited, rounded up so that every text allows at least one (as in TextAttack). */
export function maxFraction(fraction: number): Constraint {
  const most = (draft: Draft) => Math.ceil(draft.size * fraction);
  return {
    name: `at most ${Math.round(fraction * 100)} % of words edited`,
    editable: (draft, at) => draft.edited.size < most(draft) || draft.edited.has(at),
    accepts: (candidates, original) =>
      candidates.map((candidate) => wordsEdited(candidate, original) <= most(original)),
  };
}

/** At most `edits` character insertions, deletions and substitutions in the whole text (Levenshtein distance). */
export function maxEdits(edits: number): Constraint {
  return {
    name: `at most ${edits} character edits`,
    accepts: (candidates, original) => candidates.map((candidate) => withinDistance(candidate, original, edits)),
  };
}

/** At most one character edit (Levenshtein distance) in every `characters` characters of the text, rounded up. */
export function maxEditShare(characters: number): Constraint {
  return {
    name: `at most 1 edit in ${characters} characters`,
    accepts: (candidates, original) => {
      const most = Math.ceil(original.text.length / characters);
      return candidates.map((candidate) => withinDistance(candidate, original, most));
    },
  };
}

/**
 * Same result as measuring the whole texts, but much faster: the distance is at most the sum over the differing parts, and that sum nearly
 * always decides.
 */
function withinDistance(candidate: Draft, original: Draft, most: number): boolean {
  if (candidate.sharesOriginalWith(original)) {
    let bound = 0;
    for (const { before, after } of candidate.differences) bound += distanceBetweenEnds(before, after);
    if (bound <= most) return true;
  }
  if (Math.abs(candidate.text.length - original.text.length) > most) return false;
  return distanceBetweenEnds(candidate.text, original.text) <= most;
}

/** Levenshtein distance without the common prefix and suffix, which do not affect it and are most of a long word with one edit. */
function distanceBetweenEnds(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return distance(a.slice(start, a.length - end), b.slice(start, b.length - end));
}

const count = z.int().min(1);

export const editConstraints = [
  constraint({ name: 'no-repeat', summary: 'No word is edited twice.', create: () => noRepeat }),
  constraint({
    name: 'max-words',
    summary: 'Limits the number of edited words.',
    main: 'words',
    options: { words: count.default(5).describe('words that may be edited') },
    create: ({ words }) => maxWords(words),
  }),
  constraint({
    name: 'max-fraction',
    summary: 'Limits the share of edited words; one edit is always allowed.',
    main: 'share',
    options: { share: z.number().gt(0).max(1).default(0.25).describe('largest share of the words edited') },
    create: ({ share }) => maxFraction(share),
  }),
  constraint({
    name: 'max-edits',
    summary: 'Limits the characters inserted, deleted or replaced in the whole text.',
    main: 'edits',
    options: { edits: count.default(30).describe('Levenshtein distance of the whole text') },
    create: ({ edits }) => maxEdits(edits),
  }),
  constraint({
    name: 'max-edit-share',
    summary: 'Limits the share of characters inserted, deleted or replaced; one edit is always allowed.',
    main: 'characters',
    options: { characters: count.default(8).describe('characters of the text for each edit') },
    create: ({ characters }) => maxEditShare(characters),
  }),
];
