/** @file Applies the corrections of data/tag-corrections.txt to the tags of a text. */
import type { WordClass } from '../../core/language.js';
import { lazily } from '../data-files.js';
import { wordList } from './data-files.js';
import { readRules } from './rule-file.js';
import { classesOf } from './tag-lexicon.js';
import type { Tokens } from './token-tests.js';

/** A word with its Penn Treebank tag, in the tagger's format. */
export interface TaggedWord {
  readonly text: string;
  /** Lower case. */
  readonly word: string;
  tag: string;
}

class TaggedText implements Tokens {
  readonly words: readonly TaggedWord[];

  constructor(words: readonly TaggedWord[]) {
    this.words = words;
  }

  get length(): number {
    return this.words.length;
  }

  word(at: number): string {
    return this.words[at]?.word ?? '';
  }

  tag(at: number): string {
    return this.words[at]?.tag ?? 'SYM';
  }
}

type WordTest = (text: TaggedText, at: number) => boolean;

const listedAs =
  (wordClass: WordClass): WordTest =>
  (text, at) =>
    classesOf(text.word(at)).some((each) => each.wordClass === wordClass);

const firstOf =
  (wordClass: WordClass): WordTest =>
  (text, at) =>
    classesOf(text.word(at))[0]?.wordClass === wordClass;

const rules = lazily(
  () =>
    readRules<TaggedText>(wordList('tag-corrections.txt'), {
      tests: {
        'as-noun': listedAs('noun'),
        'as-verb': listedAs('verb'),
        'as-adjective': listedAs('adjective'),
        'first-adjective': firstOf('adjective'),
        'first-adverb': firstOf('adverb'),
        hyphenated: (text, at) => text.word(at).includes('-'),
      },
    }).rules,
);

/** Corrects the tags in place. @param plain the tokens without sentence-initial capitals; names keep their tags */
export function correctTags(words: TaggedWord[], plain: readonly string[]): TaggedWord[] {
  const text = new TaggedText(words);
  for (const [at, word] of words.entries()) {
    if (!/^[a-z][a-z'-]*$/.test(plain[at]!)) continue;
    for (const { cases } of rules()) {
      const output = cases.find(({ matches }) => matches(text, at) !== undefined)?.outputs[0];
      if (output !== undefined) word.tag = output;
    }
  }
  return words;
}
