/**
 * @file A bidirectional LSTM over words that are read letter by letter, as in Kim, Jernite, Sontag and Rush, "Character-Aware Neural
 * Language Models" (AAAI 2016): filters over the characters of a word, and what they find there is the word's vector. A misspelt word keeps
 * most of its letters, and so most of its vector. Theirs takes the largest response of each filter, this one a mean weighted by the squares
 * of the responses, near the largest and two matrix products over the whole text; a layer with a norm stands for their highway.
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { SPECIAL_TOKENS } from '../vocabulary.js';
import type { Architecture } from './architecture-builder.js';
import { largestStates, stateLogits, statesOf } from './bilstm.js';
import { labelTables } from './labels.js';

export interface CharBiLstmSize {
  /** Entries of a vocabulary of characters: see `characterVocabulary`. */
  readonly vocabulary: number;
  /** Width of a character's vector. */
  readonly characterDim: number;
  readonly filters: number;
  /** Characters that a filter sees; odd. */
  readonly width: number;
  /** Width of a word's vector. */
  readonly dim: number;
  /** Width of each direction's state. */
  readonly hidden: number;
  readonly maxTokens: number;
}

/** End index of a Slice to the end. */
const END = 2 ** 31 - 1;

export function charBiLstm(size: CharBiLstmSize): Architecture {
  const { vocabulary, characterDim, filters, width, dim, hidden, maxTokens } = size;
  const firstLater = SPECIAL_TOKENS.length + (vocabulary - SPECIAL_TOKENS.length) / 2;
  return {
    name: 'char-bilstm',
    maxTokens,
    tokenizerClass: 'PreTrainedTokenizerFast',
    config: (labels) => ({ model_type: 'char-bilstm', ...size, pad_token_id: 0, ...labelTables(labels) }),
    draw(canvas, labels, of) {
      const { builder: g } = canvas;
      const ids = canvas.tokens('input_ids');
      const mask = canvas.tokens('attention_mask'); // [batch, sequence]
      // The number of each character's word, from 1; 0 for padding.
      const begins = g.cast(g.op('Less', [ids, g.int(firstLater)]), DataType.int64);
      const counted = g.op('CumSum', [g.mul(begins, mask), g.int(1)]);
      const word = g.mul(counted, mask); // [batch, sequence]

      const table = canvas.weight('embeddings.weight', [vocabulary, characterDim], { deviation: 0.5 });
      const characters = g.gather(table, ids); // [batch, sequence, characterDim]
      // What a filter sees of each character's word: the others' letters are zeros to it.
      const half = (width - 1) / 2;
      const padded = g.op('Pad', [characters, g.ints([0, half, 0, 0, half, 0])]);
      const paddedWord = g.op('Pad', [word, g.ints([0, half, 0, half])]);
      const seen = Array.from({ length: width }, (_, at) => {
        if (at === half) return characters;
        const shift = (x: string) => g.slice(x, 1, at, at === width - 1 ? END : at - width + 1);
        const same = g.cast(g.op('Equal', [shift(paddedWord), word]), DataType.float);
        return g.mul(shift(padded), g.unsqueeze(same, [2]));
      });
      const window = g.op('Concat', seen, { axis: 2 }); // [batch, sequence, width * characterDim]
      const inputs = width * characterDim;
      const responses = g.op('Relu', [canvas.linear(window, 'convolution', inputs, filters, Math.sqrt(2 / inputs))]);

      // Which characters are of which word, [batch, words, sequence]: sums over a word's are a product with it.
      const one = g.int(1);
      const most = g.op('Max', [g.op('ReduceMax', [word], { keepdims: 0 }), one]);
      const numbers = g.op('Range', [one, g.add(most, one), one]); // [words]
      const belongs = g.op('Equal', [g.unsqueeze(word, [1]), g.unsqueeze(numbers, [1])]);
      const members = g.cast(belongs, DataType.float);
      const squares = g.mul(responses, responses);
      const cubes = g.matmul(members, g.mul(squares, responses));
      const found = g.div(cubes, g.add(g.matmul(members, squares), g.float(1e-3))); // [batch, words, filters]
      const projected = canvas.linear(found, 'word', filters, dim, Math.sqrt(2 / filters));
      const vectors = g.op('Relu', [canvas.layerNorm(projected, 'word.norm', dim)]);
      // The same dimensions are dropped for all words of a text (Gal and Ghahramani 2016).
      const words = canvas.dropout(vectors, 'embedding', ['batch', 1, dim]);
      const last = g.op('ReduceMax', [word], { axes: [1] }); // [batch, 1]
      const lengths = g.cast(g.squeeze(last, [1]), DataType.int32);
      const states = statesOf(canvas, { words, lengths }, dim, hidden); // [batch, words, 2 hidden]
      // Each character has the logits of its word.
      if (of === 'token') return g.matmul(g.transpose(members, [0, 2, 1]), stateLogits(canvas, states, hidden, labels));
      const pooled = largestStates(canvas, states, g.op('LessOrEqual', [numbers, last]));
      const dropped = canvas.dropout(pooled, 'hidden', ['batch', 2 * hidden]);
      return canvas.linear(dropped, 'classifier', 2 * hidden, labels, 1 / Math.sqrt(2 * hidden));
    },
  };
}
