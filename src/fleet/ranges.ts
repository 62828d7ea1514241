/** @file Ranges of examples, from a first index to the one after the last. */

interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/** Runs of indices in [from, to) that hold. */
export function stretches({ from, to }: IndexRange, holds: (index: number) => boolean): IndexRange[] {
  const found: { from: number; to: number }[] = [];
  for (let index = from; index < to; index++) {
    if (!holds(index)) continue;
    const last = found.at(-1);
    if (last !== undefined && last.to === index) last.to = index + 1;
    else found.push({ from: index, to: index + 1 });
  }
  return found;
}

/** Pieces of a range that took workers down: few tries find the one example. */
const PIECES = 4;

export function divided({ from, to }: IndexRange): IndexRange[] {
  const pieces = Math.min(PIECES, to - from);
  const at = (piece: number): number => from + Math.round(((to - from) * piece) / pieces);
  return Array.from({ length: pieces }, (_, piece) => ({ from: at(piece), to: at(piece + 1) }));
}

/** What others were given already. */
export class TakenRanges {
  readonly #ranges: IndexRange[] = [];

  add({ from, to }: IndexRange): void {
    this.#ranges.push({ from, to });
  }

  /** The first index from `index` on that nobody was given. */
  past(index: number): number {
    for (;;) {
      const on = this.#ranges.find(({ from, to }) => from <= index && index < to);
      if (on === undefined) return index;
      index = on.to;
    }
  }

  /** Where the next of them begins after `index`; Infinity where none does. */
  after(index: number): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.#ranges.map(({ from }) => from).filter((from) => from > index));
  }
}
