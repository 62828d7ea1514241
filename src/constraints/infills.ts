/** @file Checks that guessed words keep the meaning. A language model suggests whatever fits, including opposites. */

import { z } from 'zod';
import { constraint } from '../core/component.js';
import { Draft } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { type Language, languagePart } from '../core/language.js';
import type { Constraint } from '../core/search.js';
import { eachWord } from './meaning.js';

const descriptions = new WeakMap<Language, Map<string, boolean>>();

/** Is the word, out of context, an adjective or adverb, which can be added without breaking the sentence? */
function describes(word: string, language: Language): boolean {
  const known = getOrCompute(descriptions, language, () => new Map<string, boolean>());
  const tag = () => languagePart(language, 'partOfSpeech').tags(Draft.of(word))[0]?.universal;
  return getOrCompute(known, word, () => /^AD[JV]$/.test(tag() ?? ''));
}

/** Original words of the slot and of the following slots that were merged into it. */
function replacedWords(candidate: Draft, original: Draft, slot: number): string[] {
  const words = [original.word(slot)];
  for (let next = slot + 1; next < candidate.size && candidate.word(next) === ''; next++)
    words.push(original.word(next));
  return words;
}

/** Words inserted before or after a word that stays; undefined if it does not stay. */
function besides(now: string, kept: string): string | undefined {
  if (now.startsWith(`${kept} `)) return now.slice(kept.length + 1);
  return now.endsWith(` ${kept}`) ? now.slice(0, -kept.length - 1) : undefined;
}

/**
 * Each guessed word has at least this WordNet similarity to a word that it replaces, and is not an opposite of any. A word inserted next to
 * one that stays is an adjective or adverb that neither expresses sentiment nor negates.
 */
export function infillsFit(least: number): Constraint {
  const fits = (candidate: Draft, original: Draft, slot: number, language: Language): boolean => {
    const { areOpposed } = languagePart(language, 'antonyms');
    const now = candidate.word(slot);
    if (now === '') return slot > 0 && candidate.word(slot - 1) !== original.word(slot - 1);
    const before = replacedWords(candidate, original, slot);
    const kept = original.word(slot);
    const added = besides(now, kept);
    if (added !== undefined) {
      const { judges, denies } = languagePart(language, 'negation');
      return (
        describes(added, language) && !judges(added) && !denies(added) && added !== kept && !areOpposed(added, kept)
      );
    }
    if (language.articles?.has(now) && language.articles.has(kept)) return true;
    const { similarity } = languagePart(language, 'synonyms');
    return (
      before.every((word) => !areOpposed(now, word)) &&
      Math.max(...before.map((word) => similarity(now, word))) >= least
    );
  };
  return eachWord(
    `guesses at least ${least} alike (WordNet), no opposites; additions describe, judge and deny nothing`,
    ['antonyms', 'negation', 'partOfSpeech', 'synonyms'],
    fits,
  );
}

export const infillConstraints = [
  constraint({
    name: 'guesses-fit',
    summary:
      'Guessed words are close in WordNet to what they replace and not opposites; inserted words describe without sentiment.',
    main: 'least',
    options: { least: z.number().min(0).max(1).default(0.45).describe('minimum similarity in WordNet') },
    create: ({ least }) => infillsFit(least),
  }),
];
