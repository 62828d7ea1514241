/**
 * @file Victims of any size with random weights, for benchmarks: time depends on the shapes, not on what was learnt. The layers
 * are DistilBERT's (Sanh et al. 2019) as PyTorch exports them at opset 17.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { float, GraphBuilder } from '../packages/onnx/src/graph/builder.js';
import { DataType } from '../packages/onnx/src/graph/data-type.js';
import { random } from '../src/core/random.js';

export interface EncoderShape {
  readonly layers: number;
  readonly dim: number;
  readonly heads: number;
  /** Width of the feed-forward layer. */
  readonly ffn: number;
  readonly vocabulary: number;
  readonly positions: number;
  readonly labels: number;
}

/** 66 million parameters, as distilbert-base-uncased. */
export const DISTILBERT_BASE: EncoderShape = {
  layers: 6,
  dim: 768,
  heads: 12,
  ffn: 3072,
  vocabulary: 30522,
  positions: 512,
  labels: 2,
};

/** The bundled model's size. */
export const SMALL: EncoderShape = {
  layers: 4,
  dim: 256,
  heads: 4,
  ffn: 1024,
  vocabulary: 8000,
  positions: 128,
  labels: 2,
};

/** The file of a model: input_ids, attention_mask int64 [batch, sequence] -> logits [batch, labels]. */
export function encoder(shape: EncoderShape, seed = 1): Uint8Array {
  const { layers, dim, heads, ffn, vocabulary, positions, labels } = shape;
  const g = new GraphBuilder({ opset: 17 });
  const weights = random(seed, 'weights');

  const normal = (name: string, dims: readonly number[], deviation: number): string => {
    const size = dims.reduce((product, d) => product * d, 1);
    // Repeats a few thousand draws: the arithmetic takes the same time, and 66 million draws would take a minute.
    const draws = Float32Array.from({ length: Math.min(size, 4099) }, () => weights.normal() * deviation);
    return g.initializer(
      name,
      dims,
      Float32Array.from({ length: size }, (_, i) => draws[i % draws.length] as number),
    );
  };
  const filled = (name: string, size: number, value: number): string =>
    g.initializer(name, [size], new Float32Array(size).fill(value));
  const linear = (x: string, name: string, from: number, to: number): string =>
    g.op('Add', [
      g.op('MatMul', [x, normal(`${name}.weight`, [from, to], from ** -0.5)]),
      filled(`${name}.bias`, to, 0),
    ]);
  const layerNorm = (x: string, name: string): string =>
    g.op('LayerNormalization', [x, filled(`${name}.weight`, dim, 1), filled(`${name}.bias`, dim, 0)], {
      axis: -1,
      epsilon: float(1e-12),
    });

  const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
  const mask = g.input('attention_mask', DataType.int64, ['batch', 'sequence']);
  const words = g.op('Gather', [normal('embeddings.word', [vocabulary, dim], 0.5), ids]); // [batch, sequence, dim]
  const length = g.op('Slice', [g.op('Shape', [ids]), g.ints([1]), g.ints([2])]);
  const places = g.op('Slice', [
    normal('embeddings.position', [positions, dim], 0.1),
    g.ints([0]),
    length,
    g.ints([0]),
  ]);
  let x = layerNorm(g.op('Add', [words, places]), 'embeddings.norm');

  // 0 where a token is, -1e9 where padding is: [batch, 1, 1, sequence]
  const real = g.op('Cast', [g.op('Unsqueeze', [mask, g.ints([1, 2])])], { to: DataType.float });
  const hidden = g.op('Mul', [g.op('Sub', [g.float(1), real]), g.float(-1e9)]);

  for (let layer = 0; layer < layers; layer++) {
    const name = `layer.${layer}`;
    const split = (projected: string, perm: readonly number[]): string =>
      g.op('Transpose', [g.op('Reshape', [projected, g.ints([0, 0, heads, dim / heads])])], { perm });
    const q = split(linear(x, `${name}.q`, dim, dim), [0, 2, 1, 3]); // [batch, heads, sequence, head]
    const k = split(linear(x, `${name}.k`, dim, dim), [0, 2, 3, 1]); // [batch, heads, head, sequence]
    const v = split(linear(x, `${name}.v`, dim, dim), [0, 2, 1, 3]);
    const scores = g.op('Div', [g.op('MatMul', [q, k]), g.float(Math.sqrt(dim / heads))]);
    const attention = g.op('Softmax', [g.op('Add', [scores, hidden])], { axis: -1 });
    const mixed = g.op('Transpose', [g.op('MatMul', [attention, v])], { perm: [0, 2, 1, 3] });
    const out = linear(g.op('Reshape', [mixed, g.ints([0, 0, dim])]), `${name}.out`, dim, dim);
    x = layerNorm(g.op('Add', [out, x]), `${name}.norm1`);

    const up = linear(x, `${name}.up`, dim, ffn);
    const gate = g.op('Add', [g.op('Erf', [g.op('Div', [up, g.float(Math.SQRT2)])]), g.float(1)]);
    const gelu = g.op('Mul', [g.op('Mul', [up, gate]), g.float(0.5)]);
    x = layerNorm(g.op('Add', [linear(gelu, `${name}.down`, ffn, dim), x]), `${name}.norm2`);
  }

  const cls = g.op('Gather', [x, g.int(0)], { axis: 1 }); // [batch, dim]
  const pooled = g.op('Relu', [linear(cls, 'pre_classifier', dim, dim)]);
  const logits = g.op('Add', [
    g.op('MatMul', [pooled, normal('classifier.weight', [dim, labels], 0.05)]),
    filled('classifier.bias', labels, 0),
  ]);
  g.output(g.ops('Identity', [logits], ['logits'])[0]!, DataType.float, ['batch', labels]);
  return g.build();
}

/** Writes a model folder: the encoder, and made-up words w0, w1, ... as its vocabulary. */
export function writeFolder(folder: string, shape: EncoderShape): void {
  const words = Array.from({ length: shape.vocabulary }, (_, id) => [`w${id}`, id] as const);
  const labels = Array.from({ length: shape.labels }, (_, label) => `label${label}`);
  const input = { kind: 'word-index', name: 'input_ids', vocabulary: 'words.json' };
  writeFileSync(join(folder, 'model.onnx'), encoder(shape));
  writeFileSync(join(folder, 'words.json'), JSON.stringify(Object.fromEntries(words)));
  writeFileSync(join(folder, 'robust.json'), JSON.stringify({ labels, input }));
}
