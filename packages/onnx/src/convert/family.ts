/** @file Interface of a family of models: its names, and the parts of its graph. */
import { DataType } from '../graph/data-type.js';
import type { Drawing } from './drawing.js';
import type { PastShape } from './past.js';

export interface Family {
  /** As `model_type` of config.json calls its members. */
  readonly types: readonly string[];
  /** Prefix of the base model's weights in a classifier: "bert". */
  readonly prefix: string;
  /** Defaults of keys that config.json omits. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** The `model_type` whose tokenizer it has, for checkpoints without a tokenizer.json. @default each member's own */
  readonly tokenizer?: string;
  /** Checkpoints may name code of their own (`auto_map`): it is never run, since config and tensors alone say all. */
  readonly ownCode?: boolean;
  /** The type of padding, where the tokenizer puts it before a text. */
  readonly paddingType?: number;
  /** Whether the reference's answers depend on padding, so that they can be compared without it only. */
  readonly readsPadding?: (config: Readonly<Record<string, unknown>>) => boolean;
  /** Keys and values that its layers keep of earlier tokens; undefined if a token also sees later ones, or its angles depend on their number. */
  readonly past?: (d: Drawing) => PastShape | undefined;
  /** Parts of the base model that a head may leave unread. */
  readonly unused?: readonly string[];
  /** The width of `encode`. */
  width(d: Drawing): number;
  /** The last layer, [batch, sequence, width]. */
  encode(d: Drawing): string;
  /** Logits of this many labels, [batch, labels]. */
  classify(d: Drawing, hidden: string, labels: number): string;
  /** Logits of this many labels for each token, [batch, sequence, labels]. @default a linear layer, "classifier" */
  readonly tags?: (d: Drawing, hidden: string, labels: number) => string;
  /** A model of the family that tags tokens cannot be drawn: it has another encoder, or transformers has no such class. */
  readonly tagless?: true;
  /** The logits of a masked or a causal language model over the vocabulary, [batch, sequence, vocabulary]; absent where it has none. */
  readonly masked?: (d: Drawing, hidden: string) => string;
  readonly causal?: (d: Drawing, hidden: string) => string;
}

/** The first token's representation, [batch, width]. */
export const firstToken = (d: Drawing, hidden: string): string => d.g.at(hidden, 1, 0);

/** The mean over the tokens that are no padding, [batch, width]. */
export function meanToken(d: Drawing, hidden: string): string {
  const { g } = d;
  const mask = g.cast(d.mask, DataType.float);
  const sum = g.matmul(g.unsqueeze(mask, [1]), hidden); // [batch, 1, width]
  const count = g.sum(mask, [1]);
  return g.div(g.squeeze(sum, [1]), count);
}

/** Defaults of the sizes under their usual keys; `inner` is the width of the feed-forward part. */
export const usualSizes = (vocabulary: number, width: number, inner: number, layers: number, heads: number) => {
  const sizes = { vocab_size: vocabulary, hidden_size: width, intermediate_size: inner };
  return { ...sizes, num_hidden_layers: layers, num_attention_heads: heads };
};
