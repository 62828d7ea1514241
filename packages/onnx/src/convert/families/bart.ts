/**
 * @file BART (Lewis et al., ACL 2020) and mBART (Liu et al., TACL 2020), which norms before each part: an encoder, and a decoder
 * that reads the same text shifted by one and is classified at its last end-of-text token.
 */
import { DataType } from '../../graph/data-type.js';
import { attend, causalBias, paddingBias } from '../blocks/attention.js';
import { positionRows } from '../blocks/embeddings.js';
import { tokenAt } from '../blocks/heads.js';
import { classifyEnd, sharedTable, startWord } from '../blocks/shifted.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';

/** PyTorch's own, which the modelling code leaves as it is. */
const EPSILON = 1e-5;
/** The first rows of the position tables are never used. */
const OFFSET = 2;

interface BartSide {
  /** "model.encoder". */
  readonly name: string;
  readonly heads: number;
  readonly inner: number;
  readonly layers: number;
}

function side({ config }: Drawing, which: 'encoder' | 'decoder'): BartSide {
  const heads = config.count(`${which}_attention_heads`);
  const width = config.size('d_model');
  if (width % heads !== 0) throw config.refuse(`${which}_attention_heads`, `a divisor of d_model ${width}`);
  return {
    name: `model.${which}`,
    heads,
    inner: config.size(`${which}_ffn_dim`),
    layers: config.count(`${which}_layers`),
  };
}

function attention(d: Drawing, x: string, from: string, name: string, heads: number, bias: string): string {
  const width = d.config.size('d_model');
  const part = (role: string, of: string) => d.linear(of, `${name}.${role}_proj`, width, width);
  const parts = { query: part('q', x), key: part('k', from), value: part('v', from) };
  return d.linear(attend(d, { ...parts, heads, size: width / heads, bias }), `${name}.out_proj`, width, width);
}

/** The first steps of a side's layers. */
function begin(d: Drawing, rows: string, { name }: BartSide): string {
  const { g, config } = d;
  const width = config.size('d_model');
  const scaled = config.flag('scale_embedding') ? g.mul(rows, g.float(Math.sqrt(width))) : rows;
  const positions = config.size('max_position_embeddings') + OFFSET;
  const placed = positionRows(d, `${name}.embed_positions.weight`, positions, width, OFFSET);
  return d.norm(g.add(scaled, placed), `${name}.layernorm_embedding`, width, EPSILON);
}

/** The last token that is not padding, [batch, 1, width]: mBART's texts start with their last token, the language. */
function lastWord(d: Drawing, rows: string): string {
  const { g, config } = d;
  const padding = g.op('Equal', [d.ids, g.int(config.integer('pad_token_id'))]);
  const counted = g.cast(g.op('Not', [padding]), DataType.int64);
  const count = g.sum(counted, [1]);
  return g.unsqueeze(tokenAt(d, rows, g.sub(count, g.int(1))), [1]);
}

function bartLike(kind: {
  readonly type: string;
  readonly tokenizer?: string;
  readonly normsFirst: boolean;
  readonly wraps: boolean;
}): Family {
  const { normsFirst, wraps } = kind;
  /** A part of a layer with its norm and the way around it. */
  const part = (d: Drawing, x: string, norm: string, inner: (x: string) => string): string => {
    const width = d.config.size('d_model');
    if (normsFirst) return d.g.add(inner(d.norm(x, norm, width, EPSILON)), x);
    return d.norm(d.g.add(inner(x), x), norm, width, EPSILON);
  };
  const layers = (d: Drawing, start: string, own: BartSide, bias: string, encoded?: string): string => {
    const width = d.config.size('d_model');
    let x = start;
    for (let at = 0; at < own.layers; at++) {
      const name = `${own.name}.layers.${at}`;
      x = part(d, x, `${name}.self_attn_layer_norm`, (y) => attention(d, y, y, `${name}.self_attn`, own.heads, bias));
      if (encoded !== undefined) {
        const cross = (y: string) => attention(d, y, encoded, `${name}.encoder_attn`, own.heads, paddingBias(d));
        x = part(d, x, `${name}.encoder_attn_layer_norm`, cross);
      }
      x = part(d, x, `${name}.final_layer_norm`, (y) => {
        const expanded = d.activate(d.linear(y, `${name}.fc1`, width, own.inner), 'activation_function');
        return d.linear(expanded, `${name}.fc2`, own.inner, width);
      });
    }
    return normsFirst ? d.norm(x, `${own.name}.layer_norm`, width, EPSILON) : x;
  };
  return {
    types: [kind.type],
    ...(kind.tokenizer && { tokenizer: kind.tokenizer }),
    prefix: 'model',
    defaults: {
      vocab_size: 50265,
      max_position_embeddings: 1024,
      encoder_layers: 12,
      encoder_ffn_dim: 4096,
      encoder_attention_heads: 16,
      decoder_layers: 12,
      decoder_ffn_dim: 4096,
      decoder_attention_heads: 16,
      activation_function: 'gelu',
      d_model: 1024,
      scale_embedding: false,
      pad_token_id: 1,
      eos_token_id: 2,
      decoder_start_token_id: 2,
    },
    width: (d) => d.config.size('d_model'),
    encode(d) {
      d.config.only('pruned_heads');
      const table = sharedTable(d, 'model');
      const rows = d.g.gather(table, d.ids);
      const encoder = side(d, 'encoder');
      const decoder = side(d, 'decoder');
      const encoded = layers(d, begin(d, rows, encoder), encoder, paddingBias(d));
      // The text shifted by one: what it starts with, then all tokens but the last.
      const rest = d.g.slice(rows, 1, 0, -1);
      const moved = d.g.concat([wraps ? lastWord(d, rows) : startWord(d, rows, table), rest], 1);
      return layers(d, begin(d, moved, decoder), decoder, causalBias(d, false), encoded);
    },
    tagless: true,
    classify: classifyEnd,
  };
}

export const barts: readonly Family[] = [
  bartLike({ type: 'bart', tokenizer: 'roberta', normsFirst: false, wraps: false }),
  bartLike({ type: 'mbart', normsFirst: true, wraps: true }),
];
