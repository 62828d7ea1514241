/** @file The architectures by name. */
import type { ArchitectureName } from '../../core/architectures.js';
import type { Architecture } from './architecture-builder.js';
import { biLstm } from './bilstm.js';
import { charBiLstm } from './char-bilstm.js';
import { type VotesName, windowVoting } from './char-cnn.js';
import { bert, distilbert } from './encoder.js';
import { wordCnn } from './word-cnn.js';

export interface ArchitectureSize {
  /** Entries of the vocabulary. */
  readonly vocabulary: number;
  readonly maxTokens: number;
  /** Width of a token's vector; also the filters of each width, or the states of each direction. */
  readonly dim: number;
  /** Tokens in a window of `char-cnn` or `word-votes`; odd. @default `defaultWindow` */
  readonly window?: number | undefined;
  /** Encoders only. */
  readonly layers: number;
  readonly heads: number;
  readonly feedForward: number;
}

/** Architectures that read words, not pieces of words. */
export const readsWords = (name: ArchitectureName): boolean =>
  name === 'word-cnn' || name === 'bilstm' || name === 'word-votes';

/** Architectures that read characters. */
export const readsCharacters = (name: ArchitectureName): boolean => name === 'char-bilstm' || name === 'char-cnn';

/** Architectures whose windows of tokens vote for one label. */
export const votes = (name: ArchitectureName): name is VotesName => name === 'char-cnn' || name === 'word-votes';

/** Tokens in a window: seven characters, or three words. */
const defaultWindow = (name: VotesName): number => (name === 'char-cnn' ? 7 : 3);

/** Throws RobustError for sizes that do not fit together. */
export function architecture(name: ArchitectureName, size: ArchitectureSize): Architecture {
  const { vocabulary, maxTokens, dim } = size;
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
    case 'word-votes': {
      const { window = defaultWindow(name) } = size;
      const tokenDim = name === 'char-cnn' ? Math.ceil(dim / 4) : dim;
      return windowVoting(name, { vocabulary, maxTokens, tokenDim, filters: dim, window });
    }
  }
}
