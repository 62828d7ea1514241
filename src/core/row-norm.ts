/** L2 norm of one row of a table, row-major [rows, width]. */
export const rowNorm = (table: Float32Array, width: number, row: number): number =>
  Math.hypot(...table.subarray(row * width, (row + 1) * width));

/** Mean L2 norm of a table's rows, row-major [rows, width]. */
export function meanRowNorm(table: Float32Array, width: number): number {
  let sum = 0;
  for (let row = 0; row < table.length; row += width) {
    let square = 0;
    for (let at = row; at < row + width; at++) square += table[at]! ** 2;
    sum += Math.sqrt(square);
  }
  return sum / (table.length / width);
}
