/** @file Constraints on meaning, judged word by word. A rewrite of the whole text cannot be judged and is refused. */
import { z } from 'zod';
import { constraint } from '../core/component.js';
import type { Draft } from '../core/draft.js';
import { type Language, type LanguagePart, languagePart, type UniversalTag } from '../core/language.js';
import type { Constraint } from '../core/search.js';
import { CorpusStatistics } from '../language/corpus-statistics.js';
import { sentenceSimilarity } from '../language/sentence-similarity.js';
import { type VectorFile, vectorsAt, vectorsOption } from '../language/vector-file.js';

/** Judges each slot that differs from the original. */
export const eachWord = (
  name: string,
  language: readonly LanguagePart[],
  holds: (candidate: Draft, original: Draft, slot: number, language: Language) => boolean,
): Constraint => ({
  name,
  language,
  accepts: (candidates, original, spoken) =>
    candidates.map(
      (candidate) =>
        candidate.sharesOriginalWith(original) &&
        [...candidate.editedSince(original)].every((slot) => holds(candidate, original, slot, spoken)),
    ),
});

/** Antonym guard: no word is replaced by its opposite. */
export const noOpposites: Constraint = eachWord(
  'no opposites',
  ['antonyms'],
  (candidate, original, slot, language) =>
    !languagePart(language, 'antonyms').areOpposed(original.word(slot), candidate.word(slot)),
);

const OPEN: readonly UniversalTag[] = ['NOUN', 'VERB'];

/** Each word keeps its part of speech in its sentence; with `verbNoun` (Jin et al. 2020) nouns and verbs are interchangeable. */
export const samePartOfSpeech = (verbNoun = false): Constraint =>
  eachWord(
    verbNoun ? 'same part of speech (noun and verb alike)' : 'same part of speech',
    ['partOfSpeech'],
    (candidate, original, slot, language) => {
      const { tags } = languagePart(language, 'partOfSpeech');
      const [now, before] = [candidate, original].map((draft) => tags(draft)[slot]?.universal as UniversalTag) as [
        UniversalTag,
        UniversalTag,
      ];
      return now === before || (verbNoun && OPEN.includes(now) && OPEN.includes(before));
    },
  );

/**
 * Minimum similarity of each word to the one it replaces: cosine of their vectors, or WordNet (`wordSimilarity`) without vectors or if they
 * lack a word.
 */
export function wordsAlike(least: number, file?: VectorFile): Constraint {
  const alike = eachWord(
    `words at least ${least} alike (${file === undefined ? 'WordNet' : 'vectors'})`,
    ['synonyms'],
    (candidate, original, slot, language) => {
      const [now, before] = [candidate.word(slot), original.word(slot)];
      return (
        (language.articles?.has(now) && language.articles.has(before)) ||
        (file?.vectors?.similarity(now, before) ?? languagePart(language, 'synonyms').similarity(now, before)) >= least
      );
    },
  );
  return file === undefined ? alike : { ...alike, prepare: () => file.load() };
}

/** Minimum similarity of the whole text to the original by the built-in measure (`sentenceSimilarity`), not a sentence encoder. */
export function meaningKept(least: number): Constraint {
  const texts = new CorpusStatistics();
  return {
    prepare: (sample, victim) => texts.learn(sample, victim),
    name: `text at least ${least} alike (by words' rarity and WordNet)`,
    language: ['synonyms'],
    accepts: (candidates, original, language) =>
      candidates.map(
        (candidate) =>
          candidate.sharesOriginalWith(original) &&
          sentenceSimilarity(original, candidate, texts.weight(language), language) >= least,
      ),
  };
}

const likeness = z.number().min(0).max(1);

export const meaningConstraints = [
  constraint({ name: 'no-opposites', summary: 'No word is replaced by its opposite.', create: () => noOpposites }),
  constraint({
    name: 'same-part-of-speech',
    summary: 'Each word keeps its part of speech in its sentence.',
    options: { verbNoun: z.boolean().default(false).describe('nouns and verbs are interchangeable') },
    create: ({ verbNoun }) => samePartOfSpeech(verbNoun),
  }),
  constraint({
    name: 'words-alike',
    summary: 'Minimum similarity of each word to the one it replaces, by WordNet or by your vectors.',
    main: 'least',
    options: {
      least: likeness.default(0.8).describe('minimum similarity, or cosine, of two words'),
      vectors: vectorsOption(),
    },
    create: ({ least, vectors }) => wordsAlike(least, vectorsAt(vectors)),
  }),
  constraint({
    name: 'text-alike',
    summary: 'Minimum similarity of the whole text to the original, by word rarity and WordNet.',
    main: 'least',
    options: { least: likeness.default(0.84).describe('minimum similarity of the texts') },
    create: ({ least }) => meaningKept(least),
  }),
];
