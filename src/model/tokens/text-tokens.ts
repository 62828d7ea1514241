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
export const textTokens = (
  text: string,
  tokens: readonly Token[],
  { continues }: Pick<Encoder, 'continues'>,
): TextToken[] =>
  tokens.flatMap(({ id, start, end, special }, at): TextToken[] =>
    special
      ? []
      : [
          {
            at,
            start: start + leadingSpaces(text, start, end),
            end,
            continues: continues?.(id) ?? continuesWord(text, start),
          },
        ],
  );

/** Spaces with which a token begins: they belong to no entity. */
function leadingSpaces(text: string, start: number, end: number): number {
  let spaces = 0;
  while (start + spaces < end && text[start + spaces] === ' ') spaces++;
  return spaces;
}

/** As transformers decides it for vocabularies that do not mark continuations. */
const continuesWord = (text: string, start: number): boolean =>
  start > 0 && !text.slice(start - 1, start + 1).includes(' ');
