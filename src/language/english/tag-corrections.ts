/**
 * @file Repairs of the tagger's commonest mistakes in reviews and messages, in Brill's manner: a tag changes where its
 * neighbours speak against it and WordNet knows the word in the other class.
 */

import type { WordClass } from '../../core/language.js';
import { section } from './data-files.js';
import { classesOf } from './tag-lexicon.js';

/** A word with its Penn Treebank tag, as the tagger passes it on. */
export interface TaggedWord {
  readonly text: string;
  /** Lower case. */
  readonly word: string;
  tag: string;
}

const COPULAS = section('tagging-contexts.txt', 'copulas');
const DEGREES = section('tagging-contexts.txt', 'degree');
const SINGULAR_SUBJECTS = section('tagging-contexts.txt', 'singular subjects');
const AUXILIARIES = section('tagging-contexts.txt', 'auxiliaries before an infinitive');
const DETERMINER = /^(?:DT|PDT|PRP\$|WP\$|POS)$/;
const NOUN = /^NN/;
/** What may follow a predicate: the end of the clause, or another predicate beside it. */
const CLOSES = /^(?:[.,:;!?()'"]|``|''|CC|IN|TO|SYM)$/;

const listed = (word: string, wordClass: WordClass): boolean => classesOf(word).some((c) => c.wordClass === wordClass);

export function correctTags(words: TaggedWord[], plain: readonly string[]): TaggedWord[] {
  const tag = (i: number): string => words[i]?.tag ?? 'SYM';
  const word = (i: number): string => words[i]?.word ?? '';
  const set = (i: number, to: string): void => {
    (words[i] as TaggedWord).tag = to;
  };
  for (let i = 0; i < words.length; i++) {
    const w = word(i);
    if (!/^[a-z][a-z'-]*$/.test(plain[i] as string)) continue;
    const before = tag(i - 1);
    const after = tag(i + 1);

    // Unknown words are names to the tagger; in lower case they are not.
    if (tag(i) === 'NNP') set(i, /[^s]s$/.test(w) ? 'NNS' : 'NN');

    if (/^VB[GND]$/.test(tag(i)) && listed(w, 'adjective')) {
      // "an affecting journey", "very moving", "it 's charming and ..."
      const attributive = (DETERMINER.test(before) || /^JJ|^CC$|^RB/.test(before)) && /^(?:NN|JJ)/.test(after);
      const predicative =
        (COPULAS.has(word(i - 1)) && tag(i) === 'VBG') || DEGREES.has(word(i - 1)) || /ly$/.test(word(i - 1));
      if (attributive || (predicative && CLOSES.test(after))) set(i, 'JJ');
    }
    // "the acting ," "his watch ."
    if (/^VB[GPZ]?$/.test(tag(i)) && DETERMINER.test(before) && listed(w, 'noun') && !/^(?:NN|JJ|DT|PRP)/.test(after)) {
      set(i, tag(i) === 'VBZ' ? 'NNS' : 'NN');
    }
    // "he runs", "a film that fails to"
    if (tag(i) === 'NNS' && listed(w, 'verb')) {
      const subject = SINGULAR_SUBJECTS.has(word(i - 1));
      if (subject && !/^(?:VB[PZD]|MD)$/.test(after)) set(i, 'VBZ');
    }
    // "works hard to", "arrived late"
    if (
      tag(i) === 'JJ' &&
      /^(?:hard|fast|late|early|long|deep|straight)$/.test(w) &&
      /^VB/.test(before) &&
      !COPULAS.has(word(i - 1)) &&
      CLOSES.test(after)
    ) {
      set(i, 'RB');
    }
    // A fragment: "loses its way", "works hard to"
    if (
      tag(i) === 'NNS' &&
      i === 0 &&
      (/^(?:DT|PRP|PRP\$|TO|RB)$/.test(after) || word(i + 1) === 'hard') &&
      listed(w, 'verb')
    ) {
      set(i, 'VBZ');
    }
    // "it drags and ends badly"
    if (tag(i) === 'NNS' && before === 'CC' && /^(?:RB|DT|PRP|TO)$/.test(after) && listed(w, 'verb')) set(i, 'VBZ');
    // "a tender heartfelt drama"
    if (
      tag(i) === 'NN' &&
      DETERMINER.test(before) &&
      /^JJ$/.test(after) &&
      NOUN.test(tag(i + 2)) &&
      listed(w, 'adjective')
    ) {
      set(i, 'JJ');
    }
    // "small-town life"
    if (tag(i) === 'NN' && w.includes('-') && NOUN.test(after)) set(i, 'JJ');
    // "I like it"
    if (
      w === 'like' &&
      tag(i) === 'IN' &&
      /^(?:i|we|you|they)$/.test(word(i - 1)) &&
      /^(?:DT|PRP|PRP\$|NN.*)$/.test(after)
    ) {
      set(i, 'VBP');
    }
    // "this film works": a verb is missing before the clause closes, and the noun before it is singular.
    if (tag(i) === 'NNS' && /^NNP?$/.test(before) && listed(w, 'verb') && !verbNear(words, i)) set(i, 'VBZ');
    // "to embark", "can fish", "do not like"
    if (/^(?:NN|IN|JJ)$/.test(tag(i)) && listed(w, 'verb')) {
      const past = word(i - 1) === 'not' || word(i - 1) === "n't" ? i - 2 : i - 1;
      if (past < i - 1 && AUXILIARIES.has(word(past))) set(i, 'VB');
      else if (tag(i) !== 'JJ' && past === i - 1 && tag(past) === 'MD' && !NOUN.test(after)) set(i, 'VB');
    }
    // A noun or verb tag for a word that is neither.
    if (/^(?:NN|VB|VBP)$/.test(tag(i)) && !listed(w, tag(i) === 'NN' ? 'noun' : 'verb')) {
      const first = classesOf(w)[0];
      if (first?.wordClass === 'adjective') set(i, 'JJ');
      else if (first?.wordClass === 'adverb') set(i, 'RB');
    }
    // "a bleak film", "is bleak .": an adjective more often than a noun, and where adjectives stand.
    if (tag(i) === 'NN' && classesOf(w)[0]?.wordClass === 'adjective') {
      if (NOUN.test(after) || ((COPULAS.has(word(i - 1)) || DEGREES.has(word(i - 1))) && CLOSES.test(after)))
        set(i, 'JJ');
    }
  }
  return words;
}

/** Is there a finite verb after word i, before the clause ends? */
function verbNear(words: readonly TaggedWord[], i: number): boolean {
  for (let j = i + 1; j < words.length && !/^[.,:;!?]$/.test((words[j] as TaggedWord).tag); j++) {
    if (/^(?:VB[ZPD]|MD)$/.test((words[j] as TaggedWord).tag)) return true;
  }
  return false;
}
