/** @file Hugging Face tokenizers (tokenizer.json): texts to ids, by @huggingface/tokenizers; truncation and spans are ours. */
import type { Token } from '../../core/classifier.js';
import { ModelError, messageOf, must } from '../../core/errors.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { sum } from '../../core/statistics/stats.js';
import type { SpecialIds } from '../opening/describe.js';
import { chunkEncoder, chunkTokens, isLocal } from './chunks.js';
import type { Encoded, Encoder, WindowedTokens } from './encoder.js';
import { readTokenizer } from './formats/read-tokenizer.js';
import { contentOf } from './formats/token-content.js';
import { type HfTokenizer, openTokenizer, spellingOf } from './hf-tokenizer.js';
import { spanFinder } from './spans.js';
import { longestFirst, readTemplates, type TemplatePart } from './template.js';

interface TokenizerLimits {
  /** Most ids per text, special ones included. */
  readonly maximum: number;
  /** Ids per text where the graph fixes it: shorter texts are filled up with `padId`. */
  readonly length: number | undefined;
  readonly padId: number;
  /** Ids of special tokens as config.json gives them. */
  readonly specialIds?: SpecialIds;
}

/**
 * The encoder of a model folder. The file's own truncation and padding are ignored: the former follows `maximum` and keeps
 * the closing special tokens, the latter is never needed. Throws ModelError (TOKENIZER_DAMAGED).
 */
export async function tokenizerEncoder(
  folder: string,
  { maximum, length, padId, specialIds = {} }: TokenizerLimits,
): Promise<Encoder> {
  const { definition, config, typed, path } = await readTokenizer(folder);
  const tokenizer = open(definition, config, path);
  const templates = guard(path, () =>
    readTemplates(definition.post_processor, (token) => tokenizer.token_to_id(token), typed),
  );
  const single = layoutOf(templates.single, maximum, path);
  const pair = templates.pair && layoutOf(templates.pair, maximum, path);
  const frame = new TokenFrame({
    path,
    length,
    padId,
    standIn: standInOf(tokenizer, config, specialIds),
    fromLeft: config.truncation_side === 'left',
    padsLeft: config.padding_side === 'left',
  });
  const whole = (text: string): readonly number[] => {
    const { ids } = guard(path, () => tokenizer.encode(text, { add_special_tokens: false }));
    if (ids.every(isId)) return ids;
    const wrong: number | undefined = ids.find((id) => !isId(id));
    if (wrong !== undefined) throw invalid(path, `it gives a part of a text the id ${wrong}`);
    throw invalid(path, 'it has no id for a part of a text, and no unknown token');
  };
  const idsOf = (enough: number): ((text: string) => ArrayLike<number>) =>
    isLocal(definition) ? chunkEncoder(whole, enough) : whole;
  const ids = idsOf(frame.fromLeft ? Number.POSITIVE_INFINITY : single.room);
  // As long as they are: `ids` stops where the rest would be cut off.
  const all = idsOf(Number.POSITIVE_INFINITY);
  const find = guard(path, () => spanFinder(tokenizer, spellingOf(definition.pre_tokenizer)));
  const spans = isLocal(definition) ? chunkTokens(find) : find;

  const layoutFor = (second: string | undefined): Layout => {
    if (second === undefined) return single;
    if (pair !== undefined) return pair;
    throw new ModelError(`${path}: expected a template for pairs of texts, found none`, {
      code: 'PAIRS_UNSUPPORTED',
      hint: 'Save the tokenizer of a model that was trained on pairs of texts.',
    });
  };

  return {
    kind: 'tokenizer',
    maximum,
    encode(text, second): Encoded {
      // The ids are a view that encoding the second text overwrites.
      const contents = second === undefined ? [ids(text)] : [Int32Array.from(ids(text)), ids(second)];
      return frame.encode(contents, layoutFor(second));
    },
    windows: {
      room: single.room,
      encode(text, starts) {
        const content = Int32Array.from(all(text));
        const window = (from: number) => frame.encode([content.subarray(from, from + single.room)], single);
        return starts(content.length).map(window);
      },
      tokens(text, starts) {
        const content = guard(path, () => spans(text));
        return { content, windows: starts(content.length).map((from) => frame.window(content, from, single)) };
      },
    },
    tokens(text, second) {
      const found = (second === undefined ? [text] : [text, second]).map((one) => guard(path, () => spans(one)));
      return frame.tokens(found, layoutFor(second));
    },
    ...continuesOf(tokenizer, definition),
    ...unknownShareOf(tokenizer, whole),
    tokenText: (id) => textOf(tokenizer, id),
    words: () => wordsOf(definition),
  };
}

interface TokenFrameOptions {
  readonly path: string;
  /** Ids per text where the graph fixes it. */
  readonly length: number | undefined;
  readonly padId: number;
  /** Token id that replaces a text without tokens. */
  readonly standIn: number | undefined;
  /** Texts that are too long lose their start. */
  readonly fromLeft: boolean;
  readonly padsLeft: boolean;
}

/** Input ids for the tokens of one or two texts: cut to the maximum length, with special tokens and padding. */
class TokenFrame {
  readonly #options: TokenFrameOptions;

  constructor(options: TokenFrameOptions) {
    this.#options = options;
  }

  get fromLeft(): boolean {
    return this.#options.fromLeft;
  }

  encode(contents: readonly ArrayLike<number>[], layout: Layout): Encoded {
    const { length, padId, padsLeft, fromLeft } = this.#options;
    const kept = keptOf(contents, layout);
    const used = layout.special + sum(kept);
    if (used === 0) return { ids: this.#emptyText(), truncated: false };
    const ids = new Int32Array(length ?? used);
    if (length !== undefined) ids.fill(padId);
    const types = layout.typed ? new Int32Array(ids.length) : undefined;
    let to = padsLeft ? ids.length - used : 0;
    for (const part of layout.parts) {
      const from = to;
      const own = 'ids' in part ? part.ids : must(contents[part.text]);
      const count = 'ids' in part ? own.length : kept[part.text]!;
      const skipped = fromLeft ? own.length - count : 0;
      for (let at = skipped; at < skipped + count; at++) ids[to++] = own[at]!;
      types?.fill(part.type, from, to);
    }
    const truncated = sum(contents.map((content) => content.length)) > layout.room;
    return { ids, truncated, types };
  }

  tokens(contents: readonly (readonly Token[])[], layout: Layout): Token[] {
    const { length, padId, padsLeft, fromLeft } = this.#options;
    const kept = keptOf(contents, layout);
    const tokens = framed(
      layout,
      contents.map((all, text) => (fromLeft ? all.slice(all.length - must(kept[text])) : all.slice(0, kept[text]))),
    );
    if (tokens.length === 0) {
      return Array.from(this.#emptyText(), (id): Token => ({ id, start: 0, end: 0, special: true }));
    }
    const { start = 0, second } = (padsLeft ? tokens[0] : tokens.at(-1)) ?? {};
    const pad: Token = { id: padId, start, end: start, special: true, ...(second && { second }) };
    const padding = new Array<Token>(Math.max(0, (length ?? 0) - tokens.length)).fill(pad);
    return padsLeft ? [...padding, ...tokens] : [...tokens, ...padding];
  }

  /** The tokens from `from` on, as many as there is room for. */
  window(content: readonly Token[], from: number, layout: Layout): WindowedTokens['windows'][number] {
    const own = content.slice(from, from + layout.room);
    const tokens = this.tokens([own], layout);
    const before = layout.parts.findIndex((part) => 'text' in part);
    const padding = this.#options.padsLeft ? tokens.length - own.length - layout.special : 0;
    const ahead = layout.parts.slice(0, before).reduce((n, part) => n + ('ids' in part ? part.ids.length : 0), 0);
    return { tokens, from, at: padding + ahead, count: own.length };
  }

  /** The ids of a text without any token: one token stands for it, since a graph takes at least one. */
  #emptyText(): Int32Array {
    const { path, length, padId, padsLeft, standIn } = this.#options;
    if (standIn === undefined) throw withoutTokens(path);
    const ids = new Int32Array(length ?? 1).fill(padId);
    ids[padsLeft ? ids.length - 1 : 0] = standIn;
    return ids;
  }
}

function open(definition: JsonObject, config: JsonObject, path: string): HfTokenizer {
  const vocabulary = isObject(definition.model) ? definition.model.vocab : undefined;
  if (isObject(vocabulary)) {
    const wrong = Object.entries(vocabulary).find(([, id]) => !Number.isInteger(id) || Number(id) < 0);
    if (wrong) throw invalid(path, `expected an id for every token, got ${JSON.stringify(wrong[1])} for "${wrong[0]}"`);
  }
  return guard(path, () => openTokenizer(definition, config));
}

/** The token that represents an empty text: padding, as in transformers' batches, otherwise the first known one. */
function standInOf(tokenizer: HfTokenizer, config: JsonObject, specialIds: SpecialIds): number | undefined {
  const named = (token: unknown): number | undefined => {
    const content = contentOf(token);
    return content === undefined ? undefined : tokenizer.token_to_id(content);
  };
  const ids = (['pad', 'eos', 'bos'] as const).flatMap((role) => [named(config[`${role}_token`]), specialIds[role]]);
  return [...ids, tokenizer.model.unk_token_id].find((id) => isId(id) && tokenizer.id_to_token(id) !== undefined);
}

/** The library trusts its files: whatever it throws is the file's fault. */
function guard<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw invalid(path, messageOf(cause), cause);
  }
}

/** A template, and what it leaves to the texts. */
interface Layout {
  readonly parts: readonly TemplatePart[];
  /** Special tokens. */
  readonly special: number;
  /** Most tokens of the texts. */
  readonly room: number;
  /** Some token's type is not 0. */
  readonly typed: boolean;
}

/** Throws ModelError (TOKENIZER_DAMAGED) where the model's maximum leaves no room. */
function layoutOf(parts: readonly TemplatePart[], maximum: number, path: string): Layout {
  const special = sum(parts.map((part) => ('ids' in part ? part.ids.length : 0)));
  const room = maximum - special;
  if (room < 1) throw invalid(path, `the model takes ${maximum} tokens, of which ${special} are special`);
  return { parts, special, room, typed: parts.some(({ type }) => type !== 0) };
}

/** Tokens kept of each text. */
function keptOf(contents: readonly { readonly length: number }[], { room, special }: Layout): number[] {
  const [first = 0, second] = contents.map((content) => content.length);
  if (second === undefined) return [Math.min(first, room)];
  return first + second <= room ? [first, second] : longestFirst(first, second, room, room + special);
}

/** Tokens of the texts with special tokens, which are positioned at the end of the preceding token, or at the first token's start. */
function framed({ parts }: Layout, contents: readonly (readonly Token[])[]): Token[] {
  let place = { at: contents[0]?.[0]?.start ?? 0, second: false };
  return parts.flatMap((part) => {
    const typed = part.type === 0 ? {} : { type: part.type };
    const of = (second: boolean) => ({ ...typed, ...(second && { second }) });
    if ('ids' in part) {
      const { at, second } = place;
      return part.ids.map((id): Token => ({ id, start: at, end: at, special: true, ...of(second) }));
    }
    const content = must(contents[part.text]);
    const second = part.text === 1;
    place = { at: content.at(-1)?.end ?? 0, second };
    if (part.type === 0 && !second) return content;
    return content.map((token): Token => ({ ...token, ...of(second) }));
  });
}

/** A row of an embedding table: what fits the int32 that ids are kept in. */
const isId = (id: number | undefined): id is number => id !== undefined && id >= 0 && (id | 0) === id;

/** Byte-level and SentencePiece vocabularies mark what begins a word, WordPiece what goes on; others mark neither. */
function wordsOf({ model }: JsonObject): string[] {
  const { vocab, continuing_subword_prefix: inner } = isObject(model) ? model : {};
  const entries: [string, number][] = Array.isArray(vocab)
    ? vocab.map((entry, id) => [String((entry as unknown[])[0]), id])
    : Object.entries((vocab ?? {}) as Record<string, number>).sort(([, a], [, b]) => a - b);
  const marked = entries.some(([piece]) => /^[\u0120\u2581]./.test(piece));
  return entries.flatMap(([piece]) => {
    if (marked) return /^[\u0120\u2581]./.test(piece) ? [piece.slice(1)] : [];
    return typeof inner === 'string' && inner !== '' && piece.startsWith(inner) ? [] : [piece];
  });
}

function continuesOf(tokenizer: HfTokenizer, { model }: JsonObject): Pick<Encoder, 'continues'> {
  const prefix = isObject(model) ? model.continuing_subword_prefix : undefined;
  if (typeof prefix !== 'string' || prefix === '') return {};
  return { continues: (id) => tokenizer.id_to_token(id)?.startsWith(prefix) ?? false };
}

function unknownShareOf(
  tokenizer: HfTokenizer,
  whole: (text: string) => readonly number[],
): Pick<Encoder, 'unknownShare'> {
  const unknown = tokenizer.model.unk_token;
  const id = unknown === undefined ? undefined : tokenizer.token_to_id(unknown);
  if (id === undefined) return {};
  return {
    unknownShare(text) {
      const ids = whole(text);
      return ids.length === 0 ? 0 : ids.filter((each) => each === id).length / ids.length;
    },
  };
}

function textOf(tokenizer: HfTokenizer, id: number): string | undefined {
  const token = tokenizer.id_to_token(id);
  if (token === undefined || tokenizer.get_added_tokens_decoder().get(id)?.special) return undefined;
  return tokenizer.decode([id], { clean_up_tokenization_spaces: false });
}

const withoutTokens = (path: string): ModelError =>
  new ModelError(`${path}: expected a text with at least one token, got one without any`, {
    code: 'TEXT_UNSUPPORTED',
    hint: 'Leave the text out, or name a pad_token in tokenizer_config.json: it then represents such texts.',
  });

function invalid(path: string, what: string, cause?: unknown): ModelError {
  return new ModelError(`${path}: not a tokenizer that can be used: ${what}`, {
    code: 'TOKENIZER_DAMAGED',
    hint: 'Save the tokenizer again with save_pretrained from a current transformers release.',
    cause,
  });
}
