/** @file Agreement of "a" and "an" with the next word, also after a swap. */
import { type Draft, wordsOf } from '../../core/draft.js';
import { must } from '../../core/errors.js';
import { matchCase } from '../match-case.js';

/** Begins with a vowel letter but a consonant sound: one, European, unit, use, utility, uranium. */
const CONSONANT_SOUND = /^(?:one|once|oui|eu|ewe|u(?:ni(?![nmd])|nanim(?!a)|s[aeu]|t[eio]|r[aio]|bi|ku|ga|f)|u$)/i;
/** Silent h. */
const SILENT_H = /^(?:hour|honest|honor|honour|heir)/i;
/** Initialisms whose first letter's name begins with a vowel: an FBI agent, an MTV show, an X-ray; but a NATO base. */
const SPELT = /^[AEFHILMNORSX](?:-|[A-Z]{1,2}$|[B-DF-HJ-NP-TV-Z]+[A-Z]*$)/;

/** The indefinite article before a word, by its sound: "an hour", "a unit", "an 8". */
export function articleFor(word: string): 'a' | 'an' {
  if (/^\d/.test(word)) return /^(?:8|11(?:\D|$)|18(?:\D|$))/.test(word) ? 'an' : 'a';
  if (SPELT.test(word) || SILENT_H.test(word)) return 'an';
  if (!/^[aeiou]/i.test(word)) return 'a';
  return CONSONANT_SOUND.test(word) ? 'a' : 'an';
}

/** The draft in which the article directly before slot `at`, if any, agrees with the slot's word. */
export function agreeArticle(draft: Draft, at: number): Draft {
  if (at === 0 || !/^\s+$/.test(draft.gapAfter(at - 1))) return draft;
  const article = must(draft.words[at - 1]);
  const word = must(draft.words[at]);
  if (!/^an?$/i.test(article) || word === '') return draft;
  // In a text in capitals, "NEW" is a word, not three letters.
  const shouted = !/\p{Ll}/u.test(draft.text);
  const right = articleFor(shouted ? word.toLowerCase() : word);
  const cased = shouted ? right.toUpperCase() : matchCase(right, `${article.charAt(0)}n`);
  return cased === article ? draft : draft.replace(at - 1, cased);
}

export const isArticle = (word: string): boolean => /^an?$/i.test(word);

/** Number of articles that disagree with the next word ("an movie"). */
export function wrongArticles(text: string): number {
  const words = wordsOf(text).map((word) => word.text);
  return words.filter((word, at) => {
    const next = words[at + 1];
    return next !== undefined && isArticle(word) && articleFor(next) !== word.toLowerCase();
  }).length;
}
