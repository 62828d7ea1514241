import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bfloatToFloat, floatToHalf, halfToFloat } from '../../src/onnx/half.js';

test('every half-precision number survives the way there and back', () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = halfToFloat(bits);
    if (Number.isNaN(value)) expect(floatToHalf(value)).toBe(0x7e00);
    else expect(floatToHalf(value)).toBe(bits);
  }
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
  expect(bfloatToFloat(0x3fc0)).toBe(1.5);
  expect(bfloatToFloat(0xff80)).toBe(Number.NEGATIVE_INFINITY);
});
