/**
 * A bounded map from texts that forgets entries not used recently. It has two generations. Entries that are set or read move to the young
 * one; when that reaches half the bound, it becomes the old one, and the previous old one is dropped. An exact LRU map would be slower:
 * finding its first entry beyond the deleted ones costs more than it saves.
 */
export class RecentMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #youngCharacters = 0;
  readonly #entries: number;
  readonly #characters: number;

  /** Bounds on the number of entries and on the total length of their keys in characters. */
  constructor(entries: number, characters: number) {
    this.#entries = Math.ceil(entries / 2);
    this.#characters = characters / 2;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    if (key.length > this.#characters || this.#entries === 0) return;
    if (!this.#young.has(key)) {
      if (this.#young.size >= this.#entries || this.#youngCharacters + key.length > this.#characters) {
        this.#old = this.#young;
        this.#young = new Map();
        this.#youngCharacters = 0;
      }
      this.#youngCharacters += key.length;
    }
    this.#young.set(key, value);
  }
}
