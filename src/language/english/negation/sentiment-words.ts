/** @file Words with sentiment, and their counterparts under negation. */
import { getOrCompute } from '../../../core/get-or-compute.js';
import type { WordList } from '../../../core/language.js';
import type { Polarity } from '../../../core/negation.js';
import { lazily } from '../../data-files.js';
import { baseForms } from '../base-forms.js';
import { section, table } from '../data-files.js';
import { isStopWord } from '../stop-words.js';
import { wordSimilarity } from '../word-similarity.js';
import { WORD_CLASSES, wordnet } from '../wordnet.js';

export interface WordSentiment {
  readonly polarity: Polarity;
  /** "good" -> "bad", because "not bad at all" is similar. Undefined if no negated word means nearly the same. */
  readonly opposite: string | undefined;
  /** The word to negate for the opposite meaning: itself, or "good" for "superb". */
  readonly denied: string;
}

const allVerdicts = lazily(
  () =>
    new Map<string, WordSentiment>(
      table('opposites.tsv').map(([adjective = '', sign, opposite = '', denied]) => [
        adjective,
        {
          polarity: sign === '+' ? 'positive' : 'negative',
          opposite: opposite === '-' ? undefined : opposite,
          denied: denied ?? adjective,
        },
      ]),
    ),
);

/** Sentiment of an adjective, or undefined if it has none by itself. */
export const verdictOf = (word: string): WordSentiment | undefined => allVerdicts().get(word);

const polarityOnly = lazily(
  () =>
    new Map<string, Polarity>([
      ...section('negation-words.txt', 'more praise').words.map((word) => [word, 'positive'] as const),
      ...['worst blame', 'more blame']
        .flatMap((name) => section('negation-words.txt', name).words)
        .map((word) => [word, 'negative'] as const),
    ]),
);

/** Sentiment of an adjective, also of those without an opposite ("dreadful"). */
export const polarityOf = (word: string): Polarity | undefined => verdictOf(word)?.polarity ?? polarityOnly().get(word);

export const oppositePolarity = (polarity: Polarity): Polarity => (polarity === 'positive' ? 'negative' : 'positive');

const wordsIn = (name: string): string[] => section('judging-words.txt', name).words.flatMap((line) => line.split(' '));
const judgingWords = lazily(
  () =>
    new Map<string, Polarity>([
      ...wordsIn('praise').map((word) => [word, 'positive'] as const),
      ...wordsIn('blame').map((word) => [word, 'negative'] as const),
    ]),
);
const addable = lazily(() => new Set(wordsIn('additions')));

/** Words that may be added to any sentence without an opinion. */
export const additions: WordList = {
  get words() {
    return [...addable()];
  },
  has: (word) => addable().has(word.toLowerCase()),
};

/** The word, its dictionary forms, and the adjective of an adverb or a noun in -ness: "messily" -> "messy". */
const forms = (word: string): string[] => {
  const stem = /^(.{3,}?)(?:ly|ness)$/.exec(word)?.[1];
  const adjectives = stem === undefined ? [] : [stem, `${stem}le`, `${stem}e`, stem.replace(/i$/, 'y'), `${stem}ly`];
  return [word, ...WORD_CLASSES.flatMap((wordClass) => baseForms(word, wordClass)), ...adjectives];
};

const judging = new Map<string, Polarity | 'unclear' | undefined>();

/** Does the word praise or blame, in any form? "unclear": neither is known, but it is adjacent in WordNet to a word that does. */
export function judgmentOf(word: string): Polarity | 'unclear' | undefined {
  const lower = word.toLowerCase();
  return getOrCompute(judging, lower, () => {
    for (const form of forms(lower)) {
      const known = polarityOf(form) ?? judgingWords().get(form);
      if (known !== undefined) return known;
    }
    const [, prefix, rest = ''] = /^(un|non-?|in|im|ir|il|dis)(.{3,})$/.exec(lower) ?? [];
    const denied = forms(rest).flatMap((form) => polarityOf(form) ?? judgingWords().get(form) ?? [])[0];
    if (prefix !== undefined && denied !== undefined) return oppositePolarity(denied);
    if (/^.{3,}less(?:ly|ness)?$/.test(lower) || (prefix === 'un' && wordnet.has(rest, 'adjective'))) return 'unclear';
    return [...allVerdicts().keys()].some((verdict) => wordSimilarity(lower, verdict) >= 0.7) ? 'unclear' : undefined;
  });
}

const DENYING = section('negation-words.txt', 'denying neighbours');
const DENIALS = section('negation-words.txt', 'denials');

/**
 * Does the word negate, restrict or weaken its neighbours? In any spelling of "n't"; "un-" and "non-" do in any word. What no attack inserts,
 * replaces by another word, merges or leaves out.
 */
export function isNegating(word: string): boolean {
  const lower = word.toLowerCase().replaceAll('’', "'");
  return (
    DENYING.has(lower) ||
    DENIALS.has(lower) ||
    /n't$|^(?:un|non-?)\p{L}{3,}$/u.test(lower) ||
    // "dont"
    (lower.endsWith('nt') && isStopWord(`${lower.slice(0, -1)}'t`))
  );
}
