import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bfloatsToFloats, floatToHalf, halfToFloat, halvesToFloats } from '../src/half.js';

test('every half-precision number survives the way there and back', () => {
  const lost = Array.from({ length: 65536 }, (_, bits) => bits).filter((bits) => {
    const value = halfToFloat(bits);
    return floatToHalf(value) !== (Number.isNaN(value) ? 0x7e00 : bits);
  });
  expect(lost).toEqual([]);
});

test('rounding is to the nearest, ties to even', () => {
  fc.assert(
    fc.property(fc.double({ min: -65519, max: 65519, noNaN: true }), (value) => {
      const bits = floatToHalf(value);
      const error = Math.abs(halfToFloat(bits) - value);
      for (const other of [bits - 1, bits + 1]) {
        if ((other & 0x8000) === (bits & 0x8000) && (other & 0x7c00) !== 0x7c00) {
          expect(error).toBeLessThanOrEqual(Math.abs(halfToFloat(other) - value));
        }
      }
    }),
  );
  expect(floatToHalf(1 + 2 ** -11)).toBe(floatToHalf(1));
  expect(floatToHalf(1 + 3 * 2 ** -11)).toBe(floatToHalf(1 + 2 ** -9));
  expect(floatToHalf(65520)).toBe(0x7c00);
});

test('bfloat16 is the upper half of a float', () => {
  expect(bfloatsToFloats(Uint16Array.of(0x3fc0, 0xff80))).toEqual(Float32Array.of(1.5, Number.NEGATIVE_INFINITY));
});

test('many at once are as one by one', () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const many = halvesToFloats(bits);
  expect(bits.filter((one) => !Object.is(many[one], halfToFloat(one)))).toHaveLength(0);
});
