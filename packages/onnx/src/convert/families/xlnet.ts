/**
 * @file XLNet (Yang et al., NeurIPS 2019), one stream and no memory, as a classifier runs it: scores are sums of content, distance by
 * sinusoids, and whether two tokens are of one type.
 */
import { DataType } from '../../graph/data-type.js';
import { LOWEST, mix, places, present, splitHeads } from '../blocks/attention.js';
import { lookUp } from '../blocks/embeddings.js';
import { vocabularyScores } from '../blocks/heads.js';
import { byDistance, distances } from '../blocks/relative.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

/** The longest wave of the sinusoids, in units of 2 pi (Vaswani et al. 2017, section 3.5). */
const LONGEST_WAVE = 10_000;

function sizes({ config }: Drawing) {
  const width = config.size('d_model');
  const heads = config.count('n_head');
  if (width % heads !== 0 || width % 2 !== 0) throw config.refuse('n_head', `a divisor of an even d_model, ${width}`);
  config.only('d_head', width / heads);
  const epsilon = config.positive('layer_norm_eps');
  return { width, heads, size: width / heads, epsilon, vocabulary: config.size('vocab_size') };
}

/** The sinusoids of the distances of the text, [2 L, width]. */
function waves(d: Drawing): string {
  return d.once('waves', () => {
    const { g, config } = d;
    const { width } = sizes(d);
    const clamp = config.integer('clamp_len');
    const near = clamp > 0 ? g.op('Max', [g.op('Min', [distances(d), g.int(clamp)]), g.int(-clamp)]) : distances(d);
    const at = g.unsqueeze(g.cast(near, DataType.float), [1]);
    const rates = Array.from({ length: width / 2 }, (_, i) =>
      Math.fround(1 / Math.fround(LONGEST_WAVE ** ((2 * i) / width))),
    );
    const angles = g.mul(at, g.vector(rates));
    return g.concat([g.op('Sin', [angles]), g.op('Cos', [angles])], -1);
  });
}

/** Which tokens see each other, [batch, 1, L, L]: all see those that are no padding, and padding sees itself. */
function bias(d: Drawing): string {
  return d.once('xlnet bias', () => {
    const { g, config } = d;
    const rows = g.unsqueeze(places(d), [1]);
    let seen = present(d);
    if (config.choice('attn_type', ['bi', 'uni']) === 'uni') {
      config.only('same_length', false);
      seen = g.op('And', [seen, g.op('LessOrEqual', [places(d), rows])]);
    }
    seen = g.op('Or', [seen, g.op('Equal', [places(d), rows])]);
    return g.where(seen, g.float(0), g.float(LOWEST));
  });
}

/** Whether two tokens are of different types, [batch, 1, L, L]. */
function otherType(d: Drawing): string {
  return d.once('other type', () => {
    const { g } = d;
    const [query, key] = [g.unsqueeze(d.types, [1, 3]), g.unsqueeze(d.types, [1, 2])];
    return g.op('Not', [g.op('Equal', [query, key])]);
  });
}

function attention(d: Drawing, x: string, name: string): string {
  const { g } = d;
  const { width, heads, size } = sizes(d);
  const both = { heads, size };
  const matrix = (role: string) => d.made(`${name}.${role}`, [width, heads, size], [width, width]);
  const project = (role: string) => g.matmul(x, matrix(role));
  const query = project('q');
  /** Queries with a bias for the kind of term, [batch, heads, L, size]. */
  const queryHeads = (role: string) =>
    splitHeads(d, g.add(query, d.made(`${name}.${role}`, [heads, size], [width])), both);
  const content = g.matmul(queryHeads('r_w_bias'), splitHeads(d, project('k'), both, [0, 2, 3, 1]));
  const far = g.reshape(g.matmul(waves(d), matrix('r')), [-1, heads, size]);
  const turned = g.transpose(far, [1, 2, 0]); // [heads, size, 2 L]
  const distance = byDistance(d, g.matmul(queryHeads('r_r_bias'), turned), heads);
  const kinds = g.transpose(d.weight(`${name}.seg_embed`, [2, heads, size]), [1, 2, 0]);
  const [same, other] = g.split(g.matmul(queryHeads('r_s_bias'), kinds), [1, 1], -1);
  const types = g.where(otherType(d), other, same);
  const sum = g.add(g.add(content, distance), types);
  const scores = g.mul(sum, g.float(1 / Math.sqrt(size)));
  const mixed = mix(d, scores, bias(d), splitHeads(d, project('v'), both), both);
  const out = d.made(`${name}.o`, [width, heads, size], [width, width]);
  return g.matmul(mixed, g.transpose(out, [1, 0]));
}

function layer(d: Drawing, x: string, name: string): string {
  const { g, config } = d;
  const { width, epsilon } = sizes(d);
  const inner = config.size('d_inner');
  const y = d.norm(g.add(attention(d, x, `${name}.rel_attn`), x), `${name}.rel_attn.layer_norm`, width, epsilon);
  const expanded = d.activate(d.linear(y, `${name}.ff.layer_1`, width, inner), 'ff_activation');
  const contracted = d.linear(expanded, `${name}.ff.layer_2`, inner, width);
  return d.norm(g.add(contracted, y), `${name}.ff.layer_norm`, width, epsilon);
}

/** One vector for the text, [batch, width]. */
function summary(d: Drawing, hidden: string): string {
  const { g, config } = d;
  const { width } = sizes(d);
  const token = (at: number) => g.at(hidden, 1, at);
  const kind = config.choice('summary_type', ['last', 'first', 'mean', 'cls_index']);
  let x: string;
  if (kind === 'first') x = token(0);
  else if (kind === 'mean') x = g.mean(hidden, [1], false);
  else x = token(-1);
  if (config.flag('summary_use_proj')) {
    config.only('summary_proj_to_labels', false);
    x = d.linear(x, 'sequence_summary.summary', width, width, { head: true });
  }
  return config.has('summary_activation') ? d.activate(x, 'summary_activation') : x;
}

export const xlnet: Family = {
  types: ['xlnet'],
  paddingType: 3,
  // Its mean counts padding.
  readsPadding: ({ summary_type }) => summary_type === 'mean',
  prefix: 'transformer',
  defaults: {
    vocab_size: 32000,
    d_model: 1024,
    n_layer: 24,
    n_head: 16,
    d_inner: 4096,
    ff_activation: 'gelu',
    attn_type: 'bi',
    layer_norm_eps: 1e-12,
    clamp_len: -1,
    summary_type: 'last',
    summary_use_proj: true,
    summary_activation: 'tanh',
  },
  // Replaces a hidden token in pretraining.
  unused: ['transformer.mask_emb'],
  width: (d) => sizes(d).width,
  encode(d) {
    d.config.only('bi_data', false);
    const { width, vocabulary } = sizes(d);
    void d.types;
    let x = lookUp(d, 'transformer.word_embedding.weight', vocabulary, width, d.ids);
    for (let at = 0; at < d.config.count('n_layer'); at++) x = layer(d, x, `transformer.layer.${at}`);
    return x;
  },
  classify: (d, hidden, labels) => d.linear(summary(d, hidden), 'logits_proj', sizes(d).width, labels, { head: true }),
  causal(d, hidden) {
    const { width, vocabulary } = sizes(d);
    const names = { table: 'transformer.word_embedding.weight', decoder: 'lm_loss.weight', bias: 'lm_loss.bias' };
    return vocabularyScores(d, hidden, names, { vocabulary, width });
  },
};
