/**
 * @file BERT (Devlin et al., NAACL 2019) and the encoders that differ from it in names, positions and head: ERNIE (Sun et al., AAAI
 * 2020), RoBERTa (Liu et al. 2019), XLM-RoBERTa (Conneau et al., ACL 2020), CamemBERT, data2vec-text; ELECTRA (Clark et al., ICLR 2020).
 */
import { activated } from '../blocks/activation.js';
import { attend, paddingBias } from '../blocks/attention.js';
import { countedPositions, lookUp, positionRows, typeRows } from '../blocks/embeddings.js';
import { bertHead, type MaskedParts, maskedHead, robertaHead, twoLayers } from '../blocks/heads.js';
import { BERT_LAYER, layerAfterAttention } from '../blocks/layer.js';
import { distanceTerms } from '../blocks/relative.js';
import type { Drawing } from '../drawing.js';
import { type Family, firstToken, usualSizes } from '../family.js';

/** An encoder of BERT's build: what one family has of its own is a fact in its file. */
export interface BertKind
  extends Pick<Family, 'types' | 'prefix' | 'defaults' | 'tokenizer' | 'unused' | 'readsPadding' | 'tagless'> {
  /** Positions start behind the padding id, padding has none, and the tokenizer returns no types. */
  readonly fairseq?: true;
  /** Of the sum of a token's rows. @default true */
  readonly normed?: false;
  /** No rows for positions. */
  readonly unplaced?: true;
  /** The config may ask for a row of the task. */
  readonly tasks?: true;
  /** The config may ask for a factor of the words' rows. */
  readonly rescaled?: true;
  /** The key of the width of embeddings, or that they have the width of the layers. @default "embedding_size" */
  readonly embedding?: 'wide' | 'input_embedding_size';
  /** A layer that all embeddings go through. @default "embeddings_project", for those of another width */
  readonly mapping?: string;
  /** Embeddings of another build. */
  readonly embed?: (d: Drawing) => string;
  /** Throws OnnxError for a config that is not supported. */
  readonly check?: (d: Drawing) => void;
  /** The heads of a layer, with the weights below `name`. @default selfAttention */
  readonly attention?: (d: Drawing, x: string, name: string, layer: number) => string;
  /** @default BERT's: attention, and norms behind each part */
  readonly layer?: (d: Drawing, x: string, name: string, layer: number) => string;
  /** @default "encoder.layer" */
  readonly layers?: string;
  /** Behind the last layer. */
  readonly last?: (d: Drawing, x: string) => string;
  readonly head: (d: Drawing, hidden: string, labels: number, prefix: string) => string;
  /** The names of the masked head. */
  readonly scores?: (d: Drawing, prefix: string) => MaskedParts;
}

/** BERT's config where config.json leaves a key out. */
export const BERT_DEFAULTS = {
  ...usualSizes(30522, 768, 3072, 12, 12),
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
    width,
    heads,
    size,
    layers: config.count('num_hidden_layers'),
    feedForward: config.size('intermediate_size'),
    vocabulary: config.size('vocab_size'),
    positions: config.size('max_position_embeddings'),
    types: config.integer('type_vocab_size'),
    epsilon: config.positive('layer_norm_eps'),
    embedding: config.size('embedding_size', width),
  };
}

/** Rejects classifiers of these families that are decoders. */
export function encoderOnly({ config }: Drawing): void {
  config.only('is_decoder', false);
  config.only('add_cross_attention', false);
  config.only('pruned_heads');
}

/** Transformers 5 computes and saves absolute places, whatever the config says. */
function placesOf({ config }: Drawing): 'absolute' | 'relative_key' | 'relative_key_query' {
  const kind = config.choice('position_embedding_type', ['absolute', 'relative_key', 'relative_key_query']);
  return Number.parseInt(String(config.raw('transformers_version')), 10) >= 5 ? 'absolute' : kind;
}

/** Embeddings of the families whose config has BERT's keys. */
function embed(d: Drawing, kind: BertKind): string {
  const { fairseq, normed = true, unplaced, tasks, rescaled, mapping } = kind;
  const { config, g } = d;
  const { width: wide, vocabulary, positions, types, epsilon, embedding } = sizes(d);
  if (kind.embedding === 'wide') config.only('embedding_size', wide);
  const width = kind.embedding === 'input_embedding_size' ? config.size(kind.embedding) : embedding;
  const name = `${kind.prefix}.embeddings`;
  let x = lookUp(d, `${name}.word_embeddings.weight`, vocabulary, width, d.ids);
  if (rescaled && config.flag('rescale_embeddings')) x = g.mul(x, g.float(Math.sqrt(width)));
  if (types > 0) x = g.add(x, typeRows(d, `${name}.token_type_embeddings.weight`, types, width, !fairseq));
  const table = `${name}.position_embeddings.weight`;
  if (!unplaced && placesOf(d) === 'absolute') {
    const rows = fairseq
      ? lookUp(d, table, positions, width, countedPositions(d, config.integer('pad_token_id')))
      : positionRows(d, table, positions, width);
    x = g.add(x, rows);
  } else if (d.weights.has(table)) d.weights.take(table, [positions, width]);
  if (tasks && config.flag('use_task_id')) x = g.add(x, taskRow(d, name, width));
  if (normed) x = d.norm(x, `${name}.LayerNorm`, width, epsilon);
  if (mapping === undefined && width === wide) return x;
  return d.linear(x, `${kind.prefix}.${mapping ?? 'embeddings_project'}`, width, wide);
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
  const { width, heads, size, positions } = sizes(d);
  const kind = placesOf(d);
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

function encode(d: Drawing, kind: BertKind): string {
  const { prefix, layers = 'encoder.layer', attention = (_, x, name) => selfAttention(d, x, name) } = kind;
  const layer =
    kind.layer ??
    ((_, x, name, at) =>
      layerAfterAttention(d, x, attention(d, x, `${name}.attention.self`, at), name, BERT_LAYER, sizes(d)));
  encoderOnly(d);
  kind.check?.(d);
  let x = kind.embed?.(d) ?? embed(d, kind);
  for (let at = 0; at < sizes(d).layers; at++) x = layer(d, x, `${prefix}.${layers}.${at}`, at);
  return kind.last?.(d, x) ?? x;
}

export function bertLike(kind: BertKind): Family {
  const { prefix, head, scores } = kind;
  return {
    unused: [`${prefix}.pooler`],
    ...kind,
    width: (d) => sizes(d).width,
    encode: (d) => encode(d, kind),
    classify: (d, hidden, labels) => head(d, hidden, labels, prefix),
    ...(scores && { masked: (d: Drawing, hidden: string) => maskedHead(d, hidden, scores(d, prefix), sizes(d)) }),
  };
}

/** BERT's head: tanh of a layer over the first token, the pooler's of the model `prefix`, and the labels. */
export const classifyPooled = (d: Drawing, hidden: string, labels: number, prefix: string): string =>
  classifyPooledAs(d, hidden, labels, `${prefix}.pooler.dense`, sizes(d).width);

export function classifyPooledAs(d: Drawing, hidden: string, labels: number, pooler: string, width: number): string {
  const pooled = d.linear(firstToken(d, hidden), pooler, width, width, { head: true });
  return d.linear(activated(d.g, pooled, 'tanh'), 'classifier', width, labels, { head: true });
}

/** Two layers on the first token, with a function between them. */
const classifyFirstBy =
  (act: (d: Drawing, x: string) => string): BertKind['head'] =>
  (d, hidden, labels) =>
    twoLayers(d, firstToken(d, hidden), 'classifier', { width: sizes(d).width, labels, act: (x) => act(d, x) });

/** RoBERTa's head. */
export const classifyFirst = classifyFirstBy(({ g }, x) => activated(g, x, 'tanh'));
export const classifyFirstByConfig = classifyFirstBy((d, x) => d.activate(x, 'hidden_act'));

const WORD_PIECES = { tokenizer: 'bert', embedding: 'wide', head: classifyPooled, scores: bertHead } as const;

export const bert = bertLike({ types: ['bert'], prefix: 'bert', defaults: BERT_DEFAULTS, ...WORD_PIECES });

/** ERNIE (Sun et al., AAAI 2020): BERT, some of whose models add a row for the task. */
export const ernie = bertLike({
  types: ['ernie'],
  prefix: 'ernie',
  defaults: { ...BERT_DEFAULTS, task_type_vocab_size: 3, use_task_id: false },
  unused: ['ernie.pooler', 'ernie.embeddings.task_type_embeddings'],
  tasks: true,
  ...WORD_PIECES,
});

/** What RoBERTa's kin have in common. */
export const ROBERTA = {
  defaults: { ...BERT_DEFAULTS, pad_token_id: 1 },
  fairseq: true,
  embedding: 'wide',
  head: classifyFirst,
  scores: robertaHead,
} as const;

export const robertas: readonly Family[] = [
  bertLike({ types: ['roberta', 'xlm-roberta', 'camembert'], prefix: 'roberta', ...ROBERTA }),
  bertLike({ types: ['data2vec-text'], prefix: 'data2vec_text', ...ROBERTA }),
];

export const electra = bertLike({
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
  unused: [],
  head: classifyFirstBy(({ g }, x) => activated(g, x, 'gelu')),
  scores: generatorHead,
});

/** The head of ELECTRA's generator, whose function is fixed. */
export function generatorHead(d: Drawing, prefix: string): MaskedParts {
  return {
    ...robertaHead(d, prefix),
    dense: 'generator_predictions.dense',
    norm: 'generator_predictions.LayerNorm',
    decoder: 'generator_lm_head.weight',
    bias: 'generator_lm_head.bias',
  };
}

/** Megatron-BERT (Shoeybi et al. 2019): norms before each part and one behind the last layer, none on the embeddings. */
function normedFirst(d: Drawing, x: string, name: string): string {
  const { width, feedForward, epsilon } = sizes(d);
  const mixed = selfAttention(d, d.norm(x, `${name}.attention.ln`, width, epsilon), `${name}.attention.self`);
  const y = d.g.add(d.linear(mixed, `${name}.attention.output.dense`, width, width), x);
  const normed = d.norm(y, `${name}.ln`, width, epsilon);
  const expanded = d.activate(d.linear(normed, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  return d.g.add(d.linear(expanded, `${name}.output.dense`, feedForward, width), y);
}

export const megatronBert = bertLike({
  types: ['megatron-bert'],
  tokenizer: 'bert',
  prefix: 'bert',
  defaults: { ...BERT_DEFAULTS, ...usualSizes(29056, 1024, 4096, 24, 16) },
  embedding: 'wide',
  normed: false,
  layer: normedFirst,
  last: (d, x) => d.norm(x, 'bert.encoder.ln', sizes(d).width, sizes(d).epsilon),
  head: classifyPooled,
  scores: bertHead,
});

/** RemBERT (Chung et al., ICLR 2021): narrow embeddings at the input, and wide ones of their own at the output. */
export const rembert: Family = {
  ...bertLike({
    types: ['rembert'],
    prefix: 'rembert',
    defaults: {
      ...BERT_DEFAULTS,
      ...usualSizes(250300, 1152, 4608, 32, 18),
      input_embedding_size: 256,
      output_embedding_size: 1664,
      tie_word_embeddings: false,
    },
    embedding: 'input_embedding_size',
    mapping: 'encoder.embedding_hidden_mapping_in',
    head: classifyPooled,
  }),
  masked(d, hidden) {
    // The widths of the two tables differ.
    d.config.only('tie_word_embeddings', false);
    const parts = {
      ...bertHead(d, 'rembert'),
      dense: 'cls.predictions.dense',
      norm: 'cls.predictions.LayerNorm',
      bias: 'cls.predictions.decoder.bias',
    };
    return maskedHead(d, hidden, parts, { ...sizes(d), embedding: d.config.size('output_embedding_size') });
  },
};
