/** @file Finds "X is good": a verdict in a predicate that nothing denies, doubts or makes a condition of. */

import type { Polarity } from '../../../core/negation.js';
import { section } from '../data-files.js';
import { NEGATORS, type Sentence, UNIVERSAL } from './sentence.js';
import { INTENSIFIERS, PRAISE_NOUNS, verdictOf } from './sentiment-words.js';

export interface Predicate {
  /** Tokens: the copula, and the end (exclusive) of the adjective. Between them, words that strengthen. */
  readonly copula: number;
  readonly end: number;
  /** What to deny to say the contrary: "good", or "a delight". */
  readonly denied: string;
  readonly polarity: Polarity;
  readonly opposite: string | undefined;
}

const COPULA = /^(?:is|are|was|were|'s|'re|am|'m)$/;
/** What may follow a predicate that stands alone, besides the end of the text. */
const AFTER = /^(?:[.;!]|but|because|though|although|while)$/;
/** What may follow the comma or "and" after it: a new clause, and no further adjective of a list. */
const CLAUSE_OPENERS = section('negation-words.txt', 'clause openers');
/** "It is a (real) delight." */
const BEFORE_PRAISE = section('negation-words.txt', 'before a praise noun');
const CONDITION = section('negation-words.txt', 'conditions');

/** Does a clause end before token `at`? */
function clauseEnds(sentence: Sentence, at: number): boolean {
  if (at >= sentence.tokens.length || AFTER.test(sentence.word(at))) return true;
  const next = sentence.word(at) === ',' && /^(?:and|but|so)$/.test(sentence.word(at + 1)) ? at + 2 : at + 1;
  return /^(?:,|and)$/.test(sentence.word(at)) && CLAUSE_OPENERS.has(sentence.word(next));
}

/** Is token `copula` a form of "to be" with a noun or pronoun before it, in a clause that nothing denies or makes a condition of? */
export function isCopula(sentence: Sentence, copula: number): boolean {
  if (copula < 1 || !COPULA.test(sentence.word(copula)) || !/^VB/.test(sentence.tag(copula))) return false;
  const before = sentence.word(copula - 1);
  // In "the film's good" the 's may be a genitive.
  if (sentence.word(copula) === "'s" && !/^(?:it|that|this|he|she|everything|everyone)$/.test(before)) return false;
  const from = sentence.opening(copula);
  if (before === 'there' || sentence.holds(NEGATORS, from, copula) || sentence.holds(CONDITION, from, copula))
    return false;
  if (sentence.holds(UNIVERSAL, from, copula)) return false;
  return /^(?:NN|PRP|DT|VBG)/.test(sentence.tag(copula - 1)) && !sentence.asks(copula);
}

/** The predicates of a text: a copula, words that strengthen, an adjective with a verdict, and there the clause ends. */
export function predicates(sentence: Sentence): Predicate[] {
  const found: Predicate[] = [];
  for (let copula = 1; copula < sentence.tokens.length; copula++) {
    if (!isCopula(sentence, copula)) continue;
    let at = copula + 1;
    while (INTENSIFIERS.has(sentence.word(at))) at++;
    const verdict = verdictOf(sentence.word(at));
    if (verdict !== undefined && clauseEnds(sentence, at + 1)) found.push({ copula, end: at + 1, ...verdict });
  }
  return found;
}

/** "It is a (real) delight." */
function praiseNoun(sentence: Sentence): Predicate | undefined {
  const copula = sentence.tokens.findIndex((_, i) => isCopula(sentence, i));
  let at = copula + 1;
  if (copula < 0 || !/^an?$/.test(sentence.word(at))) return undefined;
  at++;
  if (BEFORE_PRAISE.has(sentence.word(at))) at++;
  const praise = PRAISE_NOUNS.has(sentence.word(at)) && sentence.closes(at + 1);
  return praise
    ? { copula, end: at + 1, denied: sentence.words(copula + 1, at + 1), polarity: 'positive', opposite: undefined }
    : undefined;
}

/** The one predicate of a simple text whose verdict is the text's. */
export function verdictPredicate(sentence: Sentence, polarity: Polarity): Predicate | undefined {
  const predicate = predicates(sentence)[0] ?? praiseNoun(sentence);
  return sentence.simple && predicate?.polarity === polarity ? predicate : undefined;
}

/** "It" -> "it", "The food" -> "the food"; undefined where it is not clear what else it could be. */
export function subject(sentence: Sentence, { copula }: Predicate): string | undefined {
  const words = sentence.words(0, copula);
  const objects: Readonly<Record<string, string>> = { i: 'me', he: 'him', she: 'her', they: 'them', we: 'us' };
  const alone = copula === 1 ? objects[sentence.word(0)] : undefined;
  if (alone !== undefined) return alone;
  const first = sentence.tag(0);
  return copula <= 6 && (/^(?:DT|PRP\$?|NNP?S?)$/.test(first) || sentence.word(0) === 'it') ? words : undefined;
}

export const copulaText = (sentence: Sentence, copula: number): string =>
  ({ "'s": 'is', "'re": 'are', "'m": 'am' })[sentence.word(copula)] ?? sentence.word(copula);

/** Replaces the predicate, copula included. "It's good" has no space before its copula: one is put in. */
export function put(sentence: Sentence, copula: number, end: number, words: string): string {
  const start = sentence.tokens[copula]?.start ?? 0;
  const glued = start > 0 && sentence.text[start - 1] !== ' ';
  return sentence.replace(copula, end, `${glued ? ' ' : ''}${copulaText(sentence, copula)} ${words}`);
}

/** Two adjectives joined by "and" where a predicate stands, the clause ending after them. */
export function pairOf(sentence: Sentence): { copula: number; first: number; second: number; end: number } | undefined {
  const copula = sentence.tokens.findIndex((_, i) => isCopula(sentence, i));
  if (copula < 0) return undefined;
  let first = copula + 1;
  while (INTENSIFIERS.has(sentence.word(first))) first++;
  let second = first + 2;
  while (INTENSIFIERS.has(sentence.word(second))) second++;
  return sentence.word(first + 1) === 'and' && clauseEnds(sentence, second + 1)
    ? { copula, first, second, end: second + 1 }
    : undefined;
}
