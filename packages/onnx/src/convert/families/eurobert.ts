/**
 * @file EuroBERT (Boizard et al., COLM 2025): a decoder's layers without its mask, so that tokens see both sides. Config and tensors are
 * read as transformers defines them.
 */
import { activated } from '../blocks/activation.js';
import { attend, paddingBias } from '../blocks/attention.js';
import { lookUp, repeatHeads } from '../blocks/embeddings.js';
import { vocabularyScores } from '../blocks/heads.js';
import { rmsNorm } from '../blocks/rms-norm.js';
import { rotationOf } from '../blocks/rope-config.js';
import { turn } from '../blocks/rotary.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken, meanToken, usualSizes } from '../family.js';

function sizes({ config }: Drawing) {
  const width = config.size('hidden_size');
  const heads = config.count('num_attention_heads');
  const groups = config.has('num_key_value_heads') ? config.count('num_key_value_heads') : heads;
  if (width % heads !== 0) throw config.refuse('num_attention_heads', `a divisor of hidden_size ${width}`);
  if (heads % groups !== 0) throw config.refuse('num_key_value_heads', `a divisor of num_attention_heads ${heads}`);
  const size = config.size('head_dim', width / heads);
  if (size % 2 !== 0) throw config.refuse('head_dim', 'an even number');
  return {
    width,
    heads,
    groups,
    size,
    inner: config.size('intermediate_size'),
    epsilon: config.positive('rms_norm_eps'),
    vocabulary: config.size('vocab_size'),
  };
}

function attention(d: Drawing, x: string, name: string): string {
  const { width, heads, groups, size } = sizes(d);
  const biased = { bias: d.config.flag('attention_bias') };
  const project = (role: string, count: number) => d.linear(x, `${name}.${role}_proj`, width, count * size, biased);
  const shared = (role: string) => repeatHeads(d, project(role, groups), { groups, size, times: heads / groups });
  const rotation = rotationOf(d.config, { size });
  const turned = (y: string) => turn(d, y, size, rotation);
  const parts = { query: project('q', heads), key: shared('k'), value: shared('v') };
  const mixed = attend(d, { ...parts, heads, size, bias: paddingBias(d), turned });
  return d.linear(mixed, `${name}.o_proj`, heads * size, width, biased);
}

function feedForward(d: Drawing, x: string, name: string): string {
  const { width, inner } = sizes(d);
  const biased = { bias: d.config.flag('mlp_bias') };
  const gate = d.activate(d.linear(x, `${name}.gate_proj`, width, inner, biased), 'hidden_act');
  const gated = d.g.mul(gate, d.linear(x, `${name}.up_proj`, width, inner, biased));
  return d.linear(gated, `${name}.down_proj`, inner, width, biased);
}

const norm = (d: Drawing, x: string, name: string): string =>
  rmsNorm(d, x, name, sizes(d).width, { epsilon: sizes(d).epsilon });

const POOLINGS = ['bos', 'mean', 'late'] as const;

/** Earlier configs have another name for the key. */
const poolingOf = ({ config }: Drawing): (typeof POOLINGS)[number] =>
  config.choice(config.has('classifier_pooling') ? 'classifier_pooling' : 'clf_pooling', POOLINGS, 'late');

export const eurobert: Family = {
  types: ['eurobert'],
  prefix: 'model',
  ownCode: true,
  defaults: {
    ...usualSizes(128256, 768, 3072, 12, 12),
    hidden_act: 'silu',
    rms_norm_eps: 1e-5,
    attention_bias: false,
    mlp_bias: false,
    tie_word_embeddings: false,
  },
  unused: ['lm_head'],
  width: (d) => sizes(d).width,
  encode(d) {
    const { g, config } = d;
    const { width, vocabulary } = sizes(d);
    config.only('pretraining_tp', 1);
    rotationOf(config, { size: sizes(d).size });
    let x = lookUp(d, 'model.embed_tokens.weight', vocabulary, width, d.ids);
    for (let at = 0; at < config.count('num_hidden_layers'); at++) {
      const name = `model.layers.${at}`;
      x = g.add(attention(d, norm(d, x, `${name}.input_layernorm`), `${name}.self_attn`), x);
      x = g.add(feedForward(d, norm(d, x, `${name}.post_attention_layernorm`), `${name}.mlp`), x);
    }
    return norm(d, x, 'model.norm');
  },
  classify(d, hidden, labels) {
    const { width } = sizes(d);
    const pooling = poolingOf(d);
    const head = (x: string) => {
      const dense = d.linear(x, 'dense', width, width, { head: true });
      return d.linear(activated(d.g, dense, 'gelu'), 'classifier', width, labels, { head: true });
    };
    // "late": every token is classified, and the logits are averaged.
    if (pooling === 'late') return meanToken(d, head(hidden));
    return head(pooling === 'bos' ? firstToken(d, hidden) : meanToken(d, hidden));
  },
  masked(d, hidden) {
    const { width, vocabulary } = sizes(d);
    const bias = d.config.flag('mlp_bias') ? 'lm_head.bias' : undefined;
    const names = { table: 'model.embed_tokens.weight', decoder: 'lm_head.weight', bias };
    return vocabularyScores(d, hidden, names, { vocabulary, width });
  },
};
