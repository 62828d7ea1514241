/** A set of whole numbers below `size`: a bit each. */
export class Bitmap {
  readonly #bits: Uint8Array;

  constructor(size: number) {
    this.#bits = new Uint8Array(Math.ceil(size / 8));
  }

  has(at: number): boolean {
    return ((this.#bits[at >> 3]! >> (at & 7)) & 1) === 1;
  }

  add(at: number): void {
    this.#bits[at >> 3]! |= 1 << (at & 7);
  }
}
