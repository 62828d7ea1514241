import type { Token } from './classifier.js';

/** The places of the tokens that make up text[start, end): a word's sub-words, special tokens aside. */
export function tokensWithin(tokens: readonly Token[], start: number, end: number): number[] {
  const rows: number[] = [];
  tokens.forEach((token, row) => {
    if (!token.special && token.end > start && token.start < end) rows.push(row);
  });
  return rows;
}
