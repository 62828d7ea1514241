/** An attack of a suite that could not be carried out on the victim. */
export interface LeftOut {
  readonly name: string;
  readonly suite: string | null;
  /** "needs gradients: cannot differentiate this graph: ..." */
  readonly reason: string;
}

/** What a reader is told of attacks that were left out: a line a reason. */
export function leftOutLines(leftOut: readonly LeftOut[] = []): string[] {
  return [...new Set(leftOut.map(({ reason }) => reason))].map((reason) => {
    const names = leftOut.flatMap((one) => (one.reason === reason ? [one.name] : []));
    return `left out: ${names.join(', ')} (${reason})`;
  });
}
