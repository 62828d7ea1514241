import type { Token } from '../core/classifier.js';
import { ModelError } from '../core/errors.js';
import type { Description } from './describe.js';
import { featureEncoder } from './features.js';
import type { InputSpec } from './manifest.js';
import { stringEncoder } from './string-input.js';
import { tokenizerEncoder } from './tokenizer.js';
import { wordIndexEncoder } from './word-index.js';

export interface Encoded {
  /**
   * Token ids in order, special ones included; of a model that takes features pairs of 32-bit words, the column and its number in
   * single precision; empty for models that take the text itself.
   */
  readonly ids: Int32Array;
  /** The text was longer than the model's maximum and lost its end (or its start, where a manifest says so). */
  readonly truncated: boolean;
}

/** Texts to model inputs. Pure: the same text gives the same ids whatever came before. */
export interface Encoder {
  readonly kind: InputSpec['kind'];
  /** Columns of a row, where texts become rows of numbers. */
  readonly features?: number;
  /** Most ids per text. */
  readonly maximum: number;
  encode(text: string): Encoded;
  /**
   * The ids of `encode` with the spans of the text they stand for, in order; padding included, as special tokens.
   * Costs more than `encode`: for gradients and explanations. Empty for models that take features or the text itself.
   */
  tokens(text: string): Token[];
  /** The text of one vocabulary entry as it would stand in a text, or undefined for special tokens. */
  tokenText(id: number): string | undefined;
  /** What the vocabulary holds that begins a word, in its order: words, and beginnings of longer ones. Empty where it has none. */
  words(): string[];
}

/** Most tokens of a text where neither config nor graph sets a limit, so that one endless line cannot exhaust the memory. */
export const UNLIMITED = 2048;

/** `fixedLength`: ids per text, where the graph fixes it. Throws ModelError where tokenizer or vocabulary cannot be used. */
export async function createEncoder(model: Description, fixedLength?: number): Promise<Encoder> {
  const { folder, input, padId } = model;
  const maximum = Math.min(model.maximum ?? UNLIMITED, fixedLength ?? UNLIMITED);
  switch (input.kind) {
    case 'tokenizer':
      return tokenizerEncoder(folder, { maximum, padId, length: fixedLength });
    case 'word-index':
      if (fixedLength !== undefined && input.length !== null && input.length !== fixedLength) {
        throw new ModelError(
          `${folder}: input.length: the graph takes ${fixedLength} ids, the manifest says ${input.length}`,
          {
            code: 'MANIFEST_INVALID',
            hint: `Say "length": ${fixedLength} in robust.json.`,
          },
        );
      }
      return wordIndexEncoder(folder, { ...input, length: input.length ?? fixedLength ?? null }, maximum);
    case 'counts':
    case 'tfidf':
    case 'hashing':
      return featureEncoder(folder, input);
    case 'string':
      return stringEncoder();
  }
}
