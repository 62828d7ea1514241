/**
 * @file T5 (Raffel et al., JMLR 2020), mT5 (Xue et al., NAACL 2021) and umT5 (Chung et al., ICLR 2023): an encoder, and a decoder that
 * reads the same text shifted by one and is classified at its last end-of-text token.
 */
import { attend, causalBias, paddingBias } from '../blocks/attention.js';
import { bucketed, logBucket, pairDistances } from '../blocks/relative.js';
import { rmsNorm } from '../blocks/rms-norm.js';
import { classifyEnd, sharedTable, startWord } from '../blocks/shifted.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

/** A table of buckets is written down for each distance. */
const FARTHEST = 65_536;

interface T5Side {
  /** "transformer.encoder". */
  readonly name: string;
  readonly layers: number;
  /** Tokens see those before them only, and the encoder's output. */
  readonly decodes: boolean;
}

function sizes({ config }: Drawing) {
  const width = config.size('d_model');
  const heads = config.count('num_heads');
  const size = config.size('d_kv');
  return {
    width,
    heads,
    size,
    all: heads * size,
    inner: config.size('d_ff'),
    epsilon: config.positive('layer_norm_epsilon'),
  };
}

const norm = (d: Drawing, x: string, name: string): string =>
  rmsNorm(d, x, `${name}.layer_norm`, sizes(d).width, { epsilon: sizes(d).epsilon });

/** Scores are not scaled: the weights were initialised for that. */
function attention(d: Drawing, x: string, from: string, name: string, bias: string): string {
  const { width, heads, size, all } = sizes(d);
  const part = (role: string, of: string) => d.linear(of, `${name}.${role}`, width, all, { bias: false });
  const parts = { query: part('q', x), key: part('k', from), value: part('v', from) };
  return d.linear(attend(d, { ...parts, heads, size, divisor: 1, bias }), `${name}.o`, all, width, { bias: false });
}

/** Added to the scores of a self-attention: a bias by distance, and the lowest number for masked tokens. */
function selfBias(d: Drawing, { decodes }: T5Side, name: string): string {
  const { g, config } = d;
  const buckets = config.size('relative_attention_num_buckets');
  const farthest = config.size('relative_attention_max_distance');
  const table = d.weight(`${name}.relative_attention_bias.weight`, [buckets, sizes(d).heads]);
  const exact = Math.floor((decodes ? buckets : Math.floor(buckets / 2)) / 2);
  if (exact < 1) throw config.refuse('relative_attention_num_buckets', 'at least 4');
  if (farthest <= exact || farthest > FARTHEST) {
    throw config.refuse('relative_attention_max_distance', `a number from ${exact + 1} to ${FARTHEST}`);
  }
  const at = d.once(`t5 buckets ${decodes}`, () =>
    bucketed(d, pairDistances(d), farthest, (distance) => logBucket(distance, { buckets, farthest, sided: !decodes })),
  );
  const biases = g.unsqueeze(g.transpose(g.gather(table, at), [2, 0, 1]), [0]);
  return g.add(biases, decodes ? causalBias(d, false) : paddingBias(d));
}

function feedForward(d: Drawing, x: string, name: string): string {
  const { width, inner } = sizes(d);
  const plain = { bias: false };
  const { gated, act } = activationOf(d);
  const first = act(d.linear(x, `${name}.${gated ? 'wi_0' : 'wi'}`, width, inner, plain));
  const wide = gated ? d.g.mul(first, d.linear(x, `${name}.wi_1`, width, inner, plain)) : first;
  return d.linear(wide, `${name}.wo`, inner, width, plain);
}

/** "relu", or "gated-FUNCTION"; what the config calls "gated-gelu" is the approximation by tanh. */
function activationOf(d: Drawing) {
  const named = d.config.text('feed_forward_proj');
  const gated = named.startsWith('gated-');
  const name = named === 'gated-gelu' ? 'gelu_new' : named.replace('gated-', '');
  return { gated, act: (x: string) => d.activateAs(x, 'feed_forward_proj', name) };
}

function t5Like(type: string, defaults: Family['defaults'], { biasOfEach = false } = {}): Family {
  const layers = (d: Drawing, start: string, side: T5Side, encoded?: string): string => {
    const { g } = d;
    let x = start;
    let bias = '';
    for (let at = 0; at < side.layers; at++) {
      const name = `${side.name}.block.${at}.layer`;
      const self = `${name}.0.SelfAttention`;
      if (at === 0 || biasOfEach) bias = selfBias(d, side, self);
      const y = norm(d, x, `${name}.0`);
      x = g.add(attention(d, y, y, self, bias), x);
      if (encoded !== undefined) {
        const seen = attention(d, norm(d, x, `${name}.1`), encoded, `${name}.1.EncDecAttention`, paddingBias(d));
        x = g.add(seen, x);
      }
      const last = `${name}.${side.decodes ? 2 : 1}`;
      x = g.add(feedForward(d, norm(d, x, last), `${last}.DenseReluDense`), x);
    }
    const { width, epsilon } = sizes(d);
    return rmsNorm(d, x, `${side.name}.final_layer_norm`, width, { epsilon });
  };
  return {
    types: [type],
    tokenizer: 't5',
    // Its class for tokens has an encoder alone.
    tagless: true,
    prefix: 'transformer',
    defaults: {
      layer_norm_epsilon: 1e-6,
      relative_attention_num_buckets: 32,
      relative_attention_max_distance: 128,
      eos_token_id: 1,
      d_kv: 64,
      d_model: 512,
      ...defaults,
    },
    // Earlier checkpoints have it, and no version reads it.
    unused: ['transformer.decoder.block.0.layer.1.EncDecAttention.relative_attention_bias'],
    width: (d) => sizes(d).width,
    encode(d) {
      const { g, config } = d;
      config.only('is_encoder_decoder', true);
      config.only('is_decoder', false);
      const table = sharedTable(d, 'transformer');
      const rows = g.gather(table, d.ids);
      const depth = config.count('num_layers');
      const encoder = { name: 'transformer.encoder', layers: depth, decodes: false };
      const decoded = config.has('num_decoder_layers') ? config.count('num_decoder_layers') : depth;
      const decoder = { name: 'transformer.decoder', layers: decoded, decodes: true };
      return layers(
        d,
        g.concat([startWord(d, rows, table), g.slice(rows, 1, 0, -1)], 1),
        decoder,
        layers(d, rows, encoder),
      );
    },
    classify: classifyEnd,
  };
}

const MULTILINGUAL = {
  vocab_size: 250112,
  d_ff: 1024,
  num_layers: 8,
  num_heads: 6,
  feed_forward_proj: 'gated-gelu',
  decoder_start_token_id: 0,
};

export const t5s: readonly Family[] = [
  t5Like('t5', { vocab_size: 32128, d_ff: 2048, num_layers: 6, num_heads: 8, feed_forward_proj: 'relu' }),
  t5Like('mt5', MULTILINGUAL),
  t5Like('umt5', { ...MULTILINGUAL, vocab_size: 250112 }, { biasOfEach: true }),
];
