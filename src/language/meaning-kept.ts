/**
 * @file Detects edits of few words that reverse the meaning: negations, opposites, changed numbers. The penalties were tuned on human
 * judgements; bench/quality.ts compares the measure with others.
 */
import type { Language } from '../core/language.js';

/** Factor for a text that negates the other. */
const DENIED = 0.2;
/** Factor for a word replaced by its opposite. */
const OPPOSED = 0.3;
/** Factor for a changed number. */
const OTHER_NUMBER = 0.5;

/** Changed words compared per text: in a completely rewritten text opposites are meaningless. */
const MOST_WORDS = 100;

type Knowing = Pick<Language, 'tokenize' | 'negation' | 'antonyms' | 'entities'>;

/** Words that the original loses, and words that replace them or are added. */
export interface ChangedWords {
  readonly lost: readonly string[];
  readonly added: readonly string[];
}

/** Factor from 0 to 1 by which the meaning survives: 1 if nothing reverses it, also in a language without resources. */
export function meaningFactor(original: string, now: string, { lost, added }: ChangedWords, language: Knowing): number {
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

/** Two negations cancel. */
const oddDenials = (tokens: readonly string[], { negation }: Knowing): boolean =>
  tokens.filter((token) => negation?.reverses?.(token) === true).length % 2 === 1;

/** If both texts have numbers, are they the same? */
function sameNumbers(before: readonly string[], after: readonly string[], { entities }: Knowing): boolean {
  const numbers = (tokens: readonly string[]): string[] =>
    tokens
      .flatMap((token) => (/\p{N}/u.test(token) ? [token] : (entities?.wordsToNumber(token)?.toString() ?? [])))
      .sort();
  const [a, b] = [numbers(before), numbers(after)];
  return a.length === 0 || b.length === 0 || a.join(' ') === b.join(' ');
}
