/** @file Converts IEEE 754 half precision and bfloat16 to single precision and back: models stored with 16 bits run and train with 32. */

/** A half-precision number from its bits. Exact. */
export function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

let table: Float32Array | undefined;

/** Converts many half-precision numbers by table lookup, because a model has millions. */
export function halvesToFloats(bits: Uint16Array): Float32Array {
  table ??= Float32Array.from({ length: 65536 }, (_, i) => halfToFloat(i));
  const values = new Float32Array(bits.length);
  for (let i = 0; i < bits.length; i++) values[i] = table[bits[i]!]!;
  return values;
}

/** Bits of the nearest half-precision number, ties to even; infinity beyond 65,504. */
export function floatToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  // Below 2^-14 the spacing is constant; above it is 2^-10 of the leading power of two.
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const spacing = 2 ** ((size < 2 ** -14 ? -14 : exponent) - 10);
  const steps = roundToEven(size / spacing);
  // A carry out of the fraction correctly increments the exponent.
  return sign | (size < 2 ** -14 ? steps : steps + ((exponent + 14) << 10));
}

function roundToEven(value: number): number {
  const low = Math.floor(value);
  const rest = value - low;
  if (rest !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/** A bfloat16 number from its bits. Exact. */
export const bfloatToFloat = (bits: number): number => bfloatsToFloats(Uint16Array.of(bits))[0]!;

/** bfloat16 numbers are the upper halves of single-precision ones. Exact. */
export function bfloatsToFloats(bits: Uint16Array): Float32Array {
  // Uint32Array.from would collect the numbers in an array, which a table of a large vocabulary does not fit into.
  const words = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) words[i] = bits[i]! << 16;
  return new Float32Array(words.buffer);
}

/**
 * Bits of the nearest half-precision numbers. Same result as `floatToHalf`, with bit operations instead of logarithms because a model has
 * millions.
 */
export function floatsToHalves(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const halves = new Uint16Array(values.length);
  for (let i = 0; i < bits.length; i++) {
    const all = bits[i]!;
    const sign = (all >>> 16) & 0x8000;
    const size = all & 0x7fffffff;
    if (size > 0x7f800000) halves[i] = 0x7e00;
    // 65,520 and beyond.
    else if (size >= 0x477ff000) halves[i] = sign | 0x7c00;
    // 2^-14 and beyond: the exponent bias changes from 127 to 15, and half of the last place is added, ties to even.
    else if (size >= 0x38800000) halves[i] = sign | ((size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13);
    else halves[i] = floatToHalf(values[i]!);
  }
  return halves;
}
