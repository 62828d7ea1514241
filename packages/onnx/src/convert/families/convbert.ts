/**
 * @file ConvBERT (Jiang et al., NeurIPS 2020): half the heads attend; the others weigh a window of neighbours by a kernel that each
 * token makes for itself.
 */
import { transpose } from '../../graph/transposed.js';
import { attend, paddingBias } from '../blocks/attention.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirstByConfig, generatorHead, sizes } from './bert.js';

/** Heads of either kind, and the window. */
function convSizes(d: Drawing) {
  const { config } = d;
  const { width, heads: claimed } = sizes(d);
  const ratio = config.count('head_ratio');
  const heads = Math.max(Math.floor(claimed / ratio), 1);
  const kernel = config.count('conv_kernel_size');
  if (kernel % 2 === 0) throw config.refuse('conv_kernel_size', 'an odd number');
  const size = Math.floor(Math.floor(width / heads) / 2);
  if (2 * heads * size !== width) {
    throw config.refuse('head_ratio', `heads whose width is an even divisor of hidden_size ${width}`);
  }
  return { width, heads, size, all: heads * size, kernel };
}

const turned = (d: Drawing, x: string): string => d.g.transpose(x, [0, 2, 1]);

/** Each number of a token from its neighbours' (depthwise), then a layer over them (pointwise). */
function separableConv(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, all, kernel } = convSizes(d);
  const side = (kernel - 1) / 2;
  const depth = d.weight(`${name}.depthwise.weight`, [width, 1, kernel]);
  const seen = g.op('Conv', [turned(d, x), depth], { kernel_shape: [kernel], pads: [side, side], group: width });
  const point = d.made(`${name}.pointwise.weight`, [all, width, 1], [width, all], (values) =>
    transpose(values, all, width),
  );
  return g.add(g.matmul(turned(d, seen), point), d.made(`${name}.bias`, [all, 1], [all]));
}

/** The window of each token weighed by its kernel, [batch, sequence, all]. */
function dynamicConv(d: Drawing, x: string, query: string, name: string): string {
  const { g } = d;
  const { width, heads, size, all, kernel } = convSizes(d);
  const made = g.mul(separableConv(d, x, `${name}.key_conv_attn_layer`), query);
  const scores = d.linear(made, `${name}.conv_kernel_layer`, all, heads * kernel);
  const weights = g.softmax(g.reshape(scores, [0, 0, heads, kernel]));
  const columns = g.split(weights, Array<number>(kernel).fill(1), -1); // [batch, sequence, heads, 1] each
  const values = d.linear(x, `${name}.conv_out_layer`, width, all);
  const side = (kernel - 1) / 2;
  const padded = g.op('Pad', [values, g.ints([0, side, 0, 0, side, 0])]);
  const terms = columns.map((column, at) => {
    const end = g.add(d.length, g.ints([at]));
    const neighbour = g.op('Slice', [padded, g.ints([at]), end, g.ints([1])]);
    return g.mul(g.reshape(neighbour, [0, 0, heads, size]), column);
  });
  return g.reshape(
    terms.reduce((sum, term) => g.add(sum, term)),
    [0, 0, all],
  );
}

/** A layer in groups, stored [groups, inputs, outputs]; or a plain one. */
function grouped(d: Drawing, x: string, name: string, inputs: number, outputs: number): string {
  const { g, config } = d;
  const groups = config.count('num_groups');
  if (groups === 1) return d.linear(x, name, inputs, outputs);
  if (inputs % groups !== 0 || outputs % groups !== 0) {
    throw config.refuse('num_groups', `a divisor of ${inputs} and ${outputs}`);
  }
  const weight = d.weight(`${name}.weight`, [groups, inputs / groups, outputs / groups]);
  const parted = g.transpose(g.reshape(x, [0, 0, groups, inputs / groups]), [0, 2, 1, 3]);
  const product = g.transpose(g.matmul(parted, weight), [0, 2, 1, 3]);
  return g.add(g.reshape(product, [0, 0, outputs]), d.weight(`${name}.bias`, [outputs]));
}

function layer(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, feedForward, epsilon } = sizes(d);
  const { heads, size, all } = convSizes(d);
  const self = `${name}.attention.self`;
  const part = (role: string) => d.linear(x, `${self}.${role}`, width, all);
  const query = part('query');
  const mixed = attend(d, { query, key: part('key'), value: part('value'), heads, size, bias: paddingBias(d) });
  const both = g.concat([mixed, dynamicConv(d, x, query, self)], -1);
  const attended = d.linear(both, `${name}.attention.output.dense`, width, width);
  const y = d.norm(g.add(attended, x), `${name}.attention.output.LayerNorm`, width, epsilon);
  const wide = d.activate(grouped(d, y, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  const narrow = grouped(d, wide, `${name}.output.dense`, feedForward, width);
  return d.norm(g.add(narrow, y), `${name}.output.LayerNorm`, width, epsilon);
}

export const convbert = bertLike({
  types: ['convbert'],
  // Windows reach into padding.
  readsPadding: () => true,
  prefix: 'convbert',
  defaults: {
    ...BERT_DEFAULTS,
    pad_token_id: 1,
    embedding_size: 768,
    head_ratio: 2,
    conv_kernel_size: 9,
    num_groups: 1,
  },
  unused: [],
  check(d) {
    convSizes(d);
    d.config.only('position_embedding_type', 'absolute');
  },
  layer,
  head: classifyFirstByConfig,
  scores: generatorHead,
});
