/** @file Answers remembered by text, in front of the queue; the model is fixed, so its hash need not be in the key. */
import { RecentMap } from '../../core/recent-map.js';

/** Characters of all remembered texts together: bounds the memory where texts are long. */
const MAX_CACHED_CHARACTERS = 2 ** 24;

/** A bounded memory of one function of a text. Concurrent requests share one computation; failures are not remembered. */
export class CachedClassifier<T> {
  readonly #known: RecentMap<T>;
  readonly #underWay = new Map<string, Promise<T>>();

  constructor(entries: number) {
    this.#known = new RecentMap(entries, MAX_CACHED_CHARACTERS);
  }

  /** The remembered answer, or what `compute` gives. */
  ask(text: string, compute: () => Promise<T>): T | Promise<T> {
    const answer = this.#known.get(text) ?? this.#underWay.get(text);
    if (answer !== undefined) return answer;
    const computing = compute();
    this.#underWay.set(text, computing);
    computing.then(
      (value) => {
        this.#underWay.delete(text);
        this.#known.set(text, value);
      },
      () => this.#underWay.delete(text),
    );
    return computing;
  }
}
