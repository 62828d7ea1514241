/**
 * @file A trie over integers in typed arrays: node 0 is the root, and one open-addressing hash table maps (node, word) to the child. 16 to
 * 24 bytes per node, against 100 for nested Maps.
 */
const EMPTY = -1;

export class Trie {
  /** Number of nodes, including the root; children have higher numbers than their parents. */
  size = 1;
  #parents = new Int32Array(1024).fill(EMPTY);
  #words = new Int32Array(1024).fill(EMPTY);
  /** Node numbers by hash; a power of two, at most half full. */
  #slots = new Int32Array(2048).fill(EMPTY);

  parent(node: number): number {
    return this.#parents[node]!;
  }

  word(node: number): number {
    return this.#words[node]!;
  }

  /** The child of `node` by `word`, or -1. */
  child(node: number, word: number): number {
    return this.#slots[this.#slotOf(node, word)]!;
  }

  /** The child of `node` by `word`, created if necessary. */
  grow(node: number, word: number): number {
    const slot = this.#slotOf(node, word);
    const known = this.#slots[slot]!;
    if (known !== EMPTY) return known;
    const made = this.size++;
    if (made === this.#parents.length) {
      this.#parents = resize(this.#parents, made * 2);
      this.#words = resize(this.#words, made * 2);
    }
    this.#parents[made] = node;
    this.#words[made] = word;
    if (this.size * 2 > this.#slots.length) this.#rehash();
    else this.#slots[slot] = made;
    return made;
  }

  /** Index of (node, word), or of the empty slot for it. */
  #slotOf(node: number, word: number): number {
    const mask = this.#slots.length - 1;
    // Two odd multipliers (Knuth's golden ratio and murmur3's) and a final shift scatter neighbours.
    let hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(word, 0x85ebca6b);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot]!;
      if (found === EMPTY || (this.#parents[found] === node && this.#words[found] === word)) return slot;
    }
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(EMPTY);
    for (let node = 1; node < this.size; node++) this.#slots[this.#slotOf(this.parent(node), this.word(node))] = node;
  }
}

/** Groups `items` by key: the start of each group (keys + 1 entries), and the values in group order. */
export function group(
  keys: number,
  items: number,
  keyOf: (item: number) => number,
  itemOf: (item: number) => number,
): [Int32Array, Int32Array] {
  const first = new Int32Array(keys + 1);
  for (let i = 0; i < items; i++) first[keyOf(i) + 1] = first[keyOf(i) + 1]! + 1;
  for (let key = 0; key < keys; key++) first[key + 1] = first[key + 1]! + first[key]!;
  const next = first.slice();
  const values = new Int32Array(items);
  for (let i = 0; i < items; i++) {
    const key = keyOf(i);
    const at = next[key]!;
    values[at] = itemOf(i);
    next[key] = at + 1;
  }
  return [first, values];
}

function resize(array: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(length).fill(EMPTY);
  longer.set(array);
  return longer;
}
