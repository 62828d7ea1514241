/** @file The attention operators of onnxruntime (docs/ContribOperators.md), as transformer optimisers write them. */
import { must } from '../../errors.js';
import { attributesOf } from '../../graph/attributes.js';
import { DataType } from '../../graph/data-type.js';
import { type Tape, Unsupported } from '../tape.js';
import type { Lowering, LoweringContext } from './lowering.js';

/** Far enough below any score that softmax makes it an exact zero. */
const HIDDEN = -1e30;

/** softmax(scale q k^T + biases) v of [batch, heads, sequence, head], heads joined again: [batch, sequence, hidden]. */
function attend(g: Tape, q: string, k: string, v: string, scale: number, biases: readonly string[]): string {
  const products = g.matmul(q, g.transpose(k, [0, 1, 3, 2]));
  const scores = biases.reduce((sum, bias) => g.add(sum, bias), g.scale(products, scale)); // [batch, heads, to, from]
  const mixed = g.transpose(g.matmul(g.softmax(scores), v), [0, 2, 1, 3]); // [batch, to, heads, head]
  return g.reshape(mixed, [0, 0, -1]);
}

/** [batch, sequence, heads * head] -> [batch, heads, sequence, head]. */
const heads = (g: Tape, x: string, count: number, width: number): string =>
  g.transpose(g.reshape(x, [0, 0, count, width]), [0, 2, 1, 3]);

/** The mask as a term added to the scores: 0 where it is 1, `filter` where it is 0. Takes lengths, or a mask of 2, 3 or 4 axes. */
function maskBias(g: Tape, mask: string, keys: string, filter: number): string {
  let kept: string; // broadcast to [batch, heads, to, from]
  if (g.rank(mask) === 1) {
    const places = g.op('Range', [g.int(0), g.squeeze(g.size(keys, 1), [0]), g.int(1)]);
    const lengths = g.cast(mask, DataType.int64);
    kept = g.unsqueeze(g.indicator(g.op('Less', [g.unsqueeze(places, [0]), g.unsqueeze(lengths, [1])])), [1, 2]);
  } else {
    const axes = { 2: [1, 2], 3: [1], 4: [] }[g.rank(mask)];
    if (axes === undefined) throw new Unsupported(`a mask of rank ${g.rank(mask)}`);
    kept = g.unsqueeze(g.indicator(mask), axes);
  }
  return g.scale(g.complement(kept), filter);
}

/** Hides from each place those after it: [to, from]. */
function causalBias(g: Tape, x: string): string {
  const size = g.squeeze(g.size(x, 1), [0]);
  const places = g.op('Range', [g.int(0), size, g.int(1)]);
  return g.scale(g.indicator(g.op('Less', [g.unsqueeze(places, [1]), g.unsqueeze(places, [0])])), HIDDEN);
}

function biasesOf(
  { g, node, x }: LoweringContext,
  mask: string | undefined,
  keys: string,
  extra: string | undefined,
): string[] {
  const { int, float } = attributesOf(node);
  return [
    ...(mask ? [maskBias(g, mask, keys, float('mask_filter_value', -10000))] : []),
    ...(int('unidirectional', 0) === 1 ? [causalBias(g, x)] : []),
    ...(extra ? [extra] : []),
  ];
}

/** x W + b cut into q, k and v, then attention. Inputs: x, W, b, mask, past, bias of the scores. */
export const Attention: Lowering = (at) => {
  const { g, node, inputs } = at;
  const [x, w, b, mask, past, extra] = inputs as [string, string, string?, string?, string?, string?];
  const { int, float, ints } = attributesOf(node);
  if (past) throw new Unsupported('past states');
  const count = int('num_heads', 1);
  const width = must(g.dims(w)[1]);
  const sizes = ints('qkv_hidden_sizes') ?? [width / 3, width / 3, width / 3];
  const projected = b ? g.add(g.matmul(x, w), b) : g.matmul(x, w);
  let end = 0;
  const [q, k, v] = sizes.map((size) => {
    end += size;
    return heads(g, g.slice(projected, 2, end - size, end), count, size / count);
  }) as [string, string, string];
  const scale = float('scale', 0) || (must(sizes[0]) / count) ** -0.5;
  return [attend(g, q, k, v, scale, biasesOf(at, mask, x, extra))];
};

/** Attention of projections q, k, v [batch, sequence, hidden]; k and v may come with their heads already apart. */
export const MultiHeadAttention: Lowering = (at) => {
  const { g, node, inputs } = at;
  const [query, key, value, b, mask, extra, pastKey] = inputs as [string, ...(string | undefined)[]];
  const { int, float } = attributesOf(node);
  // The runtime has no packed projections on a CPU, so none are met here.
  if (pastKey || !key || !value) throw new Unsupported(pastKey ? 'past states' : 'packed projections');
  const count = int('num_heads', 1);
  const apart = g.rank(key) === 4;
  if (b && apart) throw new Unsupported('a bias of separate heads');
  const widths = [query, key, value].map((t) => must(g.dims(t).at(-1)));
  const projected = (t: string, i: number) => {
    const width = must(widths[i]);
    const start = widths.slice(0, i).reduce((sum, w) => sum + w, 0);
    return heads(g, b ? g.add(t, g.slice(b, 0, start, start + width)) : t, count, width / count);
  };
  const q = projected(query, 0);
  const [k, v] = apart ? [key, value] : [projected(key, 1), projected(value, 2)];
  const keys = g.transpose(k, [0, 2, 1, 3]); // sequence second, where lengths are counted
  const scale = float('scale', 0) || (must(widths[0]) / count) ** -0.5;
  return [attend(g, q, k, v, scale, biasesOf(at, mask, keys, extra))];
};
