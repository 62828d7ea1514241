/** @file Answers remembered by text, in front of the queue; the model is fixed, so its hash need not be in the key. */

/** Characters of all remembered texts together: bounds the memory where texts are long. */
const CHARACTERS = 2 ** 24;

/**
 * A bounded, least-recently-used memory of one function of a text. Concurrent asks for one text share one computation;
 * failures are not remembered.
 */
export class Cached<T> {
  /** Least recently used first. */
  readonly #known = new Map<string, Promise<T>>();
  readonly #compute: (text: string) => Promise<T>;
  readonly #entries: number;
  #characters = 0;

  constructor(compute: (text: string) => Promise<T>, entries: number) {
    this.#compute = compute;
    this.#entries = entries;
  }

  ask(text: string): Promise<T> {
    const known = this.#known.get(text);
    if (known !== undefined) {
      this.#known.delete(text);
      this.#known.set(text, known);
      return known;
    }
    const answer = this.#compute(text);
    this.#known.set(text, answer);
    this.#characters += text.length;
    answer.catch(() => this.#forget(text));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= this.#entries && this.#characters <= CHARACTERS) break;
      this.#forget(oldest);
    }
    return answer;
  }

  #forget(text: string): void {
    if (this.#known.delete(text)) this.#characters -= text.length;
  }
}
