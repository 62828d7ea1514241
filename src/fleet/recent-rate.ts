/** @file How fast a count grows, by what it was a minute ago. */

const WINDOW_MS = 60_000;

export class RecentRate {
  readonly #points: { readonly at: number; readonly count: number }[] = [];

  /** Notes the count at a moment, in ms of any clock that only goes on. */
  note(count: number, at: number): void {
    // A count that fell is another one.
    if (count < (this.#points.at(-1)?.count ?? 0)) this.#points.length = 0;
    this.#points.push({ at, count });
    // The last point before the window is where it begins.
    while (this.#points.length > 2 && at - (this.#points[1] as { at: number }).at >= WINDOW_MS) this.#points.shift();
  }

  get perSecond(): number {
    const [first, last] = [this.#points[0], this.#points.at(-1)];
    if (first === undefined || last === undefined || last.at === first.at) return 0;
    return (1000 * (last.count - first.count)) / (last.at - first.at);
  }
}
