/**
 * @file A convolutional network over words: Kim, "Convolutional Neural Networks for Sentence Classification" (EMNLP
 * 2014), figure 1. Filters of several widths, the largest response of each over the text, one linear layer.
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Architecture } from './architecture-builder.js';
import { labelTables } from './labels.js';

export interface WordCnnSize {
  /** Words in the vocabulary. */
  readonly vocabulary: number;
  /** Width of a word vector. */
  readonly dim: number;
  /** Filters of each width. */
  readonly filters: number;
  /** Words a filter sees; odd, so that "same" padding is symmetric. */
  readonly widths: readonly number[];
  readonly maxTokens: number;
}

export function wordCnn(size: WordCnnSize): Architecture {
  const { vocabulary, dim, filters, widths, maxTokens } = size;
  return {
    name: 'word-cnn',
    maxTokens,
    tokenizerClass: 'PreTrainedTokenizerFast',
    config: (labels) => ({ model_type: 'word-cnn', ...size, pad_token_id: 0, ...labelTables(labels) }),
    draw(canvas, labels, of) {
      const { builder: g } = canvas;
      const ids = canvas.tokens('input_ids');
      const mask = g.cast(canvas.tokens('attention_mask'), DataType.float); // [batch, sequence]
      const table = canvas.weight('embeddings.weight', [vocabulary, dim], { deviation: 0.1 });
      const words = canvas.dropout(g.gather(table, ids), 'embedding', ['batch', 'sequence', dim]);
      // Padding is zeroed before and after each filter: before, it must not colour the last words; after, its response
      // must not be the largest (a ReLU's is never below zero).
      const seen = g.mul(words, g.unsqueeze(mask, [2]));
      const x = g.transpose(seen, [0, 2, 1]); // [batch, dim, sequence]
      const present = g.unsqueeze(mask, [1]); // [batch, 1, sequence]
      const responses = widths.map((width) => {
        const deviation = Math.sqrt(2 / (dim * width));
        const kernel = canvas.weight(`convolution.${width}.weight`, [filters, dim, width], { deviation });
        const bias = canvas.weight(`convolution.${width}.bias`, [filters], { constant: 0 });
        const half = (width - 1) / 2;
        const response = g.op('Conv', [x, kernel, bias], { kernel_shape: [width], pads: [half, half] });
        return g.mul(g.op('Relu', [response]), present); // [batch, filters, sequence]
      });
      const features = filters * widths.length;
      if (of === 'token') {
        const tokens = g.transpose(g.op('Concat', responses, { axis: 1 }), [0, 2, 1]); // [batch, sequence, features]
        const kept = canvas.dropout(tokens, 'hidden', ['batch', 1, features]);
        return canvas.linear(kept, 'classifier', features, labels, 1 / Math.sqrt(features));
      }
      const pooled = responses.map((response) => g.reduce('ReduceMax', response, [2], false));
      const all = g.op('Concat', pooled, { axis: 1 }); // [batch, filters * widths]
      const dropped = canvas.dropout(all, 'hidden', ['batch', features]);
      return canvas.linear(dropped, 'classifier', features, labels, 1 / Math.sqrt(features));
    },
  };
}
