/** @file Keys that touch, from the rows of a keyboard. */

/** Of a key that types no single letter, or only a mark. */
const NO_LETTER = '_';

/**
 * Each key's neighbours: beside it, and the two above and below that it lies between, since each row begins half a key
 * to the right of the one above.
 * @param rows from the top, a character a key
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
