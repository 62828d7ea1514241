/** The predicted label: the column of the largest probability, the first one among equals. */
export function argmax(probabilities: ArrayLike<number>): number {
  let best = 0;
  for (let at = 1; at < probabilities.length; at++) {
    if ((probabilities[at] as number) > (probabilities[best] as number)) best = at;
  }
  return best;
}
