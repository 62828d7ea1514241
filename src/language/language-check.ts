/** @file Checks that texts are in the language of the run, because attacks only know the words of that language. */
import { wordsOf } from '../core/draft.js';
import type { Dictionary, Language } from '../core/language.js';

/** Words looked up: enough to distinguish a language from slang, at negligible cost. */
const WORDS_CHECKED = 1000;
/**
 * Share of unknown words from which texts count as foreign. Measured: 1 % of reviews, 3 % of SST-2, 10 % of English SMS; 54 to 68 % of
 * French, Spanish and German.
 */
const FOREIGN_SHARE = 1 / 3;

/** Share of the texts' first words (with repetitions) that the dictionary lacks; undefined without words. */
export function unknownShare(texts: Iterable<string>, dictionary: Dictionary): number | undefined {
  let [checked, unknown] = [0, 0];
  for (const text of texts) {
    for (const { text: word } of wordsOf(text)) {
      if (!/\p{L}/u.test(word)) continue;
      checked++;
      // "don't" and "film's" belong to the language if the part before the apostrophe does.
      if (!dictionary.has(word) && !dictionary.has(word.replace(/n?['’].*$/, ''))) unknown++;
      if (checked === WORDS_CHECKED) return unknown / checked;
    }
  }
  return checked === 0 ? undefined : unknown / checked;
}

/** Warning for texts that are hardly in the language; undefined if they are, and for a language without a dictionary. */
export function foreignWarning(texts: Iterable<string>, { name, dictionary }: Language): string | undefined {
  const share = (dictionary && unknownShare(texts, dictionary)) ?? 0;
  return share < FOREIGN_SHARE
    ? undefined
    : `${Math.round(share * 100)} % of the words are not ${name}: attacks only know words and stop words of ${name}, and will miss adversarial texts`;
}
