/** @file Spearman's rank correlation. */

/** Ranks from 1; equal values share their mean rank. */
function ranks(values: readonly number[]): number[] {
  const order = values.map((_, at) => at).sort((a, b) => values[a]! - values[b]!);
  const found = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (const at of order.slice(from, to)) found[at] = (from + to + 1) / 2;
    from = to;
  }
  return found;
}

/** From -1 to 1; null for fewer than three pairs, or if one side has only equal values. */
export function spearman(a: readonly number[], b: readonly number[]): number | null {
  if (a.length < 3) return null;
  const [x, y] = [ranks(a), ranks(b)];
  const mean = (a.length + 1) / 2;
  let [xx, yy, xy] = [0, 0, 0];
  x.forEach((rank, at) => {
    const [dx, dy] = [rank - mean, y[at]! - mean];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  });
  return xx === 0 || yy === 0 ? null : xy / Math.sqrt(xx * yy);
}
