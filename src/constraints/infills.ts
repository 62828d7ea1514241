/** @file Checks that guessed words keep the meaning. A language model suggests whatever fits, including opposites. */
import { z } from 'zod';
import { constraint } from '../core/component.js';
import { Draft } from '../core/draft.js';
import { getOrCompute } from '../core/get-or-compute.js';
import { type Language, languagePart } from '../core/language.js';
import type { Constraint } from '../core/search.js';
import { eachWord } from './meaning.js';

const descriptions = new WeakMap<Language, Map<string, string>>();

/** What the word is out of context. */
function classOf(word: string, language: Language): string {
  const known = getOrCompute(descriptions, language, () => new Map<string, string>());
  return getOrCompute(
    known,
    word,
    () => languagePart(language, 'partOfSpeech').tags(Draft.of(word))[0]?.universal ?? 'X',
  );
}

/** Can the word stand before slot `at`, next to no other edit? An adjective before a noun of one word, an adverb before a verb. */
function isPlaced(word: string, candidate: Draft, original: Draft, at: number, language: Language): boolean {
  // Nothing is added at the end of a text.
  if (at >= original.size) return false;
  const { tags } = languagePart(language, 'partOfSpeech');
  const [before, next] = [tags(original)[at - 1]?.universal, tags(original)[at]?.universal];
  const isAlone = [at - 1, at].filter((slot) => slot >= 0 && candidate.word(slot) !== original.word(slot)).length === 1;
  const isRepeated = [at - 1, at].some((slot) => slot >= 0 && original.word(slot) === word);
  if (!isAlone || isRepeated || (at > 0 && original.gapBefore(at) !== ' ')) return false;
  const kind = classOf(word, language);
  return (
    (kind === 'ADJ' && next === 'NOUN' && before !== 'NOUN') || (kind === 'ADV' && next === 'VERB' && before !== 'VERB')
  );
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
 * Each guessed word has at least this WordNet similarity to a word that it replaces, is not an opposite of any, and praises or blames as they
 * do. What denies stays. A word inserted next to one that stays is one that may be added to any sentence: an adjective or adverb that neither
 * expresses sentiment nor negates.
 */
export function infillsFit(least: number): Constraint {
  const fits = (candidate: Draft, original: Draft, slot: number, language: Language): boolean => {
    const { areOpposed } = languagePart(language, 'antonyms');
    const { judges, judgment = judges, denies, additions } = languagePart(language, 'negation');
    const now = candidate.word(slot);
    if (now === '') return slot > 0 && candidate.word(slot - 1) !== original.word(slot - 1);
    const before = replacedWords(candidate, original, slot);
    const kept = original.word(slot);
    const added = besides(now, kept);
    if (added !== undefined) {
      const isHarmless = additions?.has(added) ?? (!judges(added) && !denies(added));
      return (
        isHarmless &&
        isPlaced(added, candidate, original, now.startsWith(kept) ? slot + 1 : slot, language) &&
        !areOpposed(added, kept)
      );
    }
    if (language.articles?.has(now) && language.articles.has(kept)) return true;
    const { similarity } = languagePart(language, 'synonyms');
    const said = new Set([now, ...before].map((word) => (judges(word) ? judgment(word) : 'nothing')));
    return (
      said.size === 1 &&
      !said.has('unclear') &&
      !said.has(true) &&
      ![now, ...before].some(denies) &&
      before.every((word) => !areOpposed(now, word)) &&
      Math.max(...before.map((word) => similarity(now, word))) >= least
    );
  };
  return eachWord(
    `guesses at least ${least} alike (WordNet), no opposites, the same praise or blame; denials kept; additions from a list without opinions`,
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
