/** @file Matrices with their rows and columns swapped. */

/** Side of the squares that are transposed one after the other: rows of both stay in the cache. */
const SQUARE = 32;

/** [rows, columns] -> [columns, rows]. */
export function transpose(values: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(values.length);
  for (let top = 0; top < rows; top += SQUARE) {
    const bottom = Math.min(rows, top + SQUARE);
    for (let left = 0; left < columns; left += SQUARE) {
      const right = Math.min(columns, left + SQUARE);
      for (let column = left; column < right; column++) {
        for (let row = top; row < bottom; row++) turned[column * rows + row] = values[row * columns + column]!;
      }
    }
  }
  return turned;
}
