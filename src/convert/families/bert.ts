/**
 * @file BERT (Devlin et al., NAACL 2019) and the encoders that differ from it in names, positions and head: ERNIE (Sun et al., AAAI
 * 2020), RoBERTa (Liu et al. 2019), XLM-RoBERTa (Conneau et al., ACL 2020), CamemBERT, data2vec-text; ELECTRA (Clark et al., ICLR 2020).
 */
import { activated } from '../blocks/activation.js';
import { attend, paddingBias } from '../blocks/attention.js';
import { countedPositions, lookUp, positionRows, typeRows } from '../blocks/embeddings.js';
import { bertHead, maskedHead, robertaHead, twoLayers } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import { distanceTerms } from '../blocks/relative.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken } from '../family.js';

interface EmbeddingKind {
  /** Positions start behind the padding id, and padding has none (fairseq). */
  readonly counted: boolean;
  /** The tokenizer returns types. */
  readonly typed: boolean;
  /** Factor of the word's row. @default 1 */
  readonly scale?: number;
  /** @default true */
  readonly normed?: boolean;
  /** The config may ask for a row of the task. */
  readonly tasks?: boolean;
}

interface Kind extends Pick<Family, 'defaults' | 'tokenizer'>, EmbeddingKind {
  readonly types: readonly string[];
  readonly prefix: string;
}

/** BERT's config where config.json leaves a key out. */
export const BERT_DEFAULTS = {
  vocab_size: 30522,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  hidden_act: 'gelu',
  max_position_embeddings: 512,
  type_vocab_size: 2,
  layer_norm_eps: 1e-12,
  pad_token_id: 0,
  position_embedding_type: 'absolute',
} as const;

/** Sizes in the config of every member. */
export function sizes({ config }: Drawing) {
  const { width, heads, size } = config.heads();
  return {
    ...{ width, heads, size },
    layers: config.count('num_hidden_layers'),
    feedForward: config.size('intermediate_size'),
    vocabulary: config.size('vocab_size'),
    positions: config.size('max_position_embeddings'),
    types: config.integer('type_vocab_size'),
    epsilon: config.positive('layer_norm_eps'),
    embedding: config.size('embedding_size', width),
  };
}

/** The sizes of a masked head that answers for words of the encoder's width. */
export function maskedSizes(d: Drawing) {
  const { width, vocabulary, epsilon } = sizes(d);
  return { width, vocabulary, epsilon };
}

/** Rejects classifiers of these families that are decoders. */
export function encoderOnly({ config }: Drawing): void {
  config.only('is_decoder', false);
  config.only('add_cross_attention', false);
  config.only('pruned_heads');
}

const POSITIONS = ['absolute', 'relative_key', 'relative_key_query'] as const;

/** Embeddings of the families whose config has BERT's keys, of width `embedding`. */
export function embed(
  d: Drawing,
  name: string,
  { counted, typed, scale = 1, normed = true, tasks = false }: EmbeddingKind,
  width: number,
): string {
  const { config, g } = d;
  const { vocabulary, positions, types, epsilon } = sizes(d);
  const words = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, width, d.ids);
  let x = scale === 1 ? words : g.mul(words, g.float(scale));
  if (types > 0) x = g.add(x, typeRows(d, `${name}.token_type_embeddings.weight`, types, width, typed));
  const table = `${name}.position_embeddings.weight`;
  if (config.choice('position_embedding_type', POSITIONS) === 'absolute') {
    const rows = counted
      ? lookUp(d, table, positions, width, countedPositions(d, config.integer('pad_token_id')))
      : positionRows(d, table, positions, width);
    x = g.add(x, rows);
  } else if (d.weights.has(table)) d.weights.take(table, [positions, width]);
  if (tasks && config.flag('use_task_id')) x = g.add(x, taskRow(d, name, width));
  return normed ? d.norm(x, `${name}.LayerNorm`, width, epsilon) : x;
}

/** ERNIE's types of tasks: without an input for them, every token has the first. [1, width]. */
function taskRow(d: Drawing, name: string, width: number): string {
  const rows = d.config.size('task_type_vocab_size');
  return d.g.gather(d.weight(`${name}.task_type_embeddings.weight`, [rows, width]), d.g.ints([0]));
}

/** Self-attention with query, key and value below `name`, before its output layer. ALBERT adds what distances say to scaled scores. */
export function selfAttention(
  d: Drawing,
  x: string,
  name: string,
  { unscaledTerms = false, biased = true }: { readonly unscaledTerms?: boolean; readonly biased?: boolean } = {},
): string {
  const { config } = d;
  const { width, heads, size, positions } = sizes(d);
  const kind = config.choice('position_embedding_type', POSITIONS);
  const part = (role: string) => d.linear(x, `${name}.${role}`, width, width, { bias: biased });
  return attend(d, {
    query: part('query'),
    key: part('key'),
    value: part('value'),
    heads,
    size,
    bias: paddingBias(d),
    unscaledTerms,
    ...(kind !== 'absolute' && {
      terms: distanceTerms(
        d,
        `${name}.distance_embedding.weight`,
        { positions, heads, size },
        kind === 'relative_key_query',
      ),
    }),
  });
}

type LayerAttention = (d: Drawing, x: string, name: string, layer: number) => string;

function layer(d: Drawing, x: string, name: string, mix: (x: string, name: string) => string): string {
  const mixed = mix(x, `${name}.attention.self`);
  return layerAfterAttention(d, x, mixed, name, BERT_LAYER, sizes(d));
}

const encode = (d: Drawing, kind: Kind): string => encodeWith(d, kind, (_, x, name) => selfAttention(d, x, name));

/** The encoder, its layers with this attention before their output layer. */
export function encodeWith(d: Drawing, { prefix, ...kind }: Kind, attention: LayerAttention): string {
  encoderOnly(d);
  const { width, layers, embedding } = sizes(d);
  let x = embed(d, `${prefix}.embeddings`, kind, embedding);
  if (embedding !== width) x = d.linear(x, `${prefix}.embeddings_project`, embedding, width);
  for (let at = 0; at < layers; at++)
    x = layer(d, x, `${prefix}.encoder.layer.${at}`, (y, name) => attention(d, y, name, at));
  return x;
}

/** tanh of a layer over the first token. */
export function pool(d: Drawing, hidden: string, name: string, width: number): string {
  return activated(d.g, d.linear(firstToken(d, hidden), name, width, width, { head: true }), 'tanh');
}

/** BERT's head: the pooler of the model `prefix`, and one layer. */
export const classifyPooled = (d: Drawing, hidden: string, labels: number, prefix: string): string =>
  classifyPooledAs(d, hidden, labels, `${prefix}.pooler`, sizes(d).width);

export function classifyPooledAs(d: Drawing, hidden: string, labels: number, pooler: string, width: number): string {
  return d.linear(pool(d, hidden, `${pooler}.dense`, width), 'classifier', width, labels, { head: true });
}

function bertLike(kind: Kind): Family {
  const { prefix } = kind;
  return {
    ...kind,
    unused: [`${prefix}.pooler`, `${prefix}.embeddings.task_type_embeddings`],
    width: (d) => sizes(d).width,
    encode: (d) => {
      d.config.only('embedding_size', d.config.size('hidden_size'));
      return encode(d, kind);
    },
    classify: (d, hidden, labels) => classifyPooled(d, hidden, labels, prefix),
    masked: (d, hidden) => maskedHead(d, hidden, bertHead(d, prefix), maskedSizes(d)),
  };
}

const WORD_PIECES = { counted: false, typed: true, tokenizer: 'bert' } as const;

export const bert = bertLike({ types: ['bert'], prefix: 'bert', defaults: BERT_DEFAULTS, ...WORD_PIECES });

/** ERNIE (Sun et al., AAAI 2020): BERT, some of whose models add a row for the task. */
export const ernie = bertLike({
  types: ['ernie'],
  prefix: 'ernie',
  defaults: { ...BERT_DEFAULTS, task_type_vocab_size: 3, use_task_id: false },
  tasks: true,
  ...WORD_PIECES,
});

/** RoBERTa's head: two layers on the first token. */
export function classifyFirst(d: Drawing, hidden: string, labels: number): string {
  const act = (x: string) => activated(d.g, x, 'tanh');
  return twoLayers(d, firstToken(d, hidden), 'classifier', { width: sizes(d).width, labels, act });
}

/** The head of its language model has a fixed function. */
function roberta(kind: Kind): Family {
  return {
    ...kind,
    unused: [`${kind.prefix}.pooler`],
    width: (d) => sizes(d).width,
    encode: (d) => {
      d.config.only('embedding_size', d.config.size('hidden_size'));
      return encode(d, kind);
    },
    classify: classifyFirst,
    masked: (d, hidden) => maskedHead(d, hidden, robertaHead(d, kind.prefix), maskedSizes(d)),
  };
}

const FAIRSEQ = { counted: true, typed: false, defaults: { ...BERT_DEFAULTS, pad_token_id: 1 } } as const;

export const robertas: readonly Family[] = [
  roberta({ types: ['roberta', 'xlm-roberta', 'camembert'], prefix: 'roberta', ...FAIRSEQ }),
  roberta({ types: ['data2vec-text'], prefix: 'data2vec_text', ...FAIRSEQ }),
];

const ELECTRA: Kind = {
  types: ['electra'],
  tokenizer: 'bert',
  prefix: 'electra',
  defaults: {
    ...BERT_DEFAULTS,
    embedding_size: 128,
    hidden_size: 256,
    num_attention_heads: 4,
    intermediate_size: 1024,
  },
  counted: false,
  typed: true,
};

export const electra: Family = {
  ...ELECTRA,
  width: (d) => sizes(d).width,
  encode: (d) => encode(d, ELECTRA),
  classify(d, hidden, labels) {
    const { width } = sizes(d);
    const act = (x: string) => activated(d.g, x, 'gelu');
    return twoLayers(d, firstToken(d, hidden), 'classifier', { width, labels, act });
  },
  masked: (d, hidden) => generatorScores(d, hidden, 'electra'),
};

/** The head of ELECTRA's generator, whose function is fixed. */
export function generatorScores(d: Drawing, hidden: string, prefix: string): string {
  const parts = {
    ...robertaHead(d, prefix),
    dense: 'generator_predictions.dense',
    norm: 'generator_predictions.LayerNorm',
    decoder: 'generator_lm_head.weight',
    bias: 'generator_lm_head.bias',
  };
  return maskedHead(d, hidden, parts, sizes(d));
}
