/**
 * @file Kin of RoBERTa: Longformer (Beltagy et al. 2020), in which each token sees those within a window, and the first token, which sees all with
 * projections of its own (drawn over all pairs of tokens, those out of sight masked: the same answers, with a cost that grows as the square of
 * the length); LUKE and mLUKE (Yamada et al., EMNLP 2020; Ri et al., ACL 2022) as classifiers of texts, with BERT's pooler and no entities;
 * X-MOD (Pfeiffer et al., NAACL 2022), with a small module for each language behind every layer, of which a graph has the default language's.
 */
import { attend, LOWEST, paddingBias, places, present } from '../blocks/attention.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirst, classifyPooled, ROBERTA, selfAttention, sizes } from './bert.js';

/** How far a token of the layer sees to each side. */
function reach({ config }: Drawing, at: number): number {
  const given = config.raw('attention_window');
  const window = Array.isArray(given) ? given[at] : given;
  if (Number.isInteger(window) && window > 0 && window % 2 === 0) return window / 2;
  throw config.refuse('attention_window', 'an even number above 0 for each layer');
}

/** 0 for the tokens within sight and for the first, the lowest number for others and padding, [batch, 1, sequence, sequence]. */
function windowBias(d: Drawing, side: number): string {
  return d.once(`window ${side}`, () => {
    const { g } = d;
    const at = places(d);
    const distance = g.op('Abs', [g.sub(at, g.unsqueeze(at, [1]))]); // [sequence, sequence]
    const near = g.op('LessOrEqual', [distance, g.int(side)]);
    const seen = g.op('Or', [near, g.op('Equal', [at, g.int(0)])]);
    return g.where(g.op('And', [present(d), seen]), g.float(0), g.float(LOWEST));
  });
}

/** The first token's row is what it takes from all tokens; the others' what they take from those in sight. */
function attention(d: Drawing, x: string, name: string, at: number): string {
  const { g } = d;
  const { width, heads, size } = sizes(d);
  const part = (of: string, role: string) => d.linear(of, `${name}.${role}`, width, width);
  const own = { query: part(x, 'query'), key: part(x, 'key'), value: part(x, 'value') };
  const local = attend(d, { ...own, heads, size, bias: windowBias(d, reach(d, at)) });
  const first = g.slice(x, 1, 0, 1); // [batch, 1, width]
  const global = attend(d, {
    query: part(first, 'query_global'),
    key: part(x, 'key_global'),
    value: part(x, 'value_global'),
    heads,
    size,
    bias: paddingBias(d),
  });
  const rest = g.slice(local, 1, 1);
  return g.concat([global, rest], 1);
}

/** Only classifiers let the first token see all: its language model is drawn by none. */
export const longformer = bertLike({
  types: ['longformer'],
  tokenizer: 'roberta',
  prefix: 'longformer',
  defaults: { ...BERT_DEFAULTS, pad_token_id: 1, attention_window: 512 },
  fairseq: true,
  attention,
  // Its encoder is drawn with the global attention of the first token, which taggers lack.
  tagless: true,
  head: classifyFirst,
});

/** The queries between words and entities are checked, and not used. */
function wordAttention(d: Drawing, x: string, name: string): string {
  const { width } = sizes(d);
  if (d.config.flag('use_entity_aware_attention')) {
    for (const role of ['w2e_query', 'e2w_query', 'e2e_query']) {
      d.weights.take(`${name}.${role}.weight`, [width, width]);
      d.weights.take(`${name}.${role}.bias`, [width]);
    }
  }
  return selfAttention(d, x, name);
}

export const luke = bertLike({
  ...ROBERTA,
  types: ['luke'],
  tokenizer: 'roberta',
  prefix: 'luke',
  defaults: { ...ROBERTA.defaults, vocab_size: 50267, use_entity_aware_attention: true },
  unused: ['luke.pooler', 'luke.entity_embeddings', 'entity_predictions'],
  check: (d) => d.config.only('position_embedding_type', 'absolute'),
  attention: wordAttention,
  head: classifyPooled,
});

function languagesOf({ config }: Drawing): readonly string[] {
  const languages = config.raw('languages');
  const texts = Array.isArray(languages) && languages.every((each) => typeof each === 'string');
  if (!texts || languages.length === 0) throw config.refuse('languages', 'a list of languages');
  return languages;
}

function defaultLanguage(d: Drawing): string {
  const languages = languagesOf(d);
  const named = d.config.raw('default_language');
  const found = languages.find((each) => each === named);
  if (found === undefined) throw d.config.refuse('default_language', languages.slice(0, 20).join(', '));
  return found;
}

/** The module of the default language, on what the layer made before its last norm. */
function adapt(d: Drawing, x: string, name: string): string {
  const { g, config, weights } = d;
  const { width, epsilon } = sizes(d);
  const narrow = Math.floor(width / config.count('adapter_reduction_factor'));
  const own = defaultLanguage(d);
  const parts = [
    ['dense1.weight', [narrow, width]],
    ['dense1.bias', [narrow]],
    ['dense2.weight', [width, narrow]],
    ['dense2.bias', [width]],
  ] as const;
  for (const other of languagesOf(d)) {
    if (other === own) continue;
    for (const [part, dims] of parts) weights.take(`${name}.adapter_modules.${other}.${part}`, dims);
  }
  const norm = config.flag('adapter_layer_norm')
    ? 'adapter_layer_norm'
    : config.flag('adapter_reuse_layer_norm') && 'LayerNorm';
  const normed = norm ? d.norm(x, `${name}.${norm}`, width, epsilon) : x;
  const module = `${name}.adapter_modules.${own}`;
  const down = d.activate(d.linear(normed, `${module}.dense1`, width, narrow), 'hidden_act');
  const up = d.linear(down, `${module}.dense2`, narrow, width);
  return g.add(up, config.flag('ln_before_adapter') ? normed : x);
}

function layer(d: Drawing, x: string, name: string): string {
  const { g, config } = d;
  const { width, feedForward, epsilon } = sizes(d);
  const before = config.flag('pre_norm');
  const norm = (y: string, part: string) => d.norm(y, `${name}.${part}.LayerNorm`, width, epsilon);
  const mixed = selfAttention(d, before ? norm(x, 'attention.output') : x, `${name}.attention.self`);
  const sum = g.add(d.linear(mixed, `${name}.attention.output.dense`, width, width), x);
  const y = before ? sum : norm(sum, 'attention.output');
  const fed = before ? norm(y, 'output') : y;
  const expanded = d.activate(d.linear(fed, `${name}.intermediate.dense`, width, feedForward), 'hidden_act');
  const contracted = d.linear(expanded, `${name}.output.dense`, feedForward, width);
  const adapted = adapt(d, g.add(contracted, y), `${name}.output`);
  return before ? adapted : norm(adapted, 'output');
}

export const xmod = bertLike({
  ...ROBERTA,
  types: ['xmod'],
  tokenizer: 'xlm-roberta',
  prefix: 'roberta',
  defaults: {
    ...ROBERTA.defaults,
    pre_norm: false,
    adapter_reduction_factor: 2,
    adapter_layer_norm: false,
    adapter_reuse_layer_norm: true,
    ln_before_adapter: true,
    languages: ['en_XX'],
  },
  check: defaultLanguage,
  layer,
  last: (d, x) =>
    d.config.flag('pre_norm') ? d.norm(x, 'roberta.encoder.LayerNorm', sizes(d).width, sizes(d).epsilon) : x,
});
