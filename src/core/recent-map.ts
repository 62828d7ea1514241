/**
 * A bounded memory by text that forgets what was not asked for lately. Two generations: what is set or asked for is in the
 * young one; once that is half the bound, it becomes the old one and the old one is forgotten. A map in order of use would
 * keep more to the letter, but finding its first entry past the deleted ones costs more than what it saves.
 */
export class RecentMap<V> {
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  #youngCharacters = 0;
  readonly #entries: number;
  readonly #characters: number;

  /** At most so many entries, and so many characters of their keys together. */
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
