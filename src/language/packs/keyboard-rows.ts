/** @file Adjacent keys, from the rows of a keyboard. */

/** A key that types no single letter, or only a mark. */
const NO_LETTER = '_';

/**
 * Neighbours of each key: on its left and right, and the two keys above and below that it touches, because each row is shifted half a key
 * to the right.
 * @param rows from the top, one character per key
 */
export function rowNeighbours(rows: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const grid = rows.map((row) => [...row]);
  const found = new Map<string, readonly string[]>();
  for (const [at, row] of grid.entries()) {
    const [above, below] = [grid[at - 1], grid[at + 1]];
    for (const [column, key] of row.entries()) {
      const around = [
        row[column - 1],
        row[column + 1],
        above?.[column],
        above?.[column + 1],
        below?.[column - 1],
        below?.[column],
      ];
      const keys = around.filter((each): each is string => each !== undefined && each !== NO_LETTER);
      if (key !== NO_LETTER) found.set(key, keys);
    }
  }
  return found;
}
