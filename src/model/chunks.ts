/**
 * @file Encoding at the price of what changed. BERT's normaliser and pre-tokeniser never look across a space, so that a text's
 * ids are its space-separated chunks' ids in a row, and an attack that changes one word pays for that word only.
 */

/** Chunks kept; beyond it the oldest half is forgotten. */
const CAPACITY = 50_000;
/** Longer chunks are rare and would fill the memory. */
const LONGEST = 64;

type Component = { readonly type?: unknown } | null | undefined;

/** Is this tokenizer.json known to treat chunks between spaces independently? */
export function isLocal(definition: Record<string, unknown>, config: Record<string, unknown>): boolean {
  const kind = (part: unknown): unknown => (part as Component)?.type;
  const added = Array.isArray(definition.added_tokens) ? definition.added_tokens : [];
  return (
    (definition.normalizer == null || kind(definition.normalizer) === 'BertNormalizer') &&
    kind(definition.pre_tokenizer) === 'BertPreTokenizer' &&
    kind(definition.model) === 'WordPiece' &&
    // Options of old tokenizers that the library applies to the text as a whole.
    !config.remove_space &&
    !config.do_lowercase_and_remove_accent &&
    !(definition.model as { fuse_unk?: boolean }).fuse_unk &&
    added.every((token) => !/\s/.test(String(token?.content ?? ' ')) && token?.normalized === false)
  );
}

/** `whole` applied chunk by chunk, each remembered; stops once more than `enough` ids are there. */
export function chunkEncoder(
  whole: (text: string) => readonly number[],
  enough: number,
): (text: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  const chunkIds = (chunk: string): readonly number[] => {
    let ids = known.get(chunk);
    if (ids === undefined) {
      ids = whole(chunk);
      if (chunk.length <= LONGEST) known.set(chunk, ids);
      if (known.size > CAPACITY) forgetHalf(known);
    }
    return ids;
  };
  return (text) => {
    const all: number[] = [];
    for (const chunk of text.split(' ')) {
      if (chunk === '') continue;
      const ids = chunkIds(chunk);
      for (let at = 0; at < ids.length; at++) all.push(ids[at] as number);
      if (all.length > enough) break;
    }
    return all;
  };
}

function forgetHalf(known: Map<string, unknown>): void {
  let excess = known.size >> 1;
  for (const key of known.keys()) {
    if (excess-- <= 0) break;
    known.delete(key);
  }
}
