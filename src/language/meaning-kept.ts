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
/** Tokens after a denial to which it extends, unless the clause ends before. */
const SCOPE = 8;
/** Minimum share of a sentence's content words that the other text has, if the sentence belongs to what both texts say. */
const RELATED = 1 / 3;

type Knowing = Pick<Language, 'tokenize' | 'negation' | 'antonyms' | 'entities' | 'stopWords'>;

/** Words that the original loses, and words that replace them or are added. */
export interface ChangedWords {
  readonly lost: readonly string[];
  readonly added: readonly string[];
}

/** Factor from 0 to 1 by which the meaning survives: 1 if nothing reverses it, also in a language without resources. */
export function meaningFactor(original: string, now: string, { lost, added }: ChangedWords, language: Knowing): number {
  const lower = (text: string): string[] => language.tokenize(text).map((token) => token.toLowerCase());
  const [before, after] = [lower(original), lower(now)];
  const [gone, come] = [lost, added].map((words) => [...new Set(words)].slice(0, MOST_WORDS)) as [string[], string[]];
  const denials = [deniedIn(before, after, language), deniedIn(after, before, language)] as const;
  // A misspelt "not" still denies for a reader who recognises it.
  if (lost.length === 0 && added.length === 0 && denials[1].length <= denials[0].length) return 1;
  const numbers = sameNumbers(before, after, language) ? 1 : OTHER_NUMBER;
  const denied = denials[0].length % 2 !== denials[1].length % 2;
  if (denied && denialCancels([before, after], denials, [gone, come], language)) return numbers;
  // "Never" and "ever" are opposites, but the denial is counted already.
  const [lostWords, addedWords] = [
    gone.filter((word) => !denials[0].some((at) => before[at] === word.toLowerCase())),
    come.filter((word) => !denials[1].some((at) => after[at] === word.toLowerCase())),
  ];
  const opposed = lostWords.some((a) => addedWords.some((b) => language.antonyms?.areOpposed(a, b) === true));
  return (denied ? DENIED : 1) * (opposed ? OPPOSED : 1) * numbers;
}

const endsSentence = (token: string): boolean => /^[.!?;]+$/.test(token);
const endsClause = (token: string): boolean => endsSentence(token) || /^[,:()]$|^--$/.test(token);

/** Indices of the denials in the sentences that have a counterpart in the other text; two negations cancel. */
function deniedIn(tokens: readonly string[], other: readonly string[], { negation, stopWords }: Knowing): number[] {
  const found = negation?.denials?.(tokens) ?? [];
  if (found.length === 0) return [];
  const known = new Set(other);
  const sentences: { from: number; to: number; related: boolean }[] = [];
  for (let from = 0; from < tokens.length; ) {
    let to = from;
    while (to < tokens.length && !endsSentence(tokens[to] as string)) to++;
    const content = tokens.slice(from, to).filter((word) => /[\p{L}\p{N}]/u.test(word) && !stopWords?.has(word));
    const shared = content.filter((word) => known.has(word)).length;
    sentences.push({ from, to, related: content.length < 2 || shared >= RELATED * content.length });
    from = to + 1;
  }
  const some = sentences.some(({ related }) => related);
  return found.filter((at) => !some || sentences.some(({ from, to, related }) => related && from <= at && at <= to));
}

type Both<T> = readonly [before: T, after: T];

/** Does a denial govern the opposite of a word that the other text asserts ("by no means dull" for "funny")? */
function denialCancels(
  texts: Both<readonly string[]>,
  denials: Both<readonly number[]>,
  changed: Both<readonly string[]>,
  { antonyms, negation }: Knowing,
): boolean {
  const contrary = (a: string, b: string): boolean =>
    antonyms?.areOpposed(a, b) === true || negation?.contrary?.(a, b) === true;
  return [0, 1].some((side) => {
    const tokens = texts[side] as readonly string[];
    const own = new Set((changed[side] as readonly string[]).map((word) => word.toLowerCase()));
    const others = changed[1 - side] as readonly string[];
    return (denials[side] as readonly number[]).some((at) => {
      const scope: string[] = [];
      for (let i = at + 1; i < tokens.length && i <= at + SCOPE && !endsClause(tokens[i] as string); i++)
        scope.push(tokens[i] as string);
      return scope.some((word) => own.has(word) && others.some((other) => contrary(word, other)));
    });
  });
}

/** If both texts have numbers, are they the same? */
function sameNumbers(before: readonly string[], after: readonly string[], { entities }: Knowing): boolean {
  const numbers = (tokens: readonly string[]): string[] =>
    tokens
      .flatMap((token) => (/\p{N}/u.test(token) ? [token] : (entities?.wordsToNumber(token)?.toString() ?? [])))
      .sort();
  const [a, b] = [numbers(before), numbers(after)];
  return a.length === 0 || b.length === 0 || a.join(' ') === b.join(' ');
}
