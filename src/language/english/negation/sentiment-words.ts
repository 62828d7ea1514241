/** @file Words with sentiment, and their counterparts under negation. */
import { getOrCompute } from '../../../core/get-or-compute.js';
import type { Polarity } from '../../../core/negation.js';
import { lazily } from '../../data-files.js';
import { section, table } from '../data-files.js';
import { wordSimilarity } from '../word-similarity.js';

export interface WordSentiment {
  readonly polarity: Polarity;
  /** "good" -> "bad", because "not bad at all" is similar. Undefined if no negated word means nearly the same. */
  readonly opposite: string | undefined;
  /** The word to negate for the opposite meaning: itself, or "good" for "superb". */
  readonly denied: string;
}

let verdicts: ReadonlyMap<string, WordSentiment> | undefined;

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

/** Adjectives with sentiment. */
const verdictWords = (): string[] => [...allVerdicts().keys()];

function allVerdicts(): ReadonlyMap<string, WordSentiment> {
  verdicts ??= new Map(
    table('opposites.tsv').map(([adjective, sign, opposite, denied]) => [
      adjective!,
      {
        polarity: sign === '+' ? 'positive' : 'negative',
        opposite: opposite === '-' ? undefined : opposite!,
        denied: denied ?? adjective!,
      },
    ]),
  );
  return verdicts;
}

export const oppositePolarity = (polarity: Polarity): Polarity => (polarity === 'positive' ? 'negative' : 'positive');

const judging = new Map<string, boolean>();

/** Does the word have sentiment, or is it adjacent in WordNet to one that does ("dreadful" for "terrible")? */
export function carriesSentiment(word: string): boolean {
  const lower = word.toLowerCase();
  const isClose = (verdict: string): boolean => wordSimilarity(lower, verdict) >= 0.7;
  return getOrCompute(judging, lower, () => verdictOf(lower) !== undefined || verdictWords().some(isClose));
}

const DENYING = section('negation-words.txt', 'denying neighbours');

/** Does the word negate, restrict or weaken its neighbours? "un-" does in any word. */
export const isNegating = (word: string): boolean => DENYING.has(word.toLowerCase()) || /^un\p{L}+$/iu.test(word);
