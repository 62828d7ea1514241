/**
 * @file What turns a text's meaning round though few words change: a denial more or less, an opposite, another number. What each costs was chosen on human
 * judgements; bench/quality.ts holds the whole measure against others.
 */
import type { Language } from '../core/language.js';

/** What is left of the meaning where one text denies what the other says. */
const DENIED = 0.2;
/** ... where a word changed into its opposite. */
const OPPOSED = 0.3;
/** ... where a number changed. */
const OTHER_NUMBER = 0.5;

/** Changed words of each text that are held against each other: of a text written anew opposites say nothing. */
const MOST_WORDS = 100;

type Knowing = Pick<Language, 'tokenize' | 'negation' | 'antonyms' | 'entities'>;

/** Words of the original that are lost, and words of the new text that stand in it instead, or are new. */
export interface ChangedWords {
  readonly lost: readonly string[];
  readonly added: readonly string[];
}

/** What is left of the meaning, from 0 to 1: 1 where nothing turns it round, as in a language of which nothing is known. */
export function unturned(original: string, now: string, { lost, added }: ChangedWords, language: Knowing): number {
  if (lost.length === 0 && added.length === 0) return 1;
  const lower = (text: string): string[] => language.tokenize(text).map((token) => token.toLowerCase());
  const [before, after] = [lower(original), lower(now)];
  const [gone, come] = [lost, added].map((words) => [...new Set(words)].slice(0, MOST_WORDS)) as [string[], string[]];
  const opposed = gone.some((a) => come.some((b) => language.antonyms?.areOpposed(a, b) === true));
  return (
    (oddDenials(before, language) === oddDenials(after, language) ? 1 : DENIED) *
    (opposed ? OPPOSED : 1) *
    (sameNumbers(before, after, language) ? 1 : OTHER_NUMBER)
  );
}

/** Two denials cancel. */
const oddDenials = (tokens: readonly string[], { negation }: Knowing): boolean =>
  tokens.filter((token) => negation?.reverses?.(token) === true).length % 2 === 1;

/** Where both texts have numbers, are they the same? */
function sameNumbers(before: readonly string[], after: readonly string[], { entities }: Knowing): boolean {
  const numbers = (tokens: readonly string[]): string[] =>
    tokens
      .flatMap((token) => (/\p{N}/u.test(token) ? [token] : (entities?.wordsToNumber(token)?.toString() ?? [])))
      .sort();
  const [a, b] = [numbers(before), numbers(after)];
  return a.length === 0 || b.length === 0 || a.join(' ') === b.join(' ');
}
