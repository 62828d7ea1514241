/** @file @huggingface/tokenizers as we use it: its own type declarations do not resolve under NodeNext. */
import { Tokenizer } from '@huggingface/tokenizers';
import { defined } from '../../core/defined.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { CLASS } from './formats/reference-classes.js';
import {
  type Cut,
  type Normalise,
  referenceCut,
  referenceNormaliser,
  type WrittenStep,
} from './formats/reference-steps.js';
import { linearPattern } from './linear-pattern.js';
import { BYTE_CHARACTERS, type Spelling } from './locate-word.js';

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  /** It is looked for in the normalised text, not in the raw one. */
  readonly normalized: boolean;
  /** It swallows the spaces before it, or after it. */
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** It is looked for as a word of its own. */
  readonly single_word: boolean;
}

export interface Normalizer {
  readonly config: { readonly type?: string; readonly content?: string | null };
  /** The parts of a Sequence. */
  readonly normalizers?: readonly (Normalizer | null)[];
  /** Pattern of a Replace. */
  readonly pattern?: RegExp | null;
  normalize(text: string): string;
}

interface PieceModel {
  /** Pre-tokens to pieces. */
  (words: readonly string[]): string[];
  _call(words: readonly string[]): string[];
  readonly fuse_unk: boolean;
  /** Method of BPE: a word to pieces. */
  bpe?(word: string): string[];
  readonly merges?: readonly (readonly [string, string])[];
  /** Pieces before unknown ones are joined. */
  encode(words: readonly string[]): string[];
  readonly config: { readonly continuing_subword_prefix?: string | null; readonly byte_fallback?: boolean };
  readonly tokens_to_ids?: ReadonlyMap<string, number>;
  readonly max_input_chars_per_word?: number;
  readonly unk_token?: string;
  readonly unk_token_id?: number;
  readonly end_of_word_suffix?: string;
}

export interface HfTokenizer {
  readonly normalizer: Normalizer | null;
  readonly pre_tokenizer: { pre_tokenize(text: string, options: { section_index: number }): string[] } | null;
  readonly model: PieceModel;
  readonly splitter_unnormalized: { split(text: string): string[] };
  readonly splitter_normalized: { split(text: string): string[] };
  encode(text: string, options: { add_special_tokens: boolean }): { ids: (number | undefined)[] };
  decode(ids: number[], options: { clean_up_tokenization_spaces: boolean }): string;
  token_to_id(token: string): number | undefined;
  id_to_token(id: number): string | undefined;
  get_added_tokens_decoder(): Map<number, AddedToken>;
}

/** Throws whatever the library throws where a part of the definition is missing or unknown to it. */
export function openTokenizer(definition: JsonObject, config: JsonObject): HfTokenizer {
  const model = definition.model;
  // WordLevel models keep their unknown token in tokenizer.json, the library looks for it in tokenizer_config.json.
  const { unk_token: unknown, type } = isObject(model) ? model : {};
  const tokenizer = new LinearTokenizer(
    {
      added_tokens: [],
      decoder: null,
      ...definition,
      normalizer: inKnownSteps(definition.normalizer),
      // Special tokens are added separately: see template.ts.
      post_processor: null,
      pre_tokenizer: inKnownSteps(definition.pre_tokenizer),
    },
    { ...defined({ unk_token: unknown }), ...config, ...NOT_OF_THE_FILE },
  ) as HfTokenizer;
  if (type === 'Unigram') spellBytes(tokenizer);
  if (type === 'WordPiece') sliceWords(tokenizer);
  if (type === 'BPE') mergeAsWritten(tokenizer);
  fuseInWords(tokenizer);
  aloneOnly(tokenizer);
  if (JSON.stringify(definition.normalizer ?? null).includes('"strip_left":true')) unspacedFirst(tokenizer);
  return tokenizer;
}

/** A step that the library does not know, spelt in those that it knows. Throws Error for one that cannot be. */
function inKnownSteps(step: unknown): unknown {
  if (!isObject(step)) return null;
  const parts = (['normalizers', 'pretokenizers'] as const).flatMap((key) => (Array.isArray(step[key]) ? [key] : []));
  const [key] = parts;
  if (key !== undefined) return { ...step, [key]: (step[key] as unknown[]).map(inKnownSteps) };
  if (step.type === 'Nmt') return { type: 'Sequence', normalizers: NMT };
  if (step.type === 'CharDelimiterSplit')
    return { type: 'Split', pattern: { String: step.delimiter }, behavior: 'Removed', invert: false };
  if (step.type === 'UnicodeScripts')
    throw new Error('its step UnicodeScripts is not supported: serve the model where its own code runs');
  return step;
}

/** What SentencePiece's rules for translation drop, and what they take for a space. */
const NMT = [
  ['[\\x01-\\x08\\x0B\\x0E-\\x1F\\x7F\\x8F\\x9F]', ''],
  ['[\\x09\\x0A\\x0C\\x0D\u1680\u200B-\u200F\u2028\u2029\u2581\uFEFF\uFFFD]', ' '],
].map(([Regex, content]) => ({ type: 'Replace', pattern: { Regex }, content }));

/** Options of slow tokenizers, which the reference does not read beside a tokenizer.json. */
const NOT_OF_THE_FILE = { remove_space: false, do_lowercase_and_remove_accent: false };

/** Unknown pieces are joined within a word; the library joins them over the words of a text. */
function fuseInWords({ model }: HfTokenizer): void {
  const join = model._call.bind(model);
  if (model.fuse_unk) model._call = (words) => words.flatMap((word) => join([word]));
}

/**
 * Merges in words where a piece that goes on has a prefix, or where a character may be lost: the reference drops what it has no token for before
 * it merges, the library behind that, and it knows no prefix. `merges`: best first.
 */
function mergeAsWritten({ model }: HfTokenizer): void {
  const { tokens_to_ids: ids, end_of_word_suffix: suffix, merges = [], unk_token: unknown } = model;
  const { continuing_subword_prefix: prefix } = model.config;
  const inBytes = BYTE_CHARACTERS.every((byte) => ids?.has(byte));
  if (ids === undefined || (!prefix && (unknown != null || inBytes))) return;
  const ranks = new Map(merges.map((pair, rank) => [pair.join('\n'), rank]));
  const known = (piece: string): boolean =>
    ids.has(piece) ||
    unknown != null ||
    (model.config.byte_fallback === true && bytesOf(piece).every((byte) => ids.has(byte)));
  model.bpe = (word) => {
    const characters = Array.from(word);
    const last = characters.length - 1;
    const pieces = characters
      .map((character, at) => (at > 0 ? (prefix ?? '') : '') + character + (at === last ? (suffix ?? '') : ''))
      .filter(known);
    for (;;) {
      let [best, place] = [Number.POSITIVE_INFINITY, -1];
      for (let at = 1; at < pieces.length; at++) {
        const rank = ranks.get(`${pieces[at - 1]}\n${pieces[at]}`) ?? Number.POSITIVE_INFINITY;
        if (rank < best) [best, place] = [rank, at];
      }
      if (place < 0) return pieces;
      pieces.splice(place - 1, 2, pieces[place - 1] + pieces[place]!.slice(prefix?.length ?? 0));
    }
  };
}

const WORD_BEFORE = new RegExp(`${CLASS.word}$`, 'v');
const WORD_BEHIND = new RegExp(`^${CLASS.word}`, 'v');

/** Whether an added token may stand at [start, end) of a text: some do only as words of their own. */
export const mayStand = ({ single_word: single }: AddedToken, text: string, start: number, end: number): boolean =>
  !(
    single &&
    (WORD_BEFORE.test(text.slice(Math.max(0, start - 2), start)) || WORD_BEHIND.test(text.slice(end, end + 2)))
  );

/** Added tokens that are no words of their own are text, which the library overlooks. */
function aloneOnly(tokenizer: HfTokenizer): void {
  const added = new Map([...tokenizer.get_added_tokens_decoder().values()].map((token) => [token.content, token]));
  if (![...added.values()].some((token) => token.single_word)) return;
  for (const splitter of [tokenizer.splitter_unnormalized, tokenizer.splitter_normalized]) {
    const split = splitter.split.bind(splitter);
    splitter.split = (text) => {
      const parts: { text: string; plain: boolean }[] = [];
      let at = 0;
      for (const part of split(text)) {
        const token = added.get(part);
        const plain = token === undefined || !mayStand(token, text, at, at + part.length);
        const before = parts.at(-1);
        if (plain && before?.plain) before.text += part;
        else parts.push({ text: part, plain });
        at += part.length;
      }
      return parts.map((part) => part.text);
    };
  }
}

/** A text that a step takes spaces off begins behind its start, so that nothing is put before its first word. */
function unspacedFirst(tokenizer: HfTokenizer): void {
  const { pre_tokenizer: cutter } = tokenizer;
  if (cutter === null) return;
  const [encode, cut] = [tokenizer.encode.bind(tokenizer), cutter.pre_tokenize.bind(cutter)];
  let moved = false;
  tokenizer.encode = (text, options) => {
    moved = SPACE_FIRST.test(text);
    return encode(text, options);
  };
  cutter.pre_tokenize = (text, { section_index: section }) => cut(text, { section_index: section + Number(moved) });
}

const SPACE_FIRST = new RegExp(`^${CLASS.space}`, 'v');

/** A byte as a piece. */
export const BYTE_PIECE = /^<0x[0-9A-F]{2}>$/;

const bytesOf = (piece: string): string[] =>
  Array.from(Buffer.from(piece), (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);

/** Unigram models may spell what they do not know in bytes, which the library leaves unknown. */
function spellBytes(tokenizer: HfTokenizer): void {
  const { model } = tokenizer;
  if (model.config.byte_fallback !== true) return;
  const pieces = model.encode.bind(model);
  const known = (piece: string) => tokenizer.token_to_id(piece) !== undefined;
  model.encode = (words) =>
    pieces(words).flatMap((piece) => {
      if (known(piece)) return [piece];
      const bytes = bytesOf(piece);
      return bytes.every(known) ? bytes : [piece];
    });
}

/**
 * Finds WordPiece's longest pieces by slices of the word; the library joins an array of characters for every end that it tries, a tenth
 * of what the searching thread of an attack did. Words of surrogates or beyond the limit are the library's.
 */
function sliceWords({ model }: HfTokenizer): void {
  const { tokens_to_ids: known, unk_token: unknown, max_input_chars_per_word: most = 0 } = model;
  const prefix = model.config.continuing_subword_prefix;
  if (known === undefined || unknown === undefined || typeof prefix !== 'string') return;
  const longest = Array.from(known.keys()).reduce((length, piece) => Math.max(length, piece.length), 0);
  const piecesOf = (word: string): string[] => {
    const pieces: string[] = [];
    for (let start = 0; start < word.length; ) {
      const before = start > 0 ? prefix : '';
      let end = Math.min(word.length, start + longest - before.length);
      let piece = before + word.slice(start, end);
      while (end > start && !known.has(piece)) piece = before + word.slice(start, --end);
      if (end <= start) return [unknown];
      pieces.push(piece);
      start = end;
    }
    return pieces;
  };
  const library = model.encode.bind(model);
  model.encode = (words) =>
    words.flatMap((word) => (word.length > most || /[\ud800-\udfff]/.test(word) ? library([word]) : piecesOf(word)));
}

/** The steps that may hold patterns of the file. */
const STEPS = ['normalizer', 'pre_tokenizer', 'decoder'] as const;

/** The library's tokenizer with its file's patterns matched in linear time, and its steps done as the reference does them, already while it makes its tables. */
class LinearTokenizer extends (Tokenizer as new (definition: object, config: object) => object) {
  static {
    for (const name of STEPS) {
      Object.defineProperty(LinearTokenizer.prototype, name, {
        set(this: { readonly tokenizer: JsonObject }, step: unknown) {
          mend(step, this.tokenizer[name]);
          Object.defineProperty(this, name, { value: step, writable: true, enumerable: true });
        },
      });
    }
  }
}

/**
 * Mends a step and those it is made of: each pattern that the file wrote is replaced (the library has translated it from Oniguruma's
 * dialect), and so is what the library does otherwise than the reference. `written`: the step in the file.
 */
function mend(step: unknown, written: unknown): void {
  if (!isPart<Step>(step) || !isPart<Written>(written)) return;
  checkWritten(written);
  if (step.pattern && written.pattern?.Regex !== undefined)
    step.pattern = linearPattern(step.pattern.source, CLASS.unassigned);
  const normalise = step.normalize && referenceNormaliser(written);
  if (normalise) step.normalize = normalise;
  const cut = step.pre_tokenize_text && referenceCut(written, step);
  if (cut) step.pre_tokenize_text = cut;
  const parts = [
    [step.normalizers, written.normalizers],
    [step.tokenizers, written.pretokenizers],
    [step.decoders, written.decoders],
  ] as const;
  for (const [made, all] of parts) for (const [at, part] of made?.entries() ?? []) mend(part, all?.[at]);
}

/** Maximum replacement length in characters, because a step may replace each character of a text. */
const MAX_CONTENT_CHARACTERS = 256;

/** Throws for a text that would blow up what it is written into. */
function checkWritten({ replacement, content }: Written): void {
  if (replacement !== undefined && [...String(replacement)].length !== 1) {
    throw new Error(`expected one character as the replacement of a space, got ${[...String(replacement)].length}`);
  }
  if (typeof content === 'string' && content.length > MAX_CONTENT_CHARACTERS) {
    throw new Error(`expected a step to write at most ${MAX_CONTENT_CHARACTERS} characters, got ${content.length}`);
  }
}

/** A step as tokenizer.json writes it. */
interface Written extends WrittenStep {
  readonly pattern?: { readonly Regex?: string };
  readonly content?: unknown;
  readonly normalizers?: readonly unknown[];
  readonly pretokenizers?: readonly unknown[];
  readonly decoders?: readonly unknown[];
}

/** A step as the library has it. */
interface Step {
  /** Method of a normaliser. */
  normalize?: Normalise;
  /** Method of a pre-tokeniser. */
  pre_tokenize_text?: Cut;
  pattern?: RegExp | null;
  /** The parts of a sequence. */
  readonly normalizers?: readonly unknown[];
  readonly tokenizers?: readonly unknown[];
  readonly decoders?: readonly unknown[];
}

const isPart = <T extends object>(value: unknown): value is T =>
  (typeof value === 'object' || typeof value === 'function') && value !== null;

/** How the pre-tokeniser of a tokenizer.json spells words: in bytes (GPT-2, RoBERTa), with visible spaces (SentencePiece), or as they stand. */
export function spellingOf(preTokenizer: unknown): Spelling {
  if (!isPart<Written>(preTokenizer)) return 'plain';
  const { type, pretokenizers = [] } = preTokenizer;
  if (type === 'ByteLevel') return 'bytes';
  if (type === 'Metaspace') return 'spaces';
  const spellings = Array.isArray(pretokenizers) ? pretokenizers.map(spellingOf) : [];
  return spellings.find((spelling) => spelling !== 'plain') ?? 'plain';
}
