/** @file Constraints on which words may be edited. */
import { z } from 'zod';
import { constraint } from '../core/component.js';
import { type Draft, wordsOf } from '../core/draft.js';
import { languagePart } from '../core/language.js';
import type { Constraint } from '../core/search.js';
import { unreadableWords } from '../language/quality.js';

/**
 * Function words stay: losing one can reverse a sentence's meaning ("not") or break its grammar. A language without a list protects none.
 */
export const keepStopWords: Constraint = {
  name: 'stop words kept',
  editable: (draft, at, { stopWords }) => stopWords?.has(draft.word(at)) !== true,
};

/** Words that deny or weaken others stay: "never", "hardly", "without". */
export const keepDenials: Constraint = {
  name: 'negations kept',
  editable: (draft, at, { negation }) => negation?.denies(draft.word(at)) !== true,
};

/** No word becomes a function word ("always" -> "ever", "different" -> "other"); insertions and deletions are not judged. */
export const noNewStopWords: Constraint = {
  name: 'no word becomes a stop word',
  accepts: (candidates, original, { stopWords }) =>
    candidates.map(
      (candidate) =>
        stopWords === undefined ||
        !candidate.sharesOriginalWith(original) ||
        [...candidate.editedSince(original)].every(
          (slot) => !stopWords.has(candidate.word(slot)) || stopWords.has(original.word(slot)),
        ),
    ),
};

/** Words of fewer than `letters` UTF-16 code units stay. Han characters are exempt, because most Chinese words have one or two. */
export function minLength(letters: number): Constraint {
  return {
    name: `only words of ${letters} letters or more`,
    editable: (draft, at) => draft.word(at).length >= letters || /\p{Script=Han}/u.test(draft.word(at)),
  };
}

/** Words that usually carry the opinion stay. */
export const keepDescriptions: Constraint = {
  name: 'adjectives and adverbs kept',
  language: ['partOfSpeech'],
  editable: (draft, at, language) =>
    !/^(?:ADJ|ADV)$/.test(languagePart(language, 'partOfSpeech').tags(draft)[at]?.universal ?? ''),
};

/**
 * A reader still recognises every word: the same first and last letter and at most one letter between them replaced, added or lost (see
 * language/word-recognition.ts); words written apart or together keep their letters.
 */
export const readableWords: Constraint = {
  name: 'every word stays readable',
  accepts: (candidates, original, language) =>
    unreadableWords(
      original.text,
      candidates.map(({ text }) => text),
      language,
    ).map((unreadable) => unreadable === 0),
};

/** Without `protect`, which is the run's option --protect. */
export const wordConstraints = [
  constraint({ name: 'keep-stop-words', summary: 'Function words stay.', create: () => keepStopWords }),
  constraint({ name: 'keep-denials', summary: 'Words that deny or weaken others stay.', create: () => keepDenials }),
  constraint({ name: 'keep-descriptions', summary: 'Adjectives and adverbs stay.', create: () => keepDescriptions }),
  constraint({
    name: 'min-length',
    summary: 'Words below a minimum length stay.',
    main: 'letters',
    options: { letters: z.int().min(1).default(4).describe('minimum number of letters of an edited word') },
    create: ({ letters }) => minLength(letters),
  }),
  constraint({
    name: 'readable-words',
    summary: 'A reader still recognises every word of the text.',
    create: () => readableWords,
  }),
];

const bare = (word: string) => word.toLowerCase().replaceAll('’', "'");

/**
 * Words and phrases that no attack may change, in any case: product names, customer names. A phrase is matched word by word, with anything
 * between the words.
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
    // A rewrite of the whole text has no slots to compare, so it must contain each phrase as often as before.
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
