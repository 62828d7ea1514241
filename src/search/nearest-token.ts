/** @file Back from embeddings to text: each moved row becomes the vocabulary entry nearest to it. */
import type { WhiteBox } from '../core/classifier.js';
import type { EmbeddedText } from './embedding.js';

/** Squared norms of a table's rows, and for each row asked so far the distance to its nearest neighbour. */
interface TableDistances {
  readonly squares: Float32Array;
  readonly gaps: Map<number, number>;
}

const geometries = new WeakMap<Float32Array, TableDistances>();

function geometry(table: Float32Array, hidden: number): TableDistances {
  let known = geometries.get(table);
  if (known === undefined) {
    const squares = new Float32Array(table.length / hidden);
    for (let row = 0; row < squares.length; row++) {
      let square = 0;
      for (let k = row * hidden; k < (row + 1) * hidden; k++) square += (table[k] as number) ** 2;
      squares[row] = square;
    }
    known = { squares, gaps: new Map() };
    geometries.set(table, known);
  }
  return known;
}

/**
 * The text whose tokens are those nearest (L2) to the moved rows, special tokens and unmoved ones left alone. Equal
 * distances go to the lower id. O(tokens * vocabulary * hidden) at worst; a row that moved less than half the distance to
 * its token's nearest neighbour is known to stay.
 */
export function nearestText(
  text: string,
  place: EmbeddedText,
  at: Float32Array,
  table: Float32Array,
  model: Pick<WhiteBox, 'tokenText'>,
): { text: string; changed: number } {
  const { tokens, embeddings, hidden } = place;
  const { squares, gaps } = geometry(table, hidden);
  const usable = Array.from(squares, (_, id) => model.tokenText(id) !== undefined);

  /** Id and distance of the usable row nearest to `point`, `except` aside. */
  const nearest = (point: Float32Array, except = -1): { id: number; distance: number } => {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let id = 0; id < squares.length; id++) {
      if (!usable[id] || id === except) continue;
      // |p - e|^2 = |p|^2 - 2 p.e + |e|^2, and |p|^2 is the same for all
      let product = 0;
      for (let k = 0, row = id * hidden; k < hidden; k++) product += (point[k] as number) * (table[row + k] as number);
      const distance = (squares[id] as number) - 2 * product;
      if (distance < least) {
        least = distance;
        best = id;
      }
    }
    const own = point.reduce((sum, value) => sum + value * value, 0);
    return { id: best, distance: Math.sqrt(Math.max(0, least + own)) };
  };

  let projected = text;
  let changed = 0;
  // From the end, so that earlier spans stay where they are.
  for (let row = tokens.length - 1; row >= 0; row--) {
    const token = tokens[row]!;
    if (token.special || token.start === token.end) continue;
    const from = row * hidden;
    let shift = 0;
    for (let k = from; k < from + hidden; k++) shift += ((at[k] as number) - (embeddings[k] as number)) ** 2;
    if (!gaps.has(token.id)) {
      const own = table.subarray(token.id * hidden, (token.id + 1) * hidden);
      gaps.set(token.id, nearest(own, token.id).distance);
    }
    if (Math.sqrt(shift) < (gaps.get(token.id) as number) / 2) continue;
    const { id } = nearest(at.subarray(from, from + hidden));
    if (id === token.id || id < 0) continue;
    // A WordPiece that continues a word is written with ##, which is no part of the text.
    const word = (model.tokenText(id) as string).replace(/^##/, '').trim();
    projected = projected.slice(0, token.start) + word + projected.slice(token.end);
    changed++;
  }
  return { text: projected, changed };
}
