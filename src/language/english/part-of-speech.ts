/**
 * @file Tags the part of speech of every word in context: wink-pos-tagger (a unigram lexicon with Brill's context rules), WordNet's classes
 * for words that its newswire lexicon lacks, and corrections for review texts.
 */
import { createRequire } from 'node:module';
import { must } from '../../core/errors.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { PartOfSpeech, UniversalTag, WordClass } from '../../core/language.js';
import { vendored } from '../../core/package-root.js';
import { RecentMap } from '../../core/recent-map.js';
import { lazily } from '../data-files.js';
import { correctTags, type TaggedWord } from './tag-corrections.js';
import { isCommonWord, isFunctionWord, possibleTags } from './tag-lexicon.js';

/** Penn Treebank tag -> universal tag, from the table in the same paper. */
const UNIVERSAL: Readonly<Record<string, UniversalTag>> = {
  NN: 'NOUN',
  NNS: 'NOUN',
  NNP: 'NOUN',
  NNPS: 'NOUN',
  VB: 'VERB',
  VBD: 'VERB',
  VBG: 'VERB',
  VBN: 'VERB',
  VBP: 'VERB',
  VBZ: 'VERB',
  MD: 'VERB',
  JJ: 'ADJ',
  JJR: 'ADJ',
  JJS: 'ADJ',
  RB: 'ADV',
  RBR: 'ADV',
  RBS: 'ADV',
  WRB: 'ADV',
  PRP: 'PRON',
  PRP$: 'PRON',
  WP: 'PRON',
  WP$: 'PRON',
  DT: 'DET',
  PDT: 'DET',
  WDT: 'DET',
  EX: 'DET',
  IN: 'ADP',
  CD: 'NUM',
  CC: 'CONJ',
  TO: 'PRT',
  RP: 'PRT',
  POS: 'PRT',
};

const CLASS_OF: Partial<Record<UniversalTag, WordClass>> = {
  NOUN: 'noun',
  VERB: 'verb',
  ADJ: 'adjective',
  ADV: 'adverb',
};

interface WinkTagger {
  tagRawTokens(tokens: readonly string[]): { readonly value: string; readonly pos: string }[];
  updateLexicon(entries: Readonly<Record<string, readonly string[]>>): void;
}

/** Loaded when first needed: 0.1 s. */
const tagger = lazily(() => (createRequire(import.meta.url)(vendored('wink/tagger.cjs')) as () => WinkTagger)());
const tagged = new Set<string>();

function wink(tokens: readonly string[]): { readonly value: string; readonly pos: string }[] {
  for (const token of tokens) {
    if (tagged.has(token)) continue;
    tagged.add(token);
    const tags = possibleTags(token);
    // A pure function of the word, so the order of the texts changes no tag.
    if (tags !== undefined) tagger().updateLexicon({ [token]: tags });
  }
  return tagger().tagRawTokens(tokens);
}

export function partOfSpeech(penn: string): PartOfSpeech {
  const universal = Object.hasOwn(UNIVERSAL, penn) ? must(UNIVERSAL[penn]) : /\w/.test(penn) ? 'X' : 'PUNCT';
  return { penn, universal, wordClass: penn === 'MD' ? undefined : CLASS_OF[universal] };
}

/**
 * Cached texts, about 10 MB: attacks that swap words tag the same rewrites of an example again in more than half of all calls. Keys are
 * tokens joined by newlines, which no token contains.
 */
const known = new RecentMap<readonly TaggedWord[]>(2048, 2 ** 18);

/** Tags Penn Treebank tokens, with clitics and punctuation separated. */
export const tagTokens = (tokens: readonly string[]): readonly TaggedWord[] =>
  getOrCompute(known, tokens.join('\n'), () => tagsOf(tokens));

function tagsOf(tokens: readonly string[]): TaggedWord[] {
  const shouted = !tokens.some((token) => /\p{Ll}/u.test(token));
  let starts = true;
  const plain = tokens.map((token, i) => {
    // A capital at the beginning of a sentence, or a text in capitals, does not indicate a name.
    const lower = token.toLowerCase();
    const named = /^\p{Lu}\p{Ll}/u.test(tokens[i + 1] ?? '') && !isFunctionWord(lower);
    const lowered = shouted || (starts && token !== 'I' && !named && isCommonWord(lower));
    if (/[\p{L}\p{N}]/u.test(token)) starts = false;
    else if (/^(?:[.!?:]|--|\.{2,}|["“(])$/.test(token)) starts = true;
    return lowered ? lower : token;
  });
  const tagged = wink(plain).map(({ pos }, i) => ({
    text: must(tokens[i]),
    word: must(tokens[i]).toLowerCase().replace('’', "'"),
    tag: pos,
  }));
  return correctTags(tagged, plain);
}
