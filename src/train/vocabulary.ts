/**
 * @file Learns a WordPiece vocabulary from word counts. Pieces grow as in byte-pair encoding (Sennrich, Haddow and Birch, "Neural Machine
 * Translation of Rare Words with Subword Units", ACL 2016, Algorithm 1): join the most frequent adjacent pair, again and again. Encoding is
 * WordPiece's longest match first (Devlin et al. 2019, BERT), so a piece inside a word carries "##".
 */
import { must, RobustError } from '../core/errors.js';
import { type Joinable, PairQueue } from './pair-queue.js';

/** In id order, so padding is 0 and unknown is 1. */
export const SPECIAL_TOKENS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'] as const;
export const CONTINUING = '##';

export interface VocabularyOptions {
  /** Entries in all: special tokens, characters, pieces. The result is shorter where the words hold fewer pairs. */
  readonly size: number;
  /** A pair (or, for whole words, a word) rarer than this is not worth an entry. @default 2 */
  readonly minFrequency?: number;
  /** Rarer characters beyond this many are left out; words that hold one become [UNK]. @default 1000 */
  readonly alphabetLimit?: number;
}

/**
 * The vocabulary in id order: special tokens, then characters sorted by code unit, then pieces in order of creation. Among equally frequent
 * pairs, the one with the smaller left, then right piece (by code unit) is joined first, so the result depends only on the counts, and a
 * smaller vocabulary is a prefix of a larger one. Throws RobustError if `size` is too small for the characters.
 */
export function trainWordPiece(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const { size, minFrequency = 2, alphabetLimit = 1000 } = options;
  const kept = commonCharacters(counts, alphabetLimit);
  const words: { pieces: string[]; count: number }[] = [];
  const characters = new Set<string>();
  for (const word of [...counts.keys()].sort()) {
    const letters = Array.from(word);
    if (!letters.every((letter) => kept.has(letter))) continue;
    const pieces = letters.map((letter, at) => (at === 0 ? letter : CONTINUING + letter));
    for (const piece of pieces) characters.add(piece);
    words.push({ pieces, count: must(counts.get(word)) });
  }

  const vocabulary = new Set<string>([...SPECIAL_TOKENS, ...[...characters].sort()]);
  if (vocabulary.size > size)
    throw new RobustError(
      `vocabulary: expected a size of at least ${vocabulary.size} (the special tokens and every character), got ${size}`,
      { code: 'OPTION_INVALID', hint: 'Ask for more entries, or for fewer characters.' },
    );
  const pairs = new PairQueue();
  words.forEach(({ pieces, count }, word) => {
    for (let at = 1; at < pieces.length; at++) pairs.add(must(pieces[at - 1]), must(pieces[at]), count, word);
  });
  while (vocabulary.size < size) {
    const pair = pairs.takeMostFrequent();
    if (!pair || pair.count < minFrequency) break;
    const joined = pair.left + pair.right.slice(CONTINUING.length);
    vocabulary.add(joined);
    for (const word of pair.words) joinIn(must(words[word]), word, pair, joined, pairs);
  }
  return [...vocabulary];
}

/** The most frequent whole words, ties by code unit: for models that read words. A word outside it is [UNK]. */
export function wordVocabulary(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const { size, minFrequency = 2 } = options;
  const words = [...counts]
    .filter(([, count]) => count >= minFrequency)
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .map(([word]) => word);
  return [...SPECIAL_TOKENS, ...words].slice(0, size);
}

/**
 * The most frequent characters, first as those that begin a word, then in the same order as those that go on one: for models that
 * read characters. A word with any other is [UNK].
 */
export function characterVocabulary(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const { size, minFrequency = 2, alphabetLimit = 1000 } = options;
  const most = Math.min(alphabetLimit, Math.floor((size - SPECIAL_TOKENS.length) / 2));
  const characters = [...commonCharacters(counts, most, minFrequency)].sort();
  return [...SPECIAL_TOKENS, ...characters, ...characters.map((character) => CONTINUING + character)];
}

/** The most frequent characters, sorted, at any position in a word: for models that read texts character by character. Any other is [UNK]. */
export function plainCharacterVocabulary(counts: ReadonlyMap<string, number>, options: VocabularyOptions): string[] {
  const { size, minFrequency = 2, alphabetLimit = 1000 } = options;
  const most = Math.min(alphabetLimit, size - SPECIAL_TOKENS.length);
  return [...SPECIAL_TOKENS, ...[...commonCharacters(counts, most, minFrequency)].sort()];
}

/** Whether a vocabulary has pieces, and none longer than a character. */
export function ofCharacters(vocabulary: readonly string[]): boolean {
  const pieces = vocabulary.slice(SPECIAL_TOKENS.length);
  return pieces.length > 0 && pieces.every((piece) => /^(?:##)?.$/su.test(piece));
}

function commonCharacters(counts: ReadonlyMap<string, number>, limit: number, least = 1): Set<string> {
  const frequency = new Map<string, number>();
  for (const [word, count] of counts) {
    for (const letter of word) frequency.set(letter, (frequency.get(letter) ?? 0) + count);
  }
  const common = [...frequency].filter(([, count]) => count >= least);
  const ranked = common.sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  return new Set(ranked.slice(0, limit).map(([letter]) => letter));
}

/** Joins every occurrence of the pair in one word, left to right, and updates the changed neighbours in the queue. */
function joinIn(
  word: { pieces: string[]; count: number },
  index: number,
  { left, right }: Joinable,
  joined: string,
  pairs: PairQueue,
): void {
  const before = word.pieces;
  const after: string[] = [];
  for (let at = 0; at < before.length; at++) {
    if (before[at] === left && before[at + 1] === right) {
      after.push(joined);
      at++;
    } else {
      after.push(must(before[at]));
    }
  }
  if (after.length === before.length) return;
  for (let at = 1; at < before.length; at++) pairs.add(must(before[at - 1]), must(before[at]), -word.count, index);
  for (let at = 1; at < after.length; at++) pairs.add(must(after[at - 1]), must(after[at]), word.count, index);
  word.pieces = after;
}
