/**
 * @file NomicBERT (Nussbaum et al. 2024): BERT with rotary positions and a gated feed-forward part, norms behind each part. Config and
 * tensors are read as transformers defines them, and as the model's own code wrote them before it did.
 */
import { attend, paddingBias } from '../blocks/attention.js';
import { lookUp, typeRows } from '../blocks/embeddings.js';
import { bertHead, maskedHead } from '../blocks/heads.js';
import { rotationOf } from '../blocks/rope-config.js';
import { plainRates, type Rotation, turn } from '../blocks/rotary.js';
import type { Drawing } from '../drawing.js';
import { type Family, usualSizes } from '../family.js';
import { classifyPooledAs } from './bert.js';

/** The names of sizes in the model's own config, which is GPT-2's. */
const OWN_NAMES = {
  hidden_size: 'n_embd',
  num_attention_heads: 'n_head',
  num_hidden_layers: 'n_layer',
  intermediate_size: 'n_inner',
  layer_norm_eps: 'layer_norm_epsilon',
} as const;

/** Options of the model's own code, each with the one value that is supported. */
const OWN_OPTIONS = {
  activation_function: 'swiglu',
  causal: false,
  mlp_fc1_bias: false,
  mlp_fc2_bias: false,
  parallel_block: false,
  prenorm: false,
  qkv_proj_bias: false,
  rotary_emb_fraction: 1,
  rotary_emb_interleaved: false,
  scale_attn_weights: true,
  use_rms_norm: false,
  num_experts: 0,
  moe_every_n_layers: 0,
} as const;

const isOwn = ({ config }: Drawing): boolean => config.keys().includes('n_embd');

function sizes(d: Drawing) {
  const { config } = d;
  const key = (name: keyof typeof OWN_NAMES): string => (isOwn(d) ? OWN_NAMES[name] : name);
  const width = config.size(key('hidden_size'));
  const heads = config.count(key('num_attention_heads'));
  if (width % heads !== 0) throw config.refuse(key('num_attention_heads'), `a divisor of hidden_size ${width}`);
  const size = config.size('head_dim', width / heads);
  if (size % 2 !== 0) throw config.refuse(key('num_attention_heads'), 'heads of even width');
  return {
    width,
    heads,
    size,
    layers: config.count(key('num_hidden_layers')),
    inner: config.size(key('intermediate_size')),
    epsilon: config.positive(key('layer_norm_eps')),
    vocabulary: config.size('vocab_size'),
    types: config.integer('type_vocab_size'),
  };
}

/** The model's own classifier calls its encoder "bert". */
const prefixOf = ({ weights }: Drawing): string =>
  weights.has('bert.embeddings.word_embeddings.weight') ? 'bert' : 'nomic_bert';

function layer(d: Drawing, x: string, name: string, rotation: Rotation): string {
  const { g } = d;
  const { width, heads, size, inner, epsilon } = sizes(d);
  const all = heads * size;
  const plain = { bias: false };
  const product = d.linear(x, `${name}.attn.Wqkv`, width, 3 * all, plain);
  const [query, key, value] = g.split(product, [all, all, all], -1);
  const turned = (y: string) => turn(d, y, size, rotation);
  const mixed = attend(d, { query, key, value, heads, size, bias: paddingBias(d), turned });
  const attended = d.linear(mixed, `${name}.attn.out_proj`, all, width, plain);
  const y = d.norm(g.add(attended, x), `${name}.norm1`, width, epsilon);
  const gate = d.linear(y, `${name}.mlp.fc12`, width, inner, plain);
  const act = isOwn(d) ? g.mul(gate, g.op('Sigmoid', [gate])) : d.activate(gate, 'hidden_act');
  const wide = g.mul(act, d.linear(y, `${name}.mlp.fc11`, width, inner, plain));
  const narrow = d.linear(wide, `${name}.mlp.fc2`, inner, width, plain);
  return d.norm(g.add(narrow, y), `${name}.norm2`, width, epsilon);
}

function rotationIn(d: Drawing): Rotation {
  const { config } = d;
  const { size } = sizes(d);
  if (!isOwn(d)) return rotationOf(config, { size, theta: 1000 });
  for (const [key, value] of Object.entries(OWN_OPTIONS)) config.only(key, value);
  config.only('rotary_scaling_factor');
  return { rates: plainRates(size, config.positive('rotary_emb_base')) };
}

export const nomicBert: Family = {
  types: ['nomic_bert'],
  tokenizer: 'bert',
  prefix: 'nomic_bert',
  ownCode: true,
  defaults: {
    ...usualSizes(30528, 768, 3072, 12, 12),
    hidden_act: 'silu',
    type_vocab_size: 2,
    layer_norm_eps: 1e-12,
    layer_norm_epsilon: 1e-5,
    rotary_emb_base: 1000,
  },
  unused: ['nomic_bert.pooler'],
  width: (d) => sizes(d).width,
  encode(d) {
    const { width, layers, vocabulary, types, epsilon } = sizes(d);
    const rotation = rotationIn(d);
    const prefix = prefixOf(d);
    const name = `${prefix}.embeddings`;
    const words = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, width, d.ids);
    const typed = types > 0 ? typeRows(d, `${name}.token_type_embeddings.weight`, types, width, true) : undefined;
    let x = d.norm(typed === undefined ? words : d.g.add(words, typed), `${prefix}.emb_ln`, width, epsilon);
    for (let at = 0; at < layers; at++) x = layer(d, x, `${prefix}.encoder.layers.${at}`, rotation);
    return x;
  },
  classify: (d, hidden, labels) => classifyPooledAs(d, hidden, labels, `${prefixOf(d)}.pooler.dense`, sizes(d).width),
  masked(d, hidden) {
    const parts = { ...bertHead(d, prefixOf(d)), norm: 'cls.predictions.transform.layer_norm' };
    return maskedHead(d, hidden, parts, sizes(d));
  },
};
