/** @file Which words may be edited. */
import { type Draft, wordsOf } from '../core/draft.js';
import type { Constraint } from '../core/search.js';
import { isStopWord } from '../language/english/stop-words.js';

/** Function words stay: their loss can turn a sentence's meaning ("not") or its grammar. */
export const keepStopWords: Constraint = {
  name: 'stop words kept',
  editable: (draft, at) => !isStopWord(draft.word(at)),
};

/** Words of fewer than `letters` UTF-16 code units stay. */
export function minLength(letters: number): Constraint {
  return {
    name: `only words of ${letters} letters or more`,
    editable: (draft, at) => draft.word(at).length >= letters,
  };
}

const bare = (word: string) => word.toLowerCase().replaceAll('’', "'");

/**
 * Words and phrases that no attack may touch, whatever the case of their letters: product names, a customer's own name.
 * A phrase is matched word by word, whatever stands between the words.
 */
export function protect(phrases: readonly string[]): Constraint {
  const wanted = phrases
    .map((phrase) => wordsOf(phrase).map(({ text }) => bare(text)))
    .filter((words) => words.length > 0);
  const covers = (draft: Draft, at: number) =>
    wanted.some((phrase) => phrase.some((_, offset) => matches(draft, at - offset, phrase)));
  return {
    name: `protected: ${phrases.join(', ')}`,
    editable: (draft, at) => !covers(draft, at),
    // A rewrite of the whole text has no slots to compare: it must hold each phrase as often as before.
    accepts: (candidates, original) =>
      candidates.map((candidate) =>
        candidate.sharesOriginalWith(original)
          ? ![...candidate.editedSince(original)].some((at) => covers(original, at))
          : wanted.every((phrase) => occurrences(candidate, phrase) >= occurrences(original, phrase)),
      ),
  };
}

const matches = (draft: Draft, start: number, phrase: readonly string[]) =>
  start >= 0 &&
  start + phrase.length <= draft.size &&
  phrase.every((word, offset) => bare(draft.originalWord(start + offset)) === word);

function occurrences(draft: Draft, phrase: readonly string[]): number {
  let count = 0;
  for (let start = 0; start < draft.size; start++) if (matches(draft, start, phrase)) count++;
  return count;
}
