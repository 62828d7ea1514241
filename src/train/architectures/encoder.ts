/**
 * @file Transformer encoders with a classifier on [CLS]: BERT (Devlin et al., NAACL 2019) and DistilBERT (Sanh et al.
 * 2019: no token types, no pooler, a ReLU before the classifier), of any size. Weights bear the Hugging Face names;
 * matrices are stored [inputs, outputs], the transpose of PyTorch's.
 */
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { RobustError } from '../../core/errors.js';
import type { Architecture, ArchitectureBuilder } from './architecture-builder.js';
import { labelTables } from './labels.js';

export interface EncoderSize {
  readonly layers: number;
  /** Width of a token's representation; a multiple of `heads`. */
  readonly dim: number;
  readonly heads: number;
  /** Width of the feed-forward layer. */
  readonly feedForward: number;
  /** Entries of the vocabulary. */
  readonly vocabulary: number;
  /** Rows of the position table. */
  readonly maxTokens: number;
}

/** Standard deviation of BERT's initial weights, for its own width of 768. */
const DEVIATION = 0.02;

interface Names {
  readonly embeddings: string;
  layer(at: number): {
    readonly query: string;
    readonly key: string;
    readonly value: string;
    readonly attention: string;
    readonly attentionNorm: string;
    readonly expand: string;
    readonly contract: string;
    readonly outputNorm: string;
  };
}

const DISTILBERT: Names = {
  embeddings: 'distilbert.embeddings',
  layer: (at) => {
    const layer = `distilbert.transformer.layer.${at}`;
    return {
      query: `${layer}.attention.q_lin`,
      key: `${layer}.attention.k_lin`,
      value: `${layer}.attention.v_lin`,
      attention: `${layer}.attention.out_lin`,
      attentionNorm: `${layer}.sa_layer_norm`,
      expand: `${layer}.ffn.lin1`,
      contract: `${layer}.ffn.lin2`,
      outputNorm: `${layer}.output_layer_norm`,
    };
  },
};

const BERT: Names = {
  embeddings: 'bert.embeddings',
  layer: (at) => {
    const layer = `bert.encoder.layer.${at}`;
    return {
      query: `${layer}.attention.self.query`,
      key: `${layer}.attention.self.key`,
      value: `${layer}.attention.self.value`,
      attention: `${layer}.attention.output.dense`,
      attentionNorm: `${layer}.attention.output.LayerNorm`,
      expand: `${layer}.intermediate.dense`,
      contract: `${layer}.output.dense`,
      outputNorm: `${layer}.output.LayerNorm`,
    };
  },
};

export function distilbert(size: EncoderSize): Architecture {
  check(size);
  return {
    name: 'distilbert',
    maxTokens: size.maxTokens,
    tokenizerClass: 'DistilBertTokenizer',
    config: (labels, of) => ({
      architectures: [`DistilBert${HEADS[of ?? 'text']}`],
      model_type: 'distilbert',
      vocab_size: size.vocabulary,
      dim: size.dim,
      n_layers: size.layers,
      n_heads: size.heads,
      hidden_dim: size.feedForward,
      max_position_embeddings: size.maxTokens,
      activation: 'gelu',
      pad_token_id: 0,
      ...(of !== 'token' && { problem_type: 'single_label_classification' }),
      ...labelTables(labels),
    }),
    draw(canvas, labels, of) {
      const tokens = encode(canvas, size, DISTILBERT, false); // [batch, sequence, dim]
      if (of === 'token') return tokenLogits(canvas, tokens, size, labels);
      const cls = canvas.builder.at(tokens, 1, 0); // [batch, dim]
      const hidden = canvas.builder.op('Relu', [
        canvas.linear(cls, 'pre_classifier', size.dim, size.dim, deviation(size)),
      ]);
      const dropped = canvas.dropout(hidden, 'hidden', ['batch', size.dim]);
      return canvas.linear(dropped, 'classifier', size.dim, labels, deviation(size));
    },
  };
}

export function bert(size: EncoderSize): Architecture {
  check(size);
  return {
    name: 'bert',
    maxTokens: size.maxTokens,
    tokenizerClass: 'BertTokenizer',
    config: (labels, of) => ({
      architectures: [`Bert${HEADS[of ?? 'text']}`],
      model_type: 'bert',
      vocab_size: size.vocabulary,
      hidden_size: size.dim,
      num_hidden_layers: size.layers,
      num_attention_heads: size.heads,
      intermediate_size: size.feedForward,
      max_position_embeddings: size.maxTokens,
      type_vocab_size: 2,
      hidden_act: 'gelu',
      layer_norm_eps: 1e-12,
      pad_token_id: 0,
      ...(of !== 'token' && { problem_type: 'single_label_classification' }),
      ...labelTables(labels),
    }),
    draw(canvas, labels, of) {
      const tokens = encode(canvas, size, BERT, true); // [batch, sequence, dim]
      if (of === 'token') return tokenLogits(canvas, tokens, size, labels);
      const cls = canvas.builder.at(tokens, 1, 0); // [batch, dim]
      const pooled = canvas.builder.op('Tanh', [
        canvas.linear(cls, 'bert.pooler.dense', size.dim, size.dim, deviation(size)),
      ]);
      const dropped = canvas.dropout(pooled, 'hidden', ['batch', size.dim]);
      return canvas.linear(dropped, 'classifier', size.dim, labels, deviation(size));
    },
  };
}

const HEADS = { text: 'ForSequenceClassification', token: 'ForTokenClassification' } as const;

/** As in transformers' classes for token classification, [batch, sequence, labels]. */
function tokenLogits(canvas: ArchitectureBuilder, tokens: string, size: EncoderSize, labels: number): string {
  const dropped = canvas.dropout(tokens, 'hidden', ['batch', 'sequence', size.dim]);
  return canvas.linear(dropped, 'classifier', size.dim, labels, deviation(size));
}

/** The representation of each token after the last layer, [batch, sequence, dim]. */
function encode(canvas: ArchitectureBuilder, size: EncoderSize, names: Names, tokenTypes: boolean): string {
  const { builder: g } = canvas;
  const { dim, vocabulary, maxTokens } = size;
  const ids = canvas.tokens('input_ids');
  const mask = g.cast(canvas.tokens('attention_mask'), DataType.float); // [batch, sequence]

  const table = (name: string, rows: number) =>
    canvas.weight(`${names.embeddings}.${name}_embeddings.weight`, [rows, dim], { deviation: DEVIATION });
  let x = g.gather(table('word', vocabulary), ids); // [batch, sequence, dim]
  if (tokenTypes) x = g.add(x, g.gather(table('token_type', 2), canvas.tokens('token_type_ids')));
  const sequence = g.op('Slice', [g.shape(ids), g.ints([1]), g.ints([2])]);
  const positions = g.op('Slice', [table('position', maxTokens), g.ints([0]), sequence, g.ints([0])]); // [sequence, dim]
  x = g.add(x, positions);
  x = canvas.layerNorm(x, `${names.embeddings}.LayerNorm`, dim);
  x = canvas.dropout(x, 'embedding', ['batch', 'sequence', dim]);

  // 0 for words, -10,000 for padding: exp of it is exactly 0, so padding changes nothing.
  const padding = g.mul(g.sub(g.float(1), mask), g.float(-10_000));
  const bias = g.unsqueeze(padding, [1, 2]); // [batch, 1, 1, sequence]
  for (let at = 0; at < size.layers; at++) x = layer(canvas, size, names.layer(at), x, bias);
  return x;
}

function layer(
  canvas: ArchitectureBuilder,
  size: EncoderSize,
  names: ReturnType<Names['layer']>,
  x: string,
  bias: string,
): string {
  const { builder: g } = canvas;
  const { dim, heads, feedForward } = size;
  const std = deviation(size);
  // [batch, sequence, dim] -> [batch, heads, sequence, dim / heads], or its transpose for the keys
  const split = (name: string, perm: readonly number[]) =>
    g.transpose(g.reshape(canvas.linear(x, name, dim, dim, std), [0, 0, heads, dim / heads]), perm);
  const query = split(names.query, [0, 2, 1, 3]);
  const key = split(names.key, [0, 2, 3, 1]);
  const value = split(names.value, [0, 2, 1, 3]);
  const scores = g.div(g.matmul(query, key), g.float(Math.sqrt(dim / heads)));
  const weights = g.softmax(g.add(scores, bias)); // [batch, heads, sequence, sequence]
  const kept = canvas.dropout(weights, 'attention', ['batch', heads, 'sequence', 'sequence']);
  const mixed = g.transpose(g.matmul(kept, value), [0, 2, 1, 3]);
  const attended = canvas.linear(g.reshape(mixed, [0, 0, dim]), names.attention, dim, dim, std);
  const hidden = ['batch', 'sequence', dim] as const;
  const y = canvas.layerNorm(g.add(canvas.dropout(attended, 'hidden', hidden), x), names.attentionNorm, dim);
  const expanded = gelu(canvas, canvas.linear(y, names.expand, dim, feedForward, std));
  const contracted = canvas.linear(expanded, names.contract, feedForward, dim, std);
  return canvas.layerNorm(g.add(canvas.dropout(contracted, 'hidden', hidden), y), names.outputNorm, dim);
}

/** x (1 + erf(x / sqrt 2)) / 2 as single operators: the Gelu operator needs opset 20, which older tools cannot read. */
function gelu({ builder: g }: ArchitectureBuilder, x: string): string {
  const erf = g.op('Erf', [g.div(x, g.float(Math.SQRT2))]);
  return g.mul(g.mul(x, g.add(erf, g.float(1))), g.float(0.5));
}

/** A narrower layer sums fewer terms: the deviation grows so that a layer's output keeps its size. */
const deviation = ({ dim }: EncoderSize): number => DEVIATION * Math.sqrt(768 / dim);

function check({ dim, heads }: EncoderSize): void {
  if (dim % heads === 0) return;
  throw new RobustError(`expected a width that is a multiple of the heads, got ${dim} and ${heads}`, {
    code: 'ARCHITECTURE_INVALID',
    hint: 'Choose heads that divide dim: --arch bert:dim=256:heads=4.',
  });
}
