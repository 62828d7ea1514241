/** @file Our tokenizer file in the hands of two libraries. */
import { readFileSync } from 'node:fs';
import { Tokenizer } from '@huggingface/tokenizers';
import { Tokenizer as NativeTokenizer } from 'tokenizers';
import { expect } from 'vitest';
import { tokenizerJson, WordCounter } from '../../src/train/tokenizer-file.js';
import { trainWordPiece } from '../../src/train/vocabulary.js';

export const SST2 = '../shared/data/sst2';
export const textsOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.split('\t')[0]);
const count = (texts: readonly string[]): Map<string, number> => {
  const counter = new WordCounter();
  for (const text of texts) counter.add(text);
  return counter.counts;
};

/** Learns a vocabulary from some texts and encodes others with it, twice. */
export async function expectAlike(learned: readonly string[], texts: readonly string[], size: number): Promise<void> {
  const file = tokenizerJson(trainWordPiece(count(learned), { size }));
  const native = NativeTokenizer.fromString(JSON.stringify(file));
  const script = new Tokenizer(file, {});
  for (const text of [...texts, 'Ünïcode naïve café 中文 🙂 don’t', 'a\u0000b\tc', '', ' !?']) {
    expect([...(await native.encode(text)).getIds()], text).toEqual(script.encode(text).ids);
  }
}
