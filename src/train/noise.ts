/**
 * @file The random zeros of dropout (Srivastava et al., JMLR 2014). Masks are inputs of the training graph, so the
 * exported graph has none, and a mask is a pure function of the stream it is drawn from. And other noise in bulk.
 */
import type { Random } from '../core/random.js';

/** 32 random bits at a time: sfc32 (Chris Doty-Humphrey, PractRand) seeded by `random`. Millions are needed a step. */
class Bits {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(random: Random) {
    this.#a = random.int(2 ** 32) | 0;
    this.#b = random.int(2 ** 32) | 0;
    this.#c = random.int(2 ** 32) | 0;
    // The first 12 outputs depend too simply on the seed.
    for (let i = 0; i < 12; i++) this.next();
  }

  next(): number {
    const bits = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + bits) | 0;
    return bits;
  }
}

/** Fills a mask: 0 with probability `rate` (to 1/65,536), else 1 / (the share kept), so that the mean is 1. */
export function dropoutMask(values: Float32Array, rate: number, random: Random): void {
  const threshold = Math.round(rate * 65536);
  const kept = 65536 / (65536 - threshold);
  const bits = new Bits(random);
  // The sign of a difference instead of a comparison, whose outcome no processor can foresee. Past the end this writes nothing.
  for (let i = 0; i < values.length; i += 2) {
    const pair = bits.next();
    values[i] = kept * (1 + (((pair & 0xffff) - threshold) >> 31));
    values[i + 1] = kept * (1 + (((pair >>> 16) - threshold) >> 31));
  }
}

/** Fills with numbers in (-1, 1), each of 65,536 equally likely. */
export function uniformNoise(values: Float32Array, random: Random): void {
  const bits = new Bits(random);
  for (let i = 0; i < values.length; i += 2) {
    const pair = bits.next();
    values[i] = ((pair & 0xffff) + 0.5) / 32768 - 1;
    values[i + 1] = ((pair >>> 16) + 0.5) / 32768 - 1;
  }
}

/**
 * The ids with each token but the first and last ([CLS], [SEP]) replaced by `unknown` with probability `rate`; where ids
 * `goesOn` says go on a word, with all of its word. `tags`: of each token; those of the tokens that remain are returned.
 */
export function hideTokens(
  ids: Int32Array,
  rate: number,
  unknown: number,
  random: Random,
  goesOn: (id: number) => boolean = () => false,
  tags?: Int32Array,
): { readonly ids: Int32Array; readonly tags?: Int32Array } {
  const last = ids.length - 1;
  let hidden = false;
  const left = ids.map((id, at) => {
    if (at === 0 || at === last) return id;
    if (!goesOn(id)) hidden = random.unit() < rate;
    else if (hidden) return LEFT_OUT;
    return hidden ? unknown : id;
  });
  const kept = left.filter((id) => id !== LEFT_OUT);
  return tags ? { ids: kept, tags: tags.filter((_, at) => left[at] !== LEFT_OUT) } : { ids: kept };
}

const LEFT_OUT = -1;
