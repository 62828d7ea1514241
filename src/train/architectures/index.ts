/** @file The architectures by name. */

import type { ArchitectureName } from '../../core/architectures.js';
import type { Architecture } from './architecture-builder.js';
import { biLstm } from './bilstm.js';
import { charBiLstm } from './char-bilstm.js';
import { charCnn } from './char-cnn.js';
import { bert, distilbert } from './encoder.js';
import { wordCnn } from './word-cnn.js';

export interface ArchitectureSize {
  /** Entries of the vocabulary. */
  readonly vocabulary: number;
  readonly maxTokens: number;
  /** Width of a token's vector; also the filters of each width, or the states of each direction. */
  readonly dim: number;
  /** Characters in a window of `char-cnn`; odd. @default 7 */
  readonly window?: number;
  /** Encoders only. */
  readonly layers: number;
  readonly heads: number;
  readonly feedForward: number;
}

/** Architectures that read words, not pieces of words. */
export const readsWords = (name: ArchitectureName): boolean => name === 'word-cnn' || name === 'bilstm';

/** Architectures that read characters. */
export const readsCharacters = (name: ArchitectureName): boolean => name === 'char-bilstm' || name === 'char-cnn';

/** Throws UsageError for sizes that do not fit together. */
export function architecture(name: ArchitectureName, size: ArchitectureSize): Architecture {
  const { vocabulary, maxTokens, dim, window = 7 } = size;
  switch (name) {
    case 'distilbert':
      return distilbert(size);
    case 'bert':
      return bert(size);
    case 'word-cnn':
      return wordCnn({ vocabulary, maxTokens, dim, filters: dim, widths: [3, 5, 7] });
    case 'bilstm':
      return biLstm({ vocabulary, maxTokens, dim, hidden: dim });
    case 'char-bilstm': {
      const characterDim = Math.ceil(dim / 4);
      return charBiLstm({ vocabulary, maxTokens, characterDim, filters: 2 * dim, width: 5, dim, hidden: dim });
    }
    case 'char-cnn':
      return charCnn({ vocabulary, maxTokens, characterDim: Math.ceil(dim / 4), filters: dim, window });
  }
}
