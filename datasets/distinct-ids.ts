/** @file Detects duplicate ids with about twenty bytes per id, without storing the ids. */
import { must } from '../src/core/errors.js';

/** Initial number of slots: a power of two. */
const FIRST = 1024;
/** Maximum load factor. */
const FULL = 0.7;

/** A hash table of 64-bit hashes with open addressing (Knuth, The Art of Computer Programming 3, 6.4, linear probing). */
export class SeenIds {
  /** High and low half of a hash per slot; both 0 if it is free. */
  #slots = new Uint32Array(2 * FIRST);
  #count = 0;

  /** Adds an id. Returns whether an equal hash was present: the same id, or with a probability of 10^-19 a different one. */
  add(id: string): boolean {
    if (this.#count >= (FULL * this.#slots.length) / 2) this.#grow();
    const [high, low] = hashOf(id);
    if (!this.#put(high, low)) return true;
    this.#count++;
    return false;
  }

  #put(high: number, low: number): boolean {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    for (let at = low & mask; ; at = (at + 1) & mask) {
      const [there, below] = [slots[2 * at], slots[2 * at + 1]];
      if (there === high && below === low) return false;
      if (there !== 0 || below !== 0) continue;
      slots[2 * at] = high;
      slots[2 * at + 1] = low;
      return true;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [high, low] = [must(old[at]), must(old[at + 1])];
      if (high !== 0 || low !== 0) this.#put(high, low);
    }
  }
}

/**
 * Two halves, never both 0, that each depend on all code units: multiplied, shifted and added, unit by unit, with different odd factors.
 */
function hashOf(id: string): [high: number, low: number] {
  let [high, low] = [0x9e3779b9 ^ id.length, 0x7f4a7c15];
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x85ebca6b);
    high ^= high >>> 15;
    low = Math.imul(low + unit, 0xc2b2ae35);
    low ^= low >>> 13;
  }
  // Each half mixes in the other, because the slot is determined by the low bits.
  high = Math.imul(high ^ (low >>> 16), 0x27d4eb2f);
  low = Math.imul(low ^ (high >>> 15), 0x165667b1);
  high = (high ^ (high >>> 13)) >>> 0;
  low = (low ^ (low >>> 16)) >>> 0;
  return [high, high === 0 && low === 0 ? 1 : low];
}
