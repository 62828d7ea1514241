/** @file Ranges of examples, from a first index to the one after the last. */

export interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/** The longest ranges within [from, to) whose indices all hold. */
export function rangesWhere({ from, to }: IndexRange, holds: (index: number) => boolean): IndexRange[] {
  const found: { from: number; to: number }[] = [];
  for (let index = from; index < to; index++) {
    if (!holds(index)) continue;
    const last = found.at(-1);
    if (last !== undefined && last.to === index) last.to = index + 1;
    else found.push({ from: index, to: index + 1 });
  }
  return found;
}

/** A range that took workers down is divided into this many, which isolates the one example in a few tries. */
const DIVISIONS = 4;

export function divide({ from, to }: IndexRange): IndexRange[] {
  const count = Math.min(DIVISIONS, to - from);
  const start = (index: number): number => from + Math.round(((to - from) * index) / count);
  return Array.from({ length: count }, (_, index) => ({ from: start(index), to: start(index + 1) }));
}
