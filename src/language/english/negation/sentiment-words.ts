/** @file The words that carry a verdict, and their counterparts under a negation. */
import type { Polarity } from '../../../core/negation.js';
import { section, table } from '../data-files.js';
import { wordSimilarity } from '../word-similarity.js';

export interface WordSentiment {
  readonly polarity: Polarity;
  /** "good" -> "bad": not bad at all. Undefined where no denied word says nearly the same. */
  readonly opposite: string | undefined;
  /** What to deny to say the contrary: itself, or "good" for "superb". */
  readonly denied: string;
}

let verdicts: ReadonlyMap<string, WordSentiment> | undefined;

/** The verdict of an adjective, or undefined where it has none by itself. */
export const verdictOf = (word: string): WordSentiment | undefined => allVerdicts().get(word);

/** The adjectives that carry a verdict. */
const verdictWords = (): string[] => [...allVerdicts().keys()];

function allVerdicts(): ReadonlyMap<string, WordSentiment> {
  verdicts ??= new Map(
    table('opposites.tsv').map(([adjective, sign, opposite, denied]) => [
      adjective as string,
      {
        polarity: sign === '+' ? 'positive' : 'negative',
        opposite: opposite === '-' ? undefined : (opposite as string),
        denied: denied ?? (adjective as string),
      },
    ]),
  );
  return verdicts;
}

export const oppositePolarity = (polarity: Polarity): Polarity => (polarity === 'positive' ? 'negative' : 'positive');

const judging = new Map<string, boolean>();

/** Does the word carry a verdict, or lie beside one that does in WordNet ("dreadful" for "terrible")? */
export function carriesSentiment(word: string): boolean {
  const lower = word.toLowerCase();
  let found = judging.get(lower);
  if (found === undefined) {
    found = verdictOf(lower) !== undefined || verdictWords().some((verdict) => wordSimilarity(lower, verdict) >= 0.7);
    judging.set(lower, found);
  }
  return found;
}

const DENYING = section('negation-words.txt', 'denying what stands beside');

/** Does the word turn, narrow or weaken what stands beside it? "un-" does in any word. */
export const isNegating = (word: string): boolean => DENYING.has(word.toLowerCase()) || /^un\p{L}+$/iu.test(word);

const DENIALS = section('negation-words.txt', 'denials');
/** Of two such words in a statement each takes the other back. */
export const isDenial = (word: string): boolean => DENIALS.has(word.toLowerCase());
