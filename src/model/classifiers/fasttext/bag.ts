/** @file Finds the rows of a fastText model for a text: its words, their subwords and its word n-grams, as in dictionary.cc. */
import type { FastTextModel } from './read.js';

/** The end of a line, which every text has. */
const END = '</s>';
const LABEL = '__label__';
/** Separators in dictionary.cc. */
const SPACES = /[ \n\r\t\v\f\0]+/;
/** The factor in the hash of n-grams of words. */
const FACTOR = 116049371n;

/** FNV-1a of 32 bits, save that a byte from 128 on is extended by its sign first. `bytes`: a character a byte. */
export function fastTextHash(bytes: string): number {
  let hash = 2166136261;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at);
    hash = Math.imul(hash ^ ((byte << 24) >> 24), 16777619);
  }
  return hash >>> 0;
}

const continues = (bytes: string, at: number): boolean => (bytes.charCodeAt(at) & 0xc0) === 0x80;

/** Where the character after the one at a place begins, or the end. */
function nextCharacter(bytes: string, at: number): number {
  let next = at + 1;
  while (next < bytes.length && continues(bytes, next)) next++;
  return next;
}

/** Character n-grams of a word with its marks `<` and `>`, one byte a character. A mark alone does not count. */
export function subwordsOf(word: string, [least, most]: readonly [number, number]): string[] {
  const found: string[] = [];
  for (let from = 0; from < word.length; from++) {
    if (continues(word, from)) continue;
    for (let end = from, length = 1; end < word.length && length <= most; length++) {
      end = nextCharacter(word, end);
      const mark = length === 1 && (from === 0 || end === word.length);
      if (length >= least && !mark) found.push(word.slice(from, end));
    }
  }
  return found;
}

type BagModel = Pick<FastTextModel, 'words' | 'labelEntries' | 'buckets' | 'subwords' | 'wordNgrams'>;

/** Rows of the input matrix, in fastText's order; one that occurs twice counts twice. A line break is a space. */
export function bagOf(text: string, { words, labelEntries, buckets, subwords, wordNgrams }: BagModel): number[] {
  const rows: number[] = [];
  const hashes: bigint[] = [];
  const tokens = Buffer.from(text, 'utf8')
    .toString('latin1')
    .split(SPACES)
    .filter((token) => token !== '');
  for (const token of [...tokens, END]) {
    const row = words.get(token);
    if (row === undefined && (token.startsWith(LABEL) || labelEntries.has(token))) continue;
    if (row !== undefined) rows.push(row);
    hashes.push(BigInt(fastTextHash(token) | 0));
    // The text after the end of a line is another line.
    if (token === END) break;
    for (const part of subwordsOf(`<${token}>`, subwords)) rows.push(words.size + (fastTextHash(part) % buckets));
  }
  for (const hash of ngramHashes(hashes, wordNgrams)) rows.push(words.size + Number(hash % BigInt(buckets)));
  return rows;
}

/** The hashes of the n-grams of two and more words, by those of the words. */
function* ngramHashes(words: readonly bigint[], longest: number): Generator<bigint> {
  for (const [from, word] of words.entries()) {
    let hash = BigInt.asUintN(64, word);
    for (const next of words.slice(from + 1, from + longest)) {
      hash = BigInt.asUintN(64, hash * FACTOR + next);
      yield hash;
    }
  }
}
