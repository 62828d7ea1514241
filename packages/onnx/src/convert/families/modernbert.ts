/**
 * @file ModernBERT (Warner et al. 2024): norms before each part, rotary positions (Su et al. 2021), a gate in the feed-forward
 * part, and layers that see a window only.
 */
import { attend, LOWEST, paddingBias, present } from '../blocks/attention.js';
import { lookUp } from '../blocks/embeddings.js';
import { vocabularyScores } from '../blocks/heads.js';
import { pairDistances } from '../blocks/relative.js';
import { layerType, rotationOfType } from '../blocks/rope-config.js';
import { type Rotation, readsLength, turn } from '../blocks/rotary.js';
import { ModelConfig } from '../config.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken, meanToken, usualSizes } from '../family.js';

function sizes({ config }: Drawing) {
  const width = config.size('hidden_size');
  const heads = config.count('num_attention_heads');
  if (width % heads !== 0 || (width / heads) % 2 !== 0) {
    throw config.refuse('num_attention_heads', `a divisor of hidden_size ${width} that leaves heads of even width`);
  }
  return {
    width,
    heads,
    size: width / heads,
    inner: config.size('intermediate_size'),
    vocabulary: config.size('vocab_size'),
  };
}

const norm = (d: Drawing, x: string, name: string, head = false): string =>
  d.norm(x, name, sizes(d).width, d.config.positive('norm_eps'), { bias: d.config.flag('norm_bias'), head });

/** 0 for tokens within the window, the lowest number for others and for padding, [batch, 1, L, L]. */
function windowBias(d: Drawing): string {
  return d.once('window bias', () => {
    const { g, config } = d;
    const half = Math.floor(config.size('local_attention') / 2);
    const near = g.op('LessOrEqual', [g.op('Abs', [pairDistances(d)]), g.int(half)]);
    return g.where(g.op('And', [present(d), near]), g.float(0), g.float(LOWEST));
  });
}

const isLocal = (config: ModelConfig, at: number): boolean =>
  layerType(config, at, () => at % config.count('global_attn_every_n_layers') !== 0) === 'sliding_attention';

function rotationAt(config: ModelConfig, at: number): Rotation {
  const local = isLocal(config, at);
  const thetaKey = local && config.has('local_rope_theta') ? 'local_rope_theta' : 'global_rope_theta';
  const { size } = config.heads();
  const type = local ? 'sliding_attention' : 'full_attention';
  return rotationOfType(config, type, { size, thetaKey }, config.raw('rope_scaling'));
}

function attention(d: Drawing, x: string, at: number): string {
  const { g, config } = d;
  const { width, heads, size } = sizes(d);
  const name = `model.layers.${at}.attn`;
  const biased = { bias: config.flag('attention_bias') };
  const all = d.linear(x, `${name}.Wqkv`, width, 3 * width, biased);
  const [query, key, value] = g.split(all, [width, width, width], -1);
  const local = isLocal(config, at);
  const rotation = rotationAt(config, at);
  const mixed = attend(d, {
    query,
    key,
    value,
    heads,
    size,
    bias: local ? windowBias(d) : paddingBias(d),
    turned: (y) => turn(d, y, size, rotation),
  });
  return d.linear(mixed, `${name}.Wo`, width, width, biased);
}

function feedForward(d: Drawing, x: string, name: string): string {
  const { g, config } = d;
  const { width, inner } = sizes(d);
  const biased = { bias: config.flag('mlp_bias') };
  const [input, gate] = g.split(d.linear(x, `${name}.Wi`, width, 2 * inner, biased), [inner, inner], -1);
  const gated = g.mul(d.activate(input, 'hidden_activation'), gate);
  return d.linear(gated, `${name}.Wo`, inner, width, biased);
}

/** A layer of the head's own, its function, a norm. */
function predict(d: Drawing, x: string): string {
  const { width } = sizes(d);
  const dense = d.linear(x, 'head.dense', width, width, { bias: d.config.flag('classifier_bias'), head: true });
  return norm(d, d.activate(dense, 'classifier_activation'), 'head.norm', true);
}

const defaults = {
  ...usualSizes(50368, 768, 1152, 22, 12),
  hidden_activation: 'gelu',
  max_position_embeddings: 8192,
  norm_eps: 1e-5,
  norm_bias: false,
  global_rope_theta: 160_000,
  local_rope_theta: 10_000,
  attention_bias: false,
  global_attn_every_n_layers: 3,
  local_attention: 128,
  mlp_bias: false,
  decoder_bias: true,
  classifier_pooling: 'cls',
  classifier_bias: false,
  classifier_activation: 'gelu',
} as const;

export const modernbert: Family = {
  types: ['modernbert'],
  prefix: 'model',
  defaults,
  readsPadding(json) {
    const config = new ModelConfig(json, 'config.json', defaults);
    const layers = Array.from({ length: config.count('num_hidden_layers') }, (_, at) => rotationAt(config, at));
    return layers.some(readsLength);
  },
  // The last layer of its language model.
  unused: ['head', 'decoder'],
  width: (d) => sizes(d).width,
  encode(d) {
    const { g, config } = d;
    const { width, vocabulary } = sizes(d);
    config.only('pruned_heads');
    let x = norm(
      d,
      lookUp(d, 'model.embeddings.tok_embeddings.weight', vocabulary, width, d.ids),
      'model.embeddings.norm',
    );
    for (let at = 0; at < config.count('num_hidden_layers'); at++) {
      const name = `model.layers.${at}`;
      // The embeddings are normed already.
      x = g.add(attention(d, at === 0 ? x : norm(d, x, `${name}.attn_norm`), at), x);
      x = g.add(feedForward(d, norm(d, x, `${name}.mlp_norm`), `${name}.mlp`), x);
    }
    return norm(d, x, 'model.final_norm');
  },
  classify(d, hidden, labels) {
    const pooled =
      d.config.choice('classifier_pooling', ['cls', 'mean']) === 'cls' ? firstToken(d, hidden) : meanToken(d, hidden);
    return d.linear(predict(d, pooled), 'classifier', sizes(d).width, labels, { head: true });
  },
  tags: (d, hidden, labels) => d.linear(predict(d, hidden), 'classifier', sizes(d).width, labels, { head: true }),
  masked(d, hidden) {
    const { width, vocabulary } = sizes(d);
    const names = {
      table: 'model.embeddings.tok_embeddings.weight',
      decoder: 'decoder.weight',
      bias: d.config.flag('decoder_bias') ? 'decoder.bias' : undefined,
    };
    return vocabularyScores(d, predict(d, hidden), names, { vocabulary, width });
  },
};
