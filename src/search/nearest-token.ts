/** @file From embeddings back to text: each moved row becomes the nearest vocabulary entry. */
import type { WhiteBox } from '../core/classifier.js';
import { must } from '../core/errors.js';
import { bestRows, type RowSearch } from './best-rows.js';
import type { EmbeddedText } from './embedding.js';

/** Precomputed data of a table. */
interface TableDistances {
  /** Squared norms of its rows. */
  readonly squares: Float32Array;
  /** Ids of the entries that can be part of a text, ascending. */
  readonly usable: Int32Array;
  /** Row -> distance to its nearest neighbour, for rows computed so far. */
  readonly gaps: Map<number, number>;
}

const geometries = new WeakMap<Float32Array, TableDistances>();

function geometry(table: Float32Array, { hidden, tokenText }: Pick<WhiteBox, 'hidden' | 'tokenText'>): TableDistances {
  let known = geometries.get(table);
  if (known === undefined) {
    const squares = new Float32Array(table.length / hidden);
    for (let row = 0; row < squares.length; row++) {
      let square = 0;
      for (let k = row * hidden; k < (row + 1) * hidden; k++) square += table[k]! ** 2;
      squares[row] = square;
    }
    const all = Int32Array.from(squares, (_, id) => id);
    known = { squares, usable: all.filter((id) => tokenText(id) !== undefined), gaps: new Map() };
    geometries.set(table, known);
  }
  return known;
}

/**
 * The text of the tokens nearest (L2) to the moved rows; special tokens and unmoved rows stay. Ties go to the lower id. O(tokens *
 * vocabulary * hidden) in the worst case. A row that moved less than half the distance between its token and the token's nearest neighbour
 * stays without a search.
 */
export async function nearestText(
  text: string,
  { tokens, embeddings, hidden }: EmbeddedText,
  at: Float32Array,
  table: Float32Array,
  model: Pick<WhiteBox, 'tokenText' | 'tableProducts'>,
): Promise<{ text: string; changed: number }> {
  const { squares, usable, gaps } = geometry(table, { hidden, tokenText: (id) => model.tokenText(id) });
  const parts = { hidden, ...(model.tableProducts && { tableProducts: model.tableProducts.bind(model) }) };
  // |p - e|^2 = |p|^2 - 2 p.e + |e|^2, and |p|^2 is constant
  const score = (product: number, id: number): number => 2 * product - squares[id]!;
  const search = (count: number): RowSearch => ({ model: parts, table, ids: usable, count, score, slope: 2 });
  const rowOf = (values: Float32Array, row: number) => values.subarray(row * hidden, (row + 1) * hidden);

  const shown = Array.from(tokens.entries()).filter(([, { special, start, end }]) => !special && start !== end);
  const unknown = [...new Set(shown.map(([, { id }]) => id))].filter((id) => !gaps.has(id));
  const neighbours = await bestRows(
    search(2),
    unknown.map((id) => rowOf(table, id)),
  );
  unknown.forEach((id, i) => {
    const other = neighbours[i]?.find((one) => one.id !== id);
    const square = squareOf(rowOf(table, id));
    gaps.set(id, other === undefined ? Number.POSITIVE_INFINITY : Math.sqrt(Math.max(0, square - other.score)));
  });

  const moved = shown.filter(([row, { id }]) => {
    let shift = 0;
    for (let k = row * hidden; k < (row + 1) * hidden; k++) shift += (at[k]! - embeddings[k]!) ** 2;
    return Math.sqrt(shift) >= must(gaps.get(id)) / 2;
  });
  const nearest = await bestRows(
    search(1),
    moved.map(([row]) => rowOf(at, row)),
  );

  let projected = text;
  let changed = 0;
  // From the end, so that earlier spans stay valid.
  for (let i = moved.length - 1; i >= 0; i--) {
    const [, token] = must(moved[i]);
    const id = nearest[i]?.[0]?.id;
    if (id === undefined || id === token.id) continue;
    // WordPiece marks a continuation with ##, which is not part of the text.
    const word = must(model.tokenText(id)).replace(/^##/, '').trim();
    projected = projected.slice(0, token.start) + word + projected.slice(token.end);
    changed++;
  }
  return { text: projected, changed };
}

const squareOf = (row: Float32Array): number => row.reduce((sum, value) => sum + value * value, 0);
