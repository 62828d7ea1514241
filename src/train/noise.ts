/**
 * @file The random zeros of dropout (Srivastava et al., JMLR 2014). Masks are inputs of the training graph, so the
 * exported graph has none, and a mask is a pure function of the stream it is drawn from. And other noise in bulk.
 */
import type { Random } from '../core/random.js';

/**
 * Fills a mask: 0 with probability `rate` (to 1/65,536), else 1 / (the share kept), so that the mean is 1. The bits come from sfc32 (Chris Doty-Humphrey, PractRand) seeded by `random`: millions are needed a step, and it
 * costs 0.8 ns a value where the domain's own streams cost 20.
 */
export function dropoutMask(values: Float32Array, rate: number, random: Random): void {
  const threshold = Math.round(rate * 65536);
  const kept = 65536 / (65536 - threshold);
  const bits = halfWords(values.length, random);
  for (let i = 0; i < values.length; i++) values[i] = (bits[i] as number) < threshold ? 0 : kept;
}

/** Fills with numbers in (-1, 1), each of 65,536 equally likely. */
export function uniformNoise(values: Float32Array, random: Random): void {
  const bits = halfWords(values.length, random);
  for (let i = 0; i < values.length; i++) values[i] = ((bits[i] as number) + 0.5) / 32768 - 1;
}

/** 16 random bits each. */
function halfWords(count: number, random: Random): Uint16Array {
  const words = new Uint16Array(count);
  let a = random.int(2 ** 32) | 0;
  let b = random.int(2 ** 32) | 0;
  let c = random.int(2 ** 32) | 0;
  let counter = 1;
  // The first 12 outputs depend too simply on the seed.
  for (let i = -24; i < count; i += 2) {
    const bits = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + bits) | 0;
    if (i < 0) continue;
    words[i] = bits & 0xffff;
    // Past the end of an odd length this writes nothing.
    words[i + 1] = bits >>> 16;
  }
  return words;
}

/** Replaces each token but the first and last ([CLS], [SEP]) by `unknown` with probability `rate`, in place. */
export function hideTokens(ids: Int32Array, rate: number, unknown: number, random: Random): void {
  for (let at = 1; at < ids.length - 1; at++) if (random.unit() < rate) ids[at] = unknown;
}
