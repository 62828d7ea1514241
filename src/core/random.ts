/**
 * @file Seeded random numbers. Every (seed, attack, example) has an independent stream, so order, concurrency, sharding and resumption
 * change nothing. The generator is xoroshiro128+ (Blackman and Vigna, 2018); its state is the hash of the labels.
 */
import { createHash } from 'node:crypto';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';

/** A stream of random numbers that is a pure function of its labels. */
export interface Random {
  /** A uniform integer in [0, below). Throws RangeError unless `below` is a positive integer. */
  int(below: number): number;
  /** A number in [0, 1), one of 2^32 equally spaced ones. */
  unit(): number;
  /** A standard normal number (Box and Muller, 1958). */
  normal(): number;
  /** One element of a non-empty list. */
  pick<T>(from: readonly T[]): T;
  /** A shuffled copy (Fisher and Yates). */
  shuffle<T>(list: readonly T[]): T[];
  /** An independent stream named by `label`; this one does not advance. */
  split(label: string): Random;
}

class Stream implements Random {
  readonly #key: string;
  readonly #generator: ReturnType<typeof xoroshiro128plusFromState>;

  constructor(key: string) {
    this.#key = key;
    const digest = createHash('sha256').update(key).digest();
    this.#generator = xoroshiro128plusFromState([0, 4, 8, 12].map((at) => digest.readInt32LE(at)));
  }

  int(below: number): number {
    if (!Number.isSafeInteger(below) || below < 1) {
      throw new RangeError(`int(below): expected a positive integer, got ${below}`);
    }
    return uniformInt(this.#generator, 0, below - 1);
  }

  unit(): number {
    return (this.#generator.next() >>> 0) / 2 ** 32;
  }

  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }

  shuffle<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.int(last + 1);
      [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
    }
    return copy;
  }

  split(label: string): Random {
    return new Stream(`${this.#key}\u0000${label}`);
  }
}

/** The stream of a seed and any number of labels, such as an attack's name and an example's id. */
export function random(seed: number, ...labels: readonly string[]): Random {
  return new Stream([String(seed), ...labels].join('\u0000'));
}
