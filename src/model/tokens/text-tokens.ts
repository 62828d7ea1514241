/** @file The tokens of a text that a model tags: special ones left out, each with its place and whether it continues a word. */
import type { Token } from '../../core/classifier.js';
import type { Encoder } from './encoder.js';

export interface TextToken {
  /** Index among all tokens of the text, special ones included. */
  readonly at: number;
  readonly start: number;
  readonly end: number;
  /** It continues the word of the token before. */
  readonly continues: boolean;
}

/** `tokens`: those of the encoder for this text. */
export function textTokens(
  text: string,
  tokens: readonly Token[],
  { continues }: Pick<Encoder, 'continues'>,
): TextToken[] {
  const found: TextToken[] = [];
  // Each query of a model that tags comes here: no object is made that is not kept.
  for (let at = 0; at < tokens.length; at++) {
    const { id, start, end, special } = tokens[at]!;
    if (special) continue;
    const from = start + leadingSpaces(text, start, end);
    found.push({ at, start: from, end, continues: continues?.(id) ?? continuesWord(text, start) });
  }
  return found;
}

/** Spaces with which a token begins: they belong to no entity. */
function leadingSpaces(text: string, start: number, end: number): number {
  let spaces = 0;
  while (start + spaces < end && text[start + spaces] === ' ') spaces++;
  return spaces;
}

/** As transformers decides it for vocabularies that do not mark continuations. */
const continuesWord = (text: string, start: number): boolean =>
  start > 0 && !text.slice(start - 1, start + 1).includes(' ');
