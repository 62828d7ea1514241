/**
 * @file Tokenizers without a tokenizer.json: vocab.txt (WordPiece), vocab.json and merges.txt (byte-level BPE), spiece.model and its
 * kin (SentencePiece), turned into what a tokenizer.json would say, by the rules of transformers' convert_slow_tokenizer.py.
 */
import { familyOfType } from '../../../../packages/onnx/src/convert/families/index.js';
import { must } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import { mergesOf } from './merges.js';
import { PieceType, readSentencePiece, type SentencePieceModel } from './sentencepiece.js';
import { contentOf } from './token-content.js';

/** Settings in the configs of a vocabulary. */
export interface VocabularyConfig {
  /** `model_type` of config.json, else what `tokenizer_class` says: "bert". */
  readonly family: string;
  /** tokenizer_config.json, with special_tokens_map.json in it. */
  readonly config: JsonObject;
  /** Tokens behind the vocabulary's own (added_tokens.json): token -> id. */
  readonly added: Readonly<Record<string, number>>;
}

type Definition = JsonObject;
type Vocabulary = ReadonlyMap<string, number>;

/** Special tokens by role, where no config names them. */
const BERT_NAMES = { unk: '[UNK]', sep: '[SEP]', cls: '[CLS]', pad: '[PAD]', mask: '[MASK]' };
const ROBERTA_NAMES = { unk: '<unk>', sep: '</s>', cls: '<s>', pad: '<pad>', mask: '<mask>', bos: '<s>', eos: '</s>' };
const XLNET_NAMES = { unk: '<unk>', sep: '<sep>', cls: '<cls>', pad: '<pad>', mask: '<mask>', bos: '<s>', eos: '</s>' };
const T5_NAMES = { unk: '<unk>', pad: '<pad>', eos: '</s>' };
const LLAMA_NAMES = { unk: '<unk>', bos: '<s>', eos: '</s>' };
const ALBERT_NAMES = { ...BERT_NAMES, unk: '<unk>', pad: '<pad>' };

type SpecialNames = Partial<Record<'unk' | 'sep' | 'cls' | 'pad' | 'mask' | 'bos' | 'eos', string>>;

/** How a family frames texts: with the types of A and B, and of what stands round them. */
export type Frame = 'bert' | 'roberta' | 'xlnet' | 't5' | 'llama' | 'none';

const WORD_PIECES: Readonly<Record<string, { readonly names: SpecialNames; readonly frame: Frame }>> = {
  bert: { names: BERT_NAMES, frame: 'bert' },
  convbert: { names: BERT_NAMES, frame: 'bert' },
  mpnet: { names: { ...ROBERTA_NAMES, unk: '[UNK]' }, frame: 'roberta' },
};

/** Vocabularies with merges. Words are spelt in bytes, or as they stand with a mark at their end. */
const MERGED: Readonly<
  Record<string, { readonly names: SpecialNames; readonly frame: Frame; readonly normalizer?: object }>
> = {
  gpt2: { names: { unk: '<|endoftext|>', bos: '<|endoftext|>', eos: '<|endoftext|>' }, frame: 'none' },
  roberta: { names: ROBERTA_NAMES, frame: 'roberta' },
  deberta: { names: BERT_NAMES, frame: 'bert' },
  herbert: {
    names: { unk: '<unk>', sep: '</s>', cls: '<s>', pad: '<pad>', mask: '<mask>' },
    frame: 'bert',
    normalizer: { clean_text: true, handle_chinese_chars: true, strip_accents: false, lowercase: false },
  },
  openaigpt: {
    names: { unk: '<unk>' },
    frame: 'none',
    normalizer: { clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true },
  },
};

/** Tokenizers that transformers has in Python alone, by their classes. */
const IN_PYTHON = ['bartpho', 'bertjapanese', 'bertweet', 'biogpt', 'ctrl', 'flaubert', 'fsmt', 'phobert', 'xlm'];

/** `vocab.txt`: a token a line. Throws Error for a family it is not known of. */
export function wordPieceDefinition(text: string, given: VocabularyConfig): Definition {
  const { names, frame } = known(WORD_PIECES, given, 'vocab.txt');
  const vocabulary = new Map(lines(text).map((token, id) => [token, id]));
  const tokens = namesOf(names, given);
  const lowercase = given.config.do_lower_case !== false;
  return {
    ...common(vocabulary, tokens, frame, given, false),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: given.config.tokenize_chinese_chars !== false,
      strip_accents: given.config.strip_accents ?? null,
      lowercase,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: tokens.unk,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary),
    },
  };
}

/** `vocab.json` and `merges.txt`, whose first line may be a comment. Throws Error for a family they are not known of. */
export function mergedDefinition(vocab: JsonObject, merges: string, given: VocabularyConfig): Definition {
  const { names, frame, normalizer } = known(MERGED, given, 'vocab.json');
  const vocabulary = new Map(Object.entries(vocab) as [string, number][]);
  const spaced = given.config.add_prefix_space === true;
  const level = { type: 'ByteLevel', add_prefix_space: spaced, trim_offsets: true, use_regex: true };
  const tokens = namesOf(names, given);
  return {
    ...common(vocabulary, tokens, frame, given, normalizer === undefined),
    normalizer: normalizer ? { type: 'BertNormalizer', ...normalizer } : null,
    pre_tokenizer: normalizer ? { type: 'BertPreTokenizer' } : level,
    decoder: normalizer ? { type: 'BPEDecoder', suffix: '</w>' } : level,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: normalizer ? tokens.unk : null,
      continuing_subword_prefix: '',
      end_of_word_suffix: normalizer ? '</w>' : '',
      fuse_unk: false,
      vocab,
      merges: lines(merges).filter((line) => line !== '' && !line.startsWith('#version')),
    },
  };
}

/** Family-specific additions to a SentencePiece model. */
interface SpmFamily {
  readonly names: SpecialNames;
  readonly frame: Frame;
  /** Tokens in place of the file's first ones. */
  readonly first?: { readonly tokens: readonly string[]; readonly dropped: number; readonly unknownId: number };
  /** Quotes are unified and accents and capitals taken off, as the config says; digits before a comma stay apart. */
  readonly plain?: boolean;
  /** Spaces at both ends go first. */
  readonly strips?: boolean;
  /** Number of `<extra_id_0>` tokens at the end of its vocabulary, unless the config gives another number. */
  readonly extraIds?: number;
  /** Spaces are all kept, and a text is one word. */
  readonly whole?: boolean;
}

const SENTENCE_PIECES: Readonly<Record<string, SpmFamily>> = {
  'xlm-roberta': {
    names: ROBERTA_NAMES,
    frame: 'roberta',
    first: { tokens: ['<s>', '<pad>', '</s>', '<unk>'], dropped: 3, unknownId: 3 },
  },
  camembert: {
    names: ROBERTA_NAMES,
    frame: 'roberta',
    first: { tokens: ['<s>NOTUSED', '<pad>', '</s>NOTUSED', '<unk>', '<unk>NOTUSED'], dropped: 1, unknownId: 3 },
  },
  albert: { names: ALBERT_NAMES, frame: 'bert', plain: true },
  xlnet: { names: XLNET_NAMES, frame: 'xlnet', plain: true },
  'deberta-v2': { names: BERT_NAMES, frame: 'bert', strips: true },
  t5: { names: T5_NAMES, frame: 't5', extraIds: 100 },
  llama: { names: LLAMA_NAMES, frame: 'llama', whole: true },
  mistral: { names: LLAMA_NAMES, frame: 'llama', whole: true },
};

/** More than any model has: the number comes from a file. */
const MAX_EXTRA_IDS = 10_000;

const replace = (pattern: object, content: string) => ({ type: 'Replace', pattern, content });

/** The steps before pieces are looked for, in the order of transformers' converters. */
function normalizersOf(
  { plain = false, strips = false, frame }: (typeof SENTENCE_PIECES)[string],
  config: VocabularyConfig['config'],
  charsmap: string,
): object[] {
  const lower = config.do_lower_case === true || (plain && config.do_lower_case !== false && frame !== 'xlnet');
  return [
    plain ? [replace({ String: '``' }, '"'), replace({ String: "''" }, '"')] : [],
    plain && config.keep_accents !== true ? [{ type: 'NFKD' }, { type: 'StripAccents' }] : [],
    lower ? { type: 'Lowercase' } : [],
    strips ? { type: 'Strip', strip_left: true, strip_right: true } : [],
    charsmap === '' ? [] : { type: 'Precompiled', precompiled_charsmap: charsmap },
    plain || strips ? [] : { type: 'Strip', strip_left: false, strip_right: true },
    replace({ Regex: ' {2,}' }, ' '),
  ].flat();
}

/** `spiece.model`, `sentencepiece.bpe.model`, `spm.model` or `tokenizer.model`, unigram or BPE. Throws Error for a damaged file or a family it is not known of. */
export function sentencePieceDefinition(file: Uint8Array, given: VocabularyConfig): Definition {
  const family = known(SENTENCE_PIECES, given, 'a SentencePiece model');
  const { config } = given;
  const spm = readSentencePiece(file);
  const { first, names, frame, plain = false, whole = false } = family;
  const own = spm.pieces.slice(first?.dropped ?? 0).map(({ text, score }): [string, number] => {
    const apart = plain && /\d,$/u.test(text) && [...text].length >= 2;
    return [text, apart ? score - 100 : score];
  });
  const vocab: [string, number][] = [...(first?.tokens ?? []).map((token): [string, number] => [token, 0]), ...own];
  if (first && !vocab.some(([token]) => token === '<mask>')) vocab.push(['<mask>', 0]);
  vocab.push(...extraIds(family, config).map((token): [string, number] => [token, 0]));
  const vocabulary = new Map(vocab.map(([token], id) => [token, id]));
  const controls = spm.pieces.filter(({ type }) => type === PieceType.control || type === PieceType.userDefined);
  const metaspace = { type: 'Metaspace', replacement: '\u2581', prepend_scheme: 'always', split: true };
  const special = [...(first ? [] : controls.map(({ text }) => text)), ...extraIds(family, config)];
  const shared = common(vocabulary, namesOf(names, given), frame, given, true, special);
  const model = spm.kind === 'bpe' ? bpeModel(spm, vocabulary, own) : unigramModel(spm, vocab, first?.unknownId);
  if (whole) return { ...shared, ...wholeTexts(config), model };
  return {
    ...shared,
    normalizer: { type: 'Sequence', normalizers: normalizersOf(family, config, spm.charsmap) },
    pre_tokenizer:
      family.strips && config.split_by_punct === true
        ? { type: 'Sequence', pretokenizers: [{ type: 'Punctuation', behavior: 'Isolated' }, metaspace] }
        : metaspace,
    decoder: metaspace,
    model,
  };
}

const unigramModel = (spm: SentencePieceModel, vocab: readonly [string, number][], unknownId = spm.unknownId) => ({
  type: 'Unigram',
  unk_id: unknownId,
  vocab,
  byte_fallback: spm.byteFallback,
});

/** `scored`: the pieces in the order of the file. */
const bpeModel = (spm: SentencePieceModel, ids: Vocabulary, scored: readonly [string, number][]) => ({
  type: 'BPE',
  dropout: null,
  unk_token: spm.pieces[spm.unknownId]?.text,
  continuing_subword_prefix: null,
  end_of_word_suffix: null,
  fuse_unk: true,
  byte_fallback: spm.byteFallback,
  vocab: Object.fromEntries(ids),
  merges: mergesOf(scored),
});

/** Llama's: a space goes before the text, and every space is a part of pieces. */
function wholeTexts({ legacy, add_prefix_space: prefix }: VocabularyConfig['config']): Definition {
  const replacement = '\u2581';
  if (legacy === false) {
    const scheme = prefix === false ? 'never' : 'first';
    const metaspace = { type: 'Metaspace', replacement, prepend_scheme: scheme, split: false };
    return { normalizer: null, pre_tokenizer: metaspace, decoder: metaspace };
  }
  const spaces = { type: 'Replace', pattern: { String: ' ' }, content: replacement };
  const prepended = prefix === false ? [] : [{ type: 'Prepend', prepend: replacement }];
  return {
    normalizer: { type: 'Sequence', normalizers: [...prepended, spaces] },
    pre_tokenizer: null,
    decoder: { type: 'Replace', pattern: { String: replacement }, content: ' ' },
  };
}

/** T5's: the last one first. */
function extraIds({ extraIds: usual }: SpmFamily, { extra_ids: named = usual }: VocabularyConfig['config']): string[] {
  if (usual === undefined) return [];
  if (!Number.isInteger(named) || (named as number) < 0 || (named as number) > MAX_EXTRA_IDS) {
    throw new Error(`expected extra_ids from 0 to ${MAX_EXTRA_IDS}, got ${JSON.stringify(named)}`);
  }
  const count = named as number;
  return Array.from({ length: count }, (_, at) => `<extra_id_${count - 1 - at}>`);
}

const lines = (text: string): string[] => text.replace(/\r?\n$/, '').split(/\r?\n/);

function known<T>(table: Readonly<Record<string, T>>, { family, config }: VocabularyConfig, file: string): T {
  const type = familyOfType(family)?.tokenizer ?? family;
  const found = Object.hasOwn(table, type) ? table[type] : undefined;
  if (found !== undefined) return found;
  if (IN_PYTHON.includes(type))
    throw new Error(`${config.tokenizer_class ?? type} is written in Python, of which no tokenizer.json can be made`);
  const families = Object.keys(table).join(', ');
  throw new Error(`${file} alone says how to read it for ${families}, got ${family === '' ? 'no model_type' : family}`);
}

/** The names of the config, else those usual in the family. */
function namesOf(usual: SpecialNames, { config }: VocabularyConfig): SpecialNames {
  return Object.fromEntries(
    Object.entries(usual).map(([role, token]) => [role, contentOf(config[`${role}_token`]) ?? token]),
  );
}

/** Added tokens and the post-processor. Special tokens that the vocabulary lacks get the ids behind it. `spaced`: pieces hold spaces. */
function common(
  vocabulary: Vocabulary,
  names: SpecialNames,
  frame: Frame,
  { added, config }: VocabularyConfig,
  spaced: boolean,
  controls: readonly string[] = [],
): Definition {
  const ids = new Map([...vocabulary, ...Object.entries(added)]);
  const special = new Set([...Object.values(names), ...controls]);
  for (const token of special) if (!ids.has(token)) ids.set(token, Math.max(-1, ...ids.values()) + 1);
  const listed = [...new Set([...special, ...Object.keys(added)])].sort((a, b) => idOf(ids, a) - idOf(ids, b));
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: listed.map((content) => ({
      id: idOf(ids, content),
      content,
      single_word: false,
      // A mask takes the space before it, where spaces are a part of pieces.
      lstrip: content === names.mask && spaced,
      rstrip: false,
      normalized: false,
      special: special.has(content),
    })),
    post_processor: postProcessor(frame, names, ids, config),
  };
}

const idOf = (ids: Vocabulary, token: string): number => must(ids.get(token));

/** Special tokens round texts, as tokenizer.json writes them. */
export function postProcessor(
  frame: Frame,
  names: SpecialNames,
  ids: Vocabulary,
  config: VocabularyConfig['config'],
): object | null {
  if (frame === 'none') return null;
  const token = (role: keyof SpecialNames, type = 0) => ({
    SpecialToken: { id: names[role] as string, type_id: type },
  });
  const text = (id: string, type = 0) => ({ Sequence: { id, type_id: type } });
  const before = (type: number) => (config.add_bos_token === false ? [] : [token('bos', type)]);
  const behind = (type: number) => (config.add_eos_token === true ? [token('eos', type)] : []);
  const templates = {
    bert: {
      single: [token('cls'), text('A'), token('sep')],
      pair: [token('cls'), text('A'), token('sep'), text('B', 1), token('sep', 1)],
    },
    roberta: {
      single: [token('cls'), text('A'), token('sep')],
      pair: [token('cls'), text('A'), token('sep'), token('sep'), text('B'), token('sep')],
    },
    xlnet: {
      single: [text('A'), token('sep'), token('cls', 2)],
      pair: [text('A'), token('sep'), text('B', 1), token('sep', 1), token('cls', 2)],
    },
    t5: { single: [text('A'), token('eos')], pair: [text('A'), token('eos'), text('B'), token('eos')] },
    llama: {
      single: [...before(0), text('A'), ...behind(0)],
      pair: [...before(0), text('A'), ...behind(0), ...before(1), text('B', 1), ...behind(1)],
    },
  }[frame];
  const used = [...new Set(templates.pair.flatMap((part) => ('SpecialToken' in part ? [part.SpecialToken.id] : [])))];
  const entries = used.map((id) => [id, { id, ids: [idOf(ids, id)], tokens: [id] }]);
  return { type: 'TemplateProcessing', ...templates, special_tokens: Object.fromEntries(entries) };
}
