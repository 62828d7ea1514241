/** @file The hash function that turns a term into a column. */

const utf8 = new TextEncoder();

/**
 * MurmurHash3_x86_32 of the UTF-8 bytes, seed 0, as a signed number: Austin Appleby's reference, which scikit-learn's FeatureHasher uses.
 */
export function murmur3(term: string): number {
  const bytes = utf8.encode(term);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash ^= mix(view.getInt32(at, true));
    hash = (Math.imul(rotated(hash, 13), 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at--) tail = (tail << 8) | bytes[at]!;
  hash ^= mix(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const rotated = (x: number, by: number): number => (x << by) | (x >>> (32 - by));
const mix = (block: number): number => Math.imul(rotated(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593);
