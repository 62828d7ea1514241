/**
 * @file The merges of a BPE model of SentencePiece, which keeps pieces and scores alone: every way to cut a piece into two others, best
 * piece first, by the rules of generate_merges in transformers' convert_slow_tokenizer.py.
 */

/** The longest piece, in characters. SentencePiece's default is 16, and the time for a piece grows with the square of its length. */
const MAX_PIECE = 512;

interface Merge {
  readonly pair: readonly [left: string, right: string];
  readonly score: number;
  /** Characters of the left part, then of the right. */
  readonly lengths: readonly [number, number];
}

/** Throws Error for a piece of a length that no training makes. */
export function mergesOf(
  vocabulary: readonly (readonly [piece: string, score: number])[],
): (readonly [string, string])[] {
  const ids = new Map(vocabulary.map(([piece], id) => [piece, id]));
  const scores = new Map(vocabulary);
  const all: Merge[] = [];
  for (const [piece, score] of scores) {
    const characters = Array.from(piece);
    if (characters.length > MAX_PIECE) {
      throw new Error(`expected pieces of at most ${MAX_PIECE} characters, got one of ${characters.length}`);
    }
    const own: Merge[] = [];
    let left = '';
    for (let at = 1; at < characters.length; at++) {
      left += characters[at - 1];
      const right = piece.slice(left.length);
      if (ids.has(left) && ids.has(right)) {
        own.push({ pair: [left, right], score, lengths: [at, characters.length - at] });
      }
    }
    const id = (part: string) => ids.get(part)!;
    all.push(...own.sort((a, b) => id(a.pair[0]) - id(b.pair[0]) || id(a.pair[1]) - id(b.pair[1])));
  }
  // The sort is stable: what is equal in all three stays in the order of the vocabulary.
  all.sort((a, b) => b.score - a.score || b.lengths[0] - a.lengths[0] || b.lengths[1] - a.lengths[1]);
  return all.map(({ pair }) => pair);
}
