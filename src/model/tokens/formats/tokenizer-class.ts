/**
 * @file What the class that tokenizer_config.json names does beside a tokenizer.json: it sets steps of the file by options of its own, and
 * gives token types or none. In transformers the class wins over the file.
 */
import { must } from '../../../core/errors.js';
import { isObject, type JsonObject } from '../../../core/json.js';
import { contentOf } from './token-content.js';
import { type Frame, postProcessor } from './vocabulary-files.js';

type Kind = 'words' | 'bytes' | 'pieces' | 'file';

/** Whose steps a class sets, and how it frames texts: "none" and "file" leave the file's. */
const CLASSES: Readonly<Record<string, readonly [Kind, Frame]>> = {
  ...all('words', 'bert', 'Bert DistilBert Electra LayoutLM Lxmert MobileBert SqueezeBert'),
  ...all('words', 'roberta', 'MPNet'),
  ...all('bytes', 'roberta', 'Bart LED Longformer Mvp Roberta'),
  ...all('bytes', 'bert', 'Deberta'),
  ...all('bytes', 'none', 'GPT2'),
  ...all('pieces', 'none', 'Albert Camembert XLMRoberta'),
  ...all('pieces', 'bert', 'DebertaV2'),
  ...all('pieces', 'xlnet', 'XLNet'),
  ...all('file', 'bert', 'ConvBert'),
};

function all(kind: Kind, frame: Frame, names: string) {
  return Object.fromEntries(names.split(' ').map((name) => [name, [kind, frame] as const]));
}

/** "Bert" of {"tokenizer_class": "BertTokenizerFast"}; empty where none is named, or the class that takes the file as it is. */
export function classOf({ tokenizer_class: named }: JsonObject): string {
  const name = String(named ?? '').replace(/Tokenizer(Fast)?$/, '');
  return ['PreTrained', 'TokenizersBackend', 'PythonBackend'].includes(name) ? '' : name;
}

/** Classes that give token types since transformers 5, whose files say "backend"; before, all did that a type is known of, but one. */
const TYPED =
  /^(Bert|Canine|ConvBert|DPR.*|Deberta|DebertaV2|Electra|FNet|LayoutLM|LayoutLMv2|Lxmert|MarkupLM|MobileBert|SqueezeBert|Tapas)$/;

/** Whether the tokenizer gives token types: as `model_input_names` says, else its class. Where not, a model has 0 for all tokens. */
export function givesTypes(config: JsonObject): boolean {
  const { model_input_names: named, backend } = config;
  if (Array.isArray(named)) return named.includes('token_type_ids');
  return backend === undefined ? classOf(config) !== 'DistilBert' : TYPED.test(classOf(config));
}

/** The definition as the named class has it. Throws Error where an option contradicts it and we cannot follow. */
export function asItsClass(definition: JsonObject, config: JsonObject): JsonObject {
  const name = classOf(config);
  const [kind, frame] = CLASSES[name] ?? [];
  if (kind === undefined || frame === undefined) return definition;
  const framed = framedAnew(definition, config, frame);
  if (kind === 'words') return withWords(framed, config);
  if (kind === 'bytes') return spacedAs(framed, config.add_prefix_space === true);
  const spaced = !JSON.stringify(definition.pre_tokenizer).includes('"never"');
  for (const [key, readers, said] of [
    ['do_lower_case', 'Albert DebertaV2 XLNet', has(definition.normalizer, 'Lowercase')],
    ['keep_accents', 'Albert XLNet', !has(definition.normalizer, 'StripAccents')],
    ['split_by_punct', 'DebertaV2', has(definition.pre_tokenizer, 'Punctuation')],
    ['add_prefix_space', 'Albert Camembert DebertaV2 XLMRoberta XLNet', spaced],
  ] as const) {
    const option = readers.split(' ').includes(name) ? config[key] : undefined;
    if (typeof option === 'boolean' && option !== said)
      throw new Error(`tokenizer_config.json: ${key}: expected ${said}, as the file's steps have it, got ${option}`);
  }
  return framed;
}

const has = (step: unknown, type: string): boolean => JSON.stringify(step ?? null).includes(`"type":"${type}"`);

function withWords(definition: JsonObject, config: JsonObject): JsonObject {
  const { normalizer } = definition;
  const known = isObject(normalizer) && normalizer.type === 'BertNormalizer';
  // Before transformers 5 only the options of this step were set.
  if (!known && config.backend === undefined) return definition;
  const { do_lower_case: lower, strip_accents = null, tokenize_chinese_chars: ideographs } = config;
  return {
    ...definition,
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      ...(known ? normalizer : {}),
      lowercase: lower !== false,
      strip_accents,
      handle_chinese_chars: ideographs !== false,
    },
    ...(!known && { pre_tokenizer: { type: 'BertPreTokenizer' } }),
  };
}

function spacedAs(definition: JsonObject, spaced: boolean): JsonObject {
  const { pre_tokenizer: step } = definition;
  if (!isObject(step) || step.type !== 'ByteLevel') return definition;
  return { ...definition, pre_tokenizer: { ...step, add_prefix_space: spaced } };
}

/** The special tokens round a text by the names of the config, where the file has others. */
function framedAnew(definition: JsonObject, config: JsonObject, frame: Frame): JsonObject {
  const found = framing(definition.post_processor);
  if (found === undefined || frame === 'none') return definition;
  const [first, last] = frame === 'xlnet' ? [found[1], found[0]] : found;
  const [cls, sep] = [contentOf(config.cls_token) ?? first, contentOf(config.sep_token) ?? last];
  if (cls === first && sep === last) return definition;
  const ids = new Map<string, number>(
    Object.entries((definition.model as { vocab?: Record<string, number> }).vocab ?? {}),
  );
  for (const { content, id } of (definition.added_tokens ?? []) as { content: string; id: number }[])
    ids.set(content, id);
  const lacking = [cls, sep].find((token) => !ids.has(token));
  if (lacking !== undefined)
    throw new Error(`tokenizer_config.json: expected special tokens of the vocabulary, got ${JSON.stringify(lacking)}`);
  return { ...definition, post_processor: postProcessor(frame, { cls, sep }, ids, config) };
}

/** The first and the last special token round a single text; undefined without two. */
function framing(post: unknown): readonly [string, string] | undefined {
  if (!isObject(post)) return undefined;
  const { type, cls, sep, single } = post as Record<string, unknown>;
  if (type === 'BertProcessing' || type === 'RobertaProcessing')
    return Array.isArray(cls) && Array.isArray(sep) ? [String(cls[0]), String(sep[0])] : undefined;
  if (type !== 'TemplateProcessing' || !Array.isArray(single)) return undefined;
  const named = single.flatMap((part) => (isObject(part?.SpecialToken) ? [String(part.SpecialToken.id)] : []));
  return named.length === 2 ? [must(named[0]), must(named[1])] : undefined;
}
