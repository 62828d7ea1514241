/** @file Possible Penn Treebank tags of a word out of context, the most probable first, from WordNet or from its ending. */
import { createRequire } from 'node:module';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { WordClass } from '../../core/language.js';
import { vendored } from '../../core/package-root.js';
import { lazily } from '../data-files.js';
import { baseForms } from './base-forms.js';
import { type WORD_CLASSES, wordnet } from './wordnet.js';

/**
 * The tagger's lexicon: 13,462 tagged words of newswire. It is copied before the first text is tagged, because the tagger adds words to the
 * original, and results must not depend on earlier texts.
 */
const lexicon = lazily(
  (): Readonly<Record<string, readonly string[]>> => ({
    ...createRequire(import.meta.url)(vendored('wink/lexicon.cjs')),
  }),
);

const newswire = (word: string): readonly string[] | undefined =>
  Object.hasOwn(lexicon(), word) ? lexicon()[word] : undefined;

/** The words of the tagger's lexicon, as they are written there. */
export const newswireWords = (): readonly string[] => Object.keys(lexicon());

/** Endings of words that WordNet lacks -> their tags; the first match wins. */
const ENDINGS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ly$/, ['RB']],
  [/ing$/, ['VBG', 'NN', 'JJ']],
  [/ed$/, ['VBN', 'VBD', 'JJ']],
  [/(?:ness|ment|tion|sion|ship|hood|ity|ism|fest|dom|ance|ence)$/, ['NN']],
  [/(?:nesses|ments|tions|sions|ships|ities|isms|ers|ors|ists)$/, ['NNS']],
  [/(?:able|ible|ous|ful|less|ish|ive|ic|ical|esque|like|worthy)$/, ['JJ']],
  [/(?:[^s]s|ses)$/, ['NNS', 'VBZ']],
];

/** Penn tags of `word` as an inflection of `base`. */
function tagsOf(word: string, base: string, wordClass: WordClass): string[] {
  switch (wordClass) {
    case 'noun':
      return [word === base ? 'NN' : 'NNS'];
    case 'adjective':
      return [word === base ? 'JJ' : /(?:er|worse|better)$/.test(word) ? 'JJR' : 'JJS'];
    case 'adverb':
      return ['RB'];
    case 'verb':
      if (word === base) return ['VB', 'VBP'];
      if (word.endsWith('ing')) return ['VBG'];
      if (word.endsWith('s')) return ['VBZ'];
      return ['VBD', 'VBN'];
  }
}

export interface ClassOfWord {
  readonly wordClass: WordClass;
  readonly base: string;
  readonly count: number;
}

const classes = new Map<string, readonly ClassOfWord[]>();

/**
 * Classes of a word (any inflection, lower case) with their counts in WordNet's tagged texts, most frequent first; ties in the order
 * adjective, adverb, noun, verb.
 */
export const classesOf = (word: string): readonly ClassOfWord[] => getOrCompute(classes, word, rankClasses);

function rankClasses(word: string): readonly ClassOfWord[] {
  const ranked: ClassOfWord[] = [];
  for (const wordClass of ['adjective', 'adverb', 'noun', 'verb'] as const satisfies typeof WORD_CLASSES) {
    for (const base of baseForms(word, wordClass)) {
      const synsets = wordnet.synsets(base, wordClass);
      // Listed only as a name ("Nolan"), so the word has no use in lower case.
      if (!synsets.some((synset) => synset.words.includes(base))) continue;
      const counts = wordnet.counts(base);
      ranked.push({ wordClass, base, count: synsets.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0) });
    }
  }
  ranked.sort((a, b) => b.count - a.count);
  classes.set(word, ranked);
  return ranked;
}

/**
 * Possible Penn tags of a lower-case word, most probable first. Undefined if the tagger's lexicon has it (unless `all`), and for names,
 * numbers and signs.
 */
export function possibleTags(word: string, all = false): readonly string[] | undefined {
  if (!/^[a-z][a-z'’-]*$/.test(word)) return undefined;
  if (!all && newswire(word) !== undefined) return undefined;
  const tags = [...new Set(classesOf(word).flatMap(({ wordClass, base }) => tagsOf(word, base, wordClass)))];
  if (tags.length > 0) return tags;
  // A compound has the tag of its last part, or is an adjective if that is a participle ("media-soaked").
  const last = /-([a-z]{2,})$/.exec(word)?.[1];
  if (last !== undefined) {
    const parts = possibleTags(last, true) ?? ['NN'];
    return parts.some((tag) => /^(?:VB|JJ)/.test(tag)) ? ['JJ', 'NN'] : parts;
  }
  return ENDINGS.find(([ending]) => word.length > 4 && ending.test(word))?.[1];
}

/** Does the tagger's lexicon contain the word? */
export const isNewswire = (word: string): boolean => newswire(word) !== undefined;

/** Is the lower-case form an everyday word, so that a capitalised one is not certainly a name? */
export const isCommonWord = (word: string): boolean => newswire(word) !== undefined || classesOf(word).length > 0;

/** Is it primarily an article, pronoun, preposition, conjunction or auxiliary? */
export const isFunctionWord = (word: string): boolean =>
  /^(?:DT|PDT|IN|CC|PRP|PRP\$|MD|TO|EX|W(?:DT|P|P\$|RB))$/.test(newswire(word)?.[0] ?? '');
