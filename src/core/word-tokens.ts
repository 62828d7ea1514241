import type { Token } from './classifier.js';

/** Indices of the tokens that cover text[start, end): a word's sub-words, without special tokens. */
export function tokensWithin(tokens: readonly Token[], start: number, end: number): number[] {
  const rows: number[] = [];
  tokens.forEach((token, row) => {
    if (!token.special && token.end > start && token.start < end) rows.push(row);
  });
  return rows;
}
