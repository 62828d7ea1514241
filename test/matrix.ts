/** Rows of numbers: `matrix('20 80; 85 15')` is [[20, 80], [85, 15]]. */
export const matrix = <Row extends readonly number[] = number[]>(rows: string): Row[] =>
  rows.split('; ').map((row) => row.split(' ').map(Number) as readonly number[] as Row);
