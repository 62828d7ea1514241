/** @file @huggingface/tokenizers as we use it: its own type declarations do not resolve under NodeNext. */
import { Tokenizer } from '@huggingface/tokenizers';
import { charsmap } from './charsmap.js';
import { linearPattern } from './linear-pattern.js';

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  /** It is looked for in the normalised text, not in the raw one. */
  readonly normalized: boolean;
  /** It swallows the spaces before it, or after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
}

export interface Normalizer {
  readonly config: { readonly type?: string; readonly content?: string | null };
  /** Of a Sequence. */
  readonly normalizers?: readonly (Normalizer | null)[];
  /** Of a Replace. */
  readonly pattern?: RegExp | null;
  normalize(text: string): string;
}

interface PieceModel {
  /** Pre-tokens to pieces. */
  (words: readonly string[]): string[];
  /** Pieces before unknown ones are joined. */
  encode(words: readonly string[]): string[];
  readonly config: { readonly continuing_subword_prefix?: string | null; readonly byte_fallback?: boolean };
  readonly unk_token?: string;
  readonly unk_token_id?: number;
  readonly end_of_word_suffix?: string;
}

export interface HfTokenizer {
  readonly normalizer: Normalizer | null;
  readonly pre_tokenizer: { pre_tokenize(text: string, options: { section_index: number }): string[] } | null;
  readonly model: PieceModel;
  encode(text: string, options: { add_special_tokens: boolean }): { ids: (number | undefined)[] };
  decode(ids: number[], options: { clean_up_tokenization_spaces: boolean }): string;
  token_to_id(token: string): number | undefined;
  id_to_token(id: number): string | undefined;
  get_added_tokens_decoder(): Map<number, AddedToken>;
}

/** Throws whatever the library throws where a part of the definition is missing or unknown to it. */
export function openTokenizer(definition: Record<string, unknown>, config: Record<string, unknown>): HfTokenizer {
  const model = definition.model;
  // WordLevel models keep their unknown token in tokenizer.json, the library looks for it in tokenizer_config.json.
  const unknown = typeof model === 'object' && model !== null && 'unk_token' in model ? model.unk_token : undefined;
  const tokenizer = new LinearTokenizer(
    {
      added_tokens: [],
      normalizer: null,
      decoder: null,
      ...definition,
      // What it adds is ours to add: see template.ts.
      post_processor: null,
      pre_tokenizer: unicodeWhitespace(definition.pre_tokenizer ?? null),
    },
    { ...(unknown === undefined ? {} : { unk_token: unknown }), ...config },
  ) as HfTokenizer;
  if ((model as { type?: unknown } | undefined)?.type === 'Unigram') spellBytes(tokenizer);
  return tokenizer;
}

/** A byte as a piece. */
export const BYTE_PIECE = /^<0x[0-9A-F]{2}>$/;

/** Unigram models may spell what they do not know in bytes, which the library leaves unknown. */
function spellBytes(tokenizer: HfTokenizer): void {
  const { model } = tokenizer;
  if (model.config.byte_fallback !== true) return;
  const pieces = model.encode.bind(model);
  const known = (piece: string) => tokenizer.token_to_id(piece) !== undefined;
  model.encode = (words) =>
    pieces(words).flatMap((piece) => {
      if (known(piece)) return [piece];
      const bytes = Array.from(Buffer.from(piece), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
      return bytes.every(known) ? bytes : [piece];
    });
}

/** The steps that may hold patterns of the file. */
const STEPS = ['normalizer', 'pre_tokenizer', 'decoder'] as const;

/** The library's tokenizer with its file's patterns matched in linear time, already while it makes its tables. */
class LinearTokenizer extends (Tokenizer as new (definition: object, config: object) => object) {
  static {
    for (const name of STEPS) {
      Object.defineProperty(LinearTokenizer.prototype, name, {
        set(step: unknown) {
          Object.defineProperty(this, name, { value: linear(step), writable: true, enumerable: true });
        },
      });
    }
  }
}

/** A step and those it is made of, each pattern that the file wrote replaced. The library has translated it from Oniguruma's dialect. */
function linear(step: unknown): unknown {
  if (Array.isArray(step)) step.forEach(linear);
  else if (isStep(step)) {
    checkWritten(step);
    const written = step.config?.pattern?.Regex;
    if (step.config?.type === 'Precompiled') step.normalize = charsmap(String(step.config.precompiled_charsmap ?? ''));
    if (step.pattern && written !== undefined && written !== WORDS) step.pattern = linearPattern(step.pattern.source);
    for (const parts of [step.normalizers, step.tokenizers, step.decoders]) linear(parts);
  }
  return step;
}

/** Characters that may stand for what a step replaces: it may replace each of a text. */
const MAX_CONTENT_CHARACTERS = 256;

/** Throws for a text that would blow up what it is written into. */
function checkWritten({ config: { replacement, content } = {} }: Step): void {
  if (replacement !== undefined && [...String(replacement)].length !== 1) {
    throw new Error(`expected one character as the replacement of a space, got ${[...String(replacement)].length}`);
  }
  if (typeof content === 'string' && content.length > MAX_CONTENT_CHARACTERS) {
    throw new Error(`expected a step to write at most ${MAX_CONTENT_CHARACTERS} characters, got ${content.length}`);
  }
}

interface Step {
  readonly config?: {
    readonly pattern?: { readonly Regex?: string };
    readonly replacement?: unknown;
    readonly content?: unknown;
    readonly type?: unknown;
    readonly precompiled_charsmap?: unknown;
  };
  /** Of a normaliser. */
  normalize?: (text: string) => string;
  pattern?: RegExp | null;
  /** Of a sequence. */
  readonly normalizers?: unknown;
  readonly tokenizers?: unknown;
  readonly decoders?: unknown;
}

const isStep = (value: unknown): value is Step =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;

/** Whitespace as the format's documentation gives it: words, or what stands between them. */
const WORDS = '\\w+|[^\\w\\s]+';

/**
 * The library's Whitespace pre-tokeniser takes "é" for no letter; its Split knows better, and with the pattern the format's
 * documentation gives for Whitespace it cuts as the reference does.
 */
function unicodeWhitespace(preTokenizer: unknown): unknown {
  if (typeof preTokenizer !== 'object' || preTokenizer === null) return preTokenizer;
  const { type, pretokenizers } = preTokenizer as { type?: unknown; pretokenizers?: unknown };
  if (type === 'Whitespace') {
    return { type: 'Split', pattern: { Regex: WORDS }, behavior: 'Removed', invert: true };
  }
  return Array.isArray(pretokenizers)
    ? { ...preTokenizer, pretokenizers: pretokenizers.map(unicodeWhitespace) }
    : preTokenizer;
}

/** Does any pre-tokeniser of this tokenizer.json turn text into bytes (GPT-2, RoBERTa)? */
export function isByteLevel(preTokenizer: unknown): boolean {
  if (typeof preTokenizer !== 'object' || preTokenizer === null) return false;
  const { type, pretokenizers } = preTokenizer as { type?: unknown; pretokenizers?: unknown };
  return type === 'ByteLevel' || (Array.isArray(pretokenizers) && pretokenizers.some(isByteLevel));
}
