/** @file GPT-2 (Radford et al. 2019): norms before each part, each token sees those before it; the last token is classified. */
import { splitHeads } from '../blocks/attention.js';
import { attendCausally } from '../blocks/causal.js';
import { lookUp, positionRows } from '../blocks/embeddings.js';
import { decoderParts } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

function sizes({ config }: Drawing) {
  const { width, heads, size } = config.heads('n_embd', 'n_head');
  const inner = config.has('n_inner') ? config.size('n_inner') : 4 * width;
  const epsilon = config.positive('layer_norm_epsilon');
  return { width, heads, size, inner, epsilon, vocabulary: config.size('vocab_size'), layers: config.count('n_layer') };
}

function layer(d: Drawing, x: string, at: number): string {
  const { g, config } = d;
  const { width, heads, size, inner, epsilon } = sizes(d);
  const name = `transformer.h.${at}`;
  const columns = { columns: true };
  const normed = d.norm(x, `${name}.ln_1`, width, epsilon);
  const all = d.linear(normed, `${name}.attn.c_attn`, width, 3 * width, columns);
  const [query = '', key = '', value = ''] = g
    .split(all, [width, width, width], -1)
    .map((x) => splitHeads(d, x, { heads, size }));
  const scaled = config.flag('scale_attn_weights') ? Math.sqrt(size) : 1;
  const divisor = config.flag('scale_attn_by_inverse_layer_idx') ? scaled * (at + 1) : scaled;
  const parts = { query: query, key: key, value: value };
  const mixed = attendCausally(d, { ...parts, layer: at, heads, groups: heads, size, divisor });
  const y = g.add(d.linear(mixed, `${name}.attn.c_proj`, width, width, columns), x);
  const again = d.norm(y, `${name}.ln_2`, width, epsilon);
  const expanded = d.activate(d.linear(again, `${name}.mlp.c_fc`, width, inner, columns), 'activation_function');
  return g.add(d.linear(expanded, `${name}.mlp.c_proj`, inner, width, columns), y);
}

const table = 'transformer.wte.weight';

export const gpt2: Family = {
  types: ['gpt2'],
  prefix: 'transformer',
  defaults: {
    vocab_size: 50257,
    n_positions: 1024,
    n_embd: 768,
    n_layer: 12,
    n_head: 12,
    activation_function: 'gelu_new',
    layer_norm_epsilon: 1e-5,
    scale_attn_weights: true,
    scale_attn_by_inverse_layer_idx: false,
  },
  ...decoderParts(sizes, table),
  encode(d) {
    const { g, config } = d;
    config.only('add_cross_attention', false);
    config.only('pruned_heads');
    const { width, vocabulary, layers, epsilon } = sizes(d);
    const words = lookUp(d, table, vocabulary, width, d.ids);
    const rows = positionRows(d, 'transformer.wpe.weight', config.size('n_positions'), width);
    let x = g.add(words, rows);
    for (let at = 0; at < layers; at++) x = layer(d, x, at);
    return d.norm(x, 'transformer.ln_f', width, epsilon);
  },
};
