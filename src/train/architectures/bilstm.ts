/**
 * @file A bidirectional LSTM over words (Hochreiter and Schmidhuber 1997; Graves and Schmidhuber 2005), the largest value of each state
 * over the text (Conneau et al., "Supervised Learning of Universal Sentence Representations", EMNLP 2017, section 3.2.2), one linear layer.
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Architecture, ArchitectureBuilder } from './architecture-builder.js';
import { labelTables } from './labels.js';

export interface BiLstmSize {
  /** Words in the vocabulary. */
  readonly vocabulary: number;
  /** Width of a word vector. */
  readonly dim: number;
  /** Width of each direction's state. */
  readonly hidden: number;
  readonly maxTokens: number;
}

export function biLstm(size: BiLstmSize): Architecture {
  const { vocabulary, dim, hidden, maxTokens } = size;
  return {
    name: 'bilstm',
    maxTokens,
    tokenizerClass: 'PreTrainedTokenizerFast',
    config: (labels) => ({ model_type: 'bilstm', ...size, pad_token_id: 0, ...labelTables(labels) }),
    draw(canvas, labels, of) {
      const { builder: g } = canvas;
      const ids = canvas.tokens('input_ids');
      const mask = canvas.tokens('attention_mask'); // [batch, sequence]
      // With each text's own length the backward direction starts at its last word, not in the padding.
      const lengths = g.cast(g.sum(mask, [1], false), DataType.int32);
      const table = canvas.weight('embeddings.weight', [vocabulary, dim], { deviation: 0.1 });
      const words = canvas.dropout(g.gather(table, ids), 'embedding', ['batch', 'sequence', dim]);
      const states = statesOf(canvas, { words, lengths }, dim, hidden); // [batch, sequence, 2 hidden]
      if (of === 'token') return stateLogits(canvas, states, hidden, labels);
      const pooled = largestStates(canvas, states, g.cast(mask, DataType.bool)); // [batch, 2 hidden]
      const dropped = canvas.dropout(pooled, 'hidden', ['batch', 2 * hidden]);
      return canvas.linear(dropped, 'classifier', 2 * hidden, labels, 1 / Math.sqrt(2 * hidden));
    },
  };
}

/** Words of texts, [batch, words, dim]. */
interface WordSequences {
  readonly words: string;
  /** How many there are, [batch], 32 bits. */
  readonly lengths: string;
}

/** The states of both directions at each word, [batch, words, 2 hidden]. */
export function statesOf(
  canvas: ArchitectureBuilder,
  { words, lengths }: WordSequences,
  dim: number,
  hidden: number,
): string {
  const { builder: g } = canvas;
  const x = g.transpose(words, [1, 0, 2]); // [words, batch, dim]
  const deviation = 1 / Math.sqrt(hidden);
  const weight = canvas.weight('lstm.weight', [2, 4 * hidden, dim], { deviation });
  const recurrent = canvas.weight('lstm.recurrent', [2, 4 * hidden, hidden], { deviation });
  const bias = canvas.weight('lstm.bias', [2, 8 * hidden], { constant: 0 });
  const states = g.op('LSTM', [x, weight, recurrent, bias, lengths], {
    hidden_size: hidden,
    direction: 'bidirectional',
  }); // [words, 2, batch, hidden]
  const perText = g.transpose(states, [2, 0, 1, 3]); // [batch, words, 2, hidden]
  return g.reshape(perText, [0, 0, 2 * hidden]);
}

/** Logits of each word, [batch, words, labels]. */
export function stateLogits(canvas: ArchitectureBuilder, states: string, hidden: number, labels: number): string {
  const dropped = canvas.dropout(states, 'hidden', ['batch', 1, 2 * hidden]);
  return canvas.linear(dropped, 'classifier', 2 * hidden, labels, 1 / Math.sqrt(2 * hidden));
}

/** The largest value of each state over the words of a text, [batch, 2 hidden]. `present`: whether there is such a word, [batch, words]. */
export function largestStates({ builder: g }: ArchitectureBuilder, states: string, present: string): string {
  // A state lies in (-1, 1), so -2 never is the largest.
  const visible = g.where(g.unsqueeze(present, [2]), states, g.float(-2));
  return g.reduce('ReduceMax', visible, [1], false);
}
