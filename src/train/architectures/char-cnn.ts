/**
 * @file Convolutional networks over characters (`char-cnn`) or words (`word-votes`) whose logits are sums of bounded votes: each window of
 * tokens votes with a softmax over the labels, and a text's logits are the sums of its windows' votes. An edit changes only the windows that contain it, and no
 * window can vote by more than 1, so the sums cannot move far: src/verify/bounds.ts proves from the votes alone that no edit changes a
 * prediction. Bounded local votes are those of BagNets with a robust head (Zhang, Yuan, McCoyd and Wagner, "Clipped BagNet", 2020; Metzen and
 * Yatsura, "Efficient Certified Defenses Against Patch Attacks", ICLR 2021) for edits of a text instead of patches of an image. The
 * edit distance as the measure, and the convolution with sum pooling, are those of Abad Rocamora, Chrysos and Cevher (LipsLev, ICLR 2025).
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Architecture } from './architecture-builder.js';
import { labelTables } from './labels.js';

export interface VotesSize {
  /** Entries of the vocabulary of characters or words. */
  readonly vocabulary: number;
  /** Width of a token's vector. */
  readonly tokenDim: number;
  /** Filters over each window. */
  readonly filters: number;
  /** Tokens in a window; odd, so that each window has a token in its middle. */
  readonly window: number;
  readonly maxTokens: number;
}

/**
 * Factor of the logits: they are the sums of votes in units of four windows' length. A small factor makes the cross-entropy demand that
 * many windows vote for the label, which an edit cannot undo.
 */
export const logitScale = (window: number): number => 1 / (4 * window);

/** Name of the votes in the graph, [batch, sequence, labels]; zero for padding. */
const VOTES = 'votes';

export type VotesName = 'char-cnn' | 'word-votes';

/** Both have the same graph. */
export function windowVoting(name: VotesName, size: VotesSize): Architecture {
  const { vocabulary, tokenDim, filters, window, maxTokens } = size;
  return {
    name,
    maxTokens,
    tokenizerClass: 'PreTrainedTokenizerFast',
    config: (labels) => ({ model_type: name, ...size, pad_token_id: 0, ...labelTables(labels) }),
    draw(canvas, labels) {
      const { builder: g } = canvas;
      const ids = canvas.tokens('input_ids');
      const mask = g.cast(canvas.tokens('attention_mask'), DataType.float); // [batch, sequence]
      const present = g.unsqueeze(mask, [2]);
      const table = canvas.weight('embeddings.weight', [vocabulary, tokenDim], { deviation: 0.5 });
      const tokens = canvas.dropout(g.gather(table, ids), 'embedding', ['batch', 'sequence', tokenDim]);
      const half = (window - 1) / 2;
      const padded = g.op('Pad', [g.mul(tokens, present), g.ints([0, half, 0, 0, half, 0])]);
      const slots = Array.from({ length: window }, (_, at) =>
        at === window - 1 ? g.slice(padded, 1, at) : g.slice(padded, 1, at, at - window + 1),
      );
      const inputs = window * tokenDim;
      const windows = g.concat(slots, 2); // [batch, sequence, inputs]
      const response = g.op('Relu', [canvas.linear(windows, 'window', inputs, filters, Math.sqrt(2 / inputs))]);
      const dropped = canvas.dropout(response, 'hidden', ['batch', 'sequence', filters]);
      const scores = canvas.linear(dropped, 'classifier', filters, labels, 1 / Math.sqrt(filters));
      const [votes = ''] = g.ops('Mul', [g.softmax(scores), present], [VOTES]);
      return g.mul(g.sum(votes, [1], false), g.float(logitScale(window)));
    },
  };
}
