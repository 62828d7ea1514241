/** @file SqueezeBERT (Iandola et al. 2020): BERT whose layers are convolutions of width 1 in groups, drawn as products in groups. */
import { transpose } from '../../graph/transposed.js';
import { attend, paddingBias } from '../blocks/attention.js';
import { bertHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyPooled, sizes } from './bert.js';

/** Constant in the modelling code, except for the embeddings. */
const EPSILON = 1e-12;

/** A layer with groups: each group of outputs depends on one group of inputs. Stored as PyTorch's Conv1d, [outputs, inputs / groups, 1]. */
function groupedProduct(d: Drawing, x: string, name: string, inputs: number, outputs: number, key: string): string {
  const { g, config } = d;
  const groups = config.count(key);
  if (inputs % groups !== 0 || outputs % groups !== 0)
    throw config.refuse(key, `a divisor of ${inputs} and ${outputs}`);
  const [from, to] = [inputs / groups, outputs / groups];
  const bias = d.weight(`${name}.bias`, [outputs]);
  const stored = [outputs, from, 1];
  if (groups === 1) {
    const weight = d.made(`${name}.weight`, stored, [inputs, outputs], (values) => transpose(values, outputs, inputs));
    return g.add(g.matmul(x, weight), bias);
  }
  const weight = d.made(`${name}.weight`, stored, [groups, from, to], (values) =>
    eachTransposed(values, groups, to, from),
  );
  const parted = g.transpose(g.reshape(x, [0, 0, groups, from]), [0, 2, 1, 3]); // [batch, groups, sequence, from]
  const products = g.transpose(g.matmul(parted, weight), [0, 2, 1, 3]);
  return g.add(g.reshape(products, [0, 0, outputs]), bias);
}

/** [groups, rows, columns] -> [groups, columns, rows]. */
function eachTransposed(values: Float32Array, groups: number, rows: number, columns: number): Float32Array {
  const size = rows * columns;
  const all = new Float32Array(values.length);
  for (let at = 0; at < groups; at++) {
    all.set(transpose(values.subarray(at * size, (at + 1) * size), rows, columns), at * size);
  }
  return all;
}

function layer(d: Drawing, x: string, name: string): string {
  const { width, heads, size, feedForward } = sizes(d);
  const part = (role: string) => groupedProduct(d, x, `${name}.attention.${role}`, width, width, `${role[0]}_groups`);
  const mixed = attend(d, {
    query: part('query'),
    key: part('key'),
    value: part('value'),
    heads,
    size,
    bias: paddingBias(d),
  });
  const attended = groupedProduct(d, mixed, `${name}.post_attention.conv1d`, width, width, 'post_attention_groups');
  const y = d.norm(d.g.add(attended, x), `${name}.post_attention.layernorm`, width, EPSILON);
  const wide = groupedProduct(d, y, `${name}.intermediate.conv1d`, width, feedForward, 'intermediate_groups');
  const narrow = groupedProduct(
    d,
    d.activate(wide, 'hidden_act'),
    `${name}.output.conv1d`,
    feedForward,
    width,
    'output_groups',
  );
  return d.norm(d.g.add(narrow, y), `${name}.output.layernorm`, width, EPSILON);
}

export const squeezebert = bertLike({
  types: ['squeezebert'],
  tokenizer: 'bert',
  prefix: 'transformer',
  defaults: {
    ...BERT_DEFAULTS,
    q_groups: 4,
    k_groups: 4,
    v_groups: 4,
    post_attention_groups: 1,
    intermediate_groups: 4,
    output_groups: 4,
  },
  embedding: 'wide',
  check: (d) => d.config.only('position_embedding_type', 'absolute'),
  layers: 'encoder.layers',
  layer,
  head: classifyPooled,
  scores: bertHead,
});
