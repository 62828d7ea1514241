/**
 * The column of the largest score, the first one among equals: the rule of TextAttack and of most servers. It depends on the order of the
 * labels; what a victim predicts is `predictedLabel` (prediction.ts).
 */
export function argmax(probabilities: ArrayLike<number>): number {
  let best = 0;
  for (let at = 1; at < probabilities.length; at++) {
    if ((probabilities[at] as number) > (probabilities[best] as number)) best = at;
  }
  return best;
}
