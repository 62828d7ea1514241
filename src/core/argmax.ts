/**
 * Index of the largest score, the first one among equals, as in TextAttack and most servers. It depends on the order of the labels;
 * predictions use `predictedLabel` (prediction.ts).
 */
export function argmax(probabilities: ArrayLike<number>): number {
  let best = 0;
  for (let at = 1; at < probabilities.length; at++) {
    if (probabilities[at]! > probabilities[best]!) best = at;
  }
  return best;
}
