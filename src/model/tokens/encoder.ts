/** @file Interface that converts a text to a model's input, and back to positions in the text. */
import type { Token } from '../../core/classifier.js';
import type { InputSpec } from '../opening/manifest.js';

export interface Encoded {
  /**
   * Token ids in order, special ones included; of a model that takes features pairs of 32-bit words, the column and its number in
   * single precision; empty for models that take the text itself.
   */
  readonly ids: Int32Array;
  /** Token types, one an id. Absent where all are 0. */
  readonly types?: Int32Array | undefined;
  /** The text was longer than the model's maximum and lost its end (or its start, where a manifest says so). */
  readonly truncated: boolean;
}

/** The tokens of a long text, and windows of them. */
export interface WindowedTokens {
  readonly content: readonly Token[];
  readonly windows: readonly {
    /** With special tokens. */
    readonly tokens: readonly Token[];
    /** Index of the window's first token in `content`, and in `tokens`. */
    readonly from: number;
    readonly at: number;
    /** Tokens of the text in the window. */
    readonly count: number;
  }[];
}

/** Texts to model inputs. Pure: the same text gives the same ids whatever came before. */
export interface Encoder {
  readonly kind: InputSpec['kind'];
  /** Columns of a row, where texts become rows of numbers. */
  readonly features?: number;
  /** Most ids per text. */
  readonly maximum: number;
  /** `second`: the other text of a pair; both are then cut, the longer first. Throws ModelError (PAIRS_UNSUPPORTED). */
  encode(text: string, second?: string): Encoded;
  /** Tokens that texts begin with, where they are read inside of a prompt; some may begin otherwise. */
  readonly prompt?: Int32Array;
  /** Most tokens of a lone text, and such pieces of it as begin at the given tokens. Absent where texts are not cut. */
  readonly windows?: {
    readonly room: number;
    /** `starts`: the starts of the windows, for a text with this many tokens. */
    encode(text: string, starts: (length: number) => readonly number[]): Encoded[];
    /** The same windows with the places of their tokens. */
    tokens(text: string, starts: (length: number) => readonly number[]): WindowedTokens;
  };
  /**
   * The ids of `encode` with their spans in the text, in order; including padding, as special tokens. More expensive than `encode`: for
   * gradients and explanations. Empty for models that take features or the text itself.
   */
  tokens(text: string, second?: string): Token[];
  /** The vocabulary entry as it would appear in a text, or undefined for special tokens. */
  tokenText(id: number): string | undefined;
  /** Does a token continue the word of the token before it? Absent where the vocabulary does not say. */
  continues?(id: number): boolean;
  /** The share of a text's tokens or words that the vocabulary lacks, 0 to 1; 0 of an empty text. Absent where it can lack none. */
  unknownShare?(text: string): number;
  /** Vocabulary entries that begin a word, in order: words, and beginnings of longer ones. Empty without a vocabulary. */
  words(): string[];
}

/** The ids of tokens, and their types where one is not 0. */
export function idsOf(tokens: readonly Token[]): Pick<Encoded, 'ids' | 'types'> {
  const ids = Int32Array.from(tokens, ({ id }) => id);
  return tokens.some(({ type }) => type) ? { ids, types: Int32Array.from(tokens, ({ type = 0 }) => type) } : { ids };
}

/** Tokens that two texts begin with. */
export function sharedTokens(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a[shared] === b[shared]) shared++;
  return shared;
}
