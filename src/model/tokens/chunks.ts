/**
 * @file Encoding at the price of what changed. BERT's normaliser and pre-tokeniser never look across a space, so that a text's
 * ids are its space-separated chunks' ids in a row, and an attack that changes one word pays for that word only.
 */
import type { Token } from '../../core/classifier.js';
import { isObject, type JsonObject } from '../../core/json.js';
import { RecentMap } from '../../core/recent-map.js';

/** Chunks remembered. */
const CACHED_CHUNKS = 20_000;
/** Longer chunks are rare and would fill the memory. */
const MAX_CHUNK_CHARACTERS = 64;

/** Is this tokenizer.json known to treat chunks between spaces independently? */
export function isLocal(definition: JsonObject): boolean {
  const { normalizer, pre_tokenizer: cutter, model } = definition;
  const added = Array.isArray(definition.added_tokens) ? definition.added_tokens : [];
  const is = (part: unknown, type: string): part is JsonObject => isObject(part) && part.type === type;
  return (
    (normalizer == null || is(normalizer, 'BertNormalizer')) &&
    is(cutter, 'BertPreTokenizer') &&
    is(model, 'WordPiece') &&
    !model.fuse_unk &&
    added.every((token) => !/\s/.test(String(token?.content ?? ' ')) && token?.normalized === false)
  );
}

/**
 * `whole` applied chunk by chunk, each remembered; stops once more than `enough` ids are there. The ids are a view that the
 * next call overwrites.
 */
export function chunkEncoder(whole: (text: string) => readonly number[], enough: number): (text: string) => Int32Array {
  const known = new RecentMap<readonly number[]>(CACHED_CHUNKS, CACHED_CHUNKS * MAX_CHUNK_CHARACTERS);
  const chunkIds = (chunk: string): readonly number[] => {
    let ids = known.get(chunk);
    if (ids === undefined) {
      ids = whole(chunk);
      if (chunk.length <= MAX_CHUNK_CHARACTERS) known.set(chunk, ids);
    }
    return ids;
  };
  let view = new Int32Array(512);
  return (text) => {
    let count = 0;
    for (let from = 0; from < text.length && count <= enough; ) {
      const space = text.indexOf(' ', from);
      const to = space < 0 ? text.length : space;
      const ids = to > from ? chunkIds(text.slice(from, to)) : [];
      if (count + ids.length > view.length) view = grow(view, count + ids.length);
      for (let at = 0; at < ids.length; at++) view[count++] = ids[at]!;
      from = to + 1;
    }
    return view.subarray(0, count);
  };
}

/** `whole` applied chunk by chunk, each remembered: the tokens of a text with their places in it. */
export function chunkTokens(whole: (text: string) => readonly Token[]): (text: string) => Token[] {
  const known = new RecentMap<readonly Token[]>(CACHED_CHUNKS, CACHED_CHUNKS * MAX_CHUNK_CHARACTERS);
  const tokensOf = (chunk: string): readonly Token[] => {
    let tokens = known.get(chunk);
    if (tokens === undefined) {
      tokens = whole(chunk);
      if (chunk.length <= MAX_CHUNK_CHARACTERS) known.set(chunk, tokens);
    }
    return tokens;
  };
  return (text) => {
    const found: Token[] = [];
    for (let from = 0; from < text.length; ) {
      const space = text.indexOf(' ', from);
      const to = space < 0 ? text.length : space;
      if (to > from)
        for (const { id, start, end, special } of tokensOf(text.slice(from, to)))
          found.push({ id, start: start + from, end: end + from, special });
      from = to + 1;
    }
    return found;
  };
}

function grow(view: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * least);
  larger.set(view);
  return larger;
}
