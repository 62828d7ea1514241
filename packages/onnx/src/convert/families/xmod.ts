/**
 * @file X-MOD (Pfeiffer et al., NAACL 2022): XLM-RoBERTa with a small module for each language behind every layer. A graph has those of
 * the default language.
 */
import type { Drawing } from '../drawing.js';
import { bertLike, ROBERTA, selfAttention, sizes } from './bert.js';

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
