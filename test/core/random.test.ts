import fc from 'fast-check';
import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';

const draw = (stream = random(42, 'attack', '7'), count = 8) => Array.from({ length: count }, () => stream.int(1000));
const many = <T>(make: () => T, count = 20_000) => Array.from({ length: count }, make);

test('the same labels give the same stream, on every machine and in every version', () => {
  expect(draw()).toEqual(draw());
  // Written down once: a change here changes every result a user has kept.
  expect(draw()).toMatchInlineSnapshot(`
    [
      783,
      476,
      337,
      80,
      877,
      845,
      768,
      351,
    ]
  `);
});

test('other labels give other streams, however they are cut', () => {
  const streams = [
    random(42),
    random(43),
    random(42, 'a'),
    random(42, 'ab'),
    random(42, 'a', 'b'),
    random(42, 'b', 'a'),
  ];
  expect(new Set(streams.map((stream) => draw(stream).join())).size).toBe(streams.length);
});

test('a split stream is named by its label alone and does not disturb its parent', () => {
  const parent = random(1);
  const before = draw(parent.split('x'));
  draw(parent);
  expect(draw(parent.split('x'))).toEqual(before);
});

test('integers below a bound, each about as often as the next', () => {
  const stream = random(3);
  const counts = new Array(7).fill(0);
  for (const value of many(() => stream.int(7), 70_000)) counts[value]++;
  // Standard deviation 93 around 10,000: five of them.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(465);
});

test('units in [0, 1) with the mean of a uniform, normals with mean 0 and variance 1', () => {
  const stream = random(4);
  const units = many(() => stream.unit());
  expect(units.every((unit) => unit >= 0 && unit < 1)).toBe(true);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  expect(mean(units)).toBeCloseTo(0.5, 1);
  const normals = many(() => stream.normal());
  expect(Math.abs(mean(normals))).toBeLessThan(0.04);
  expect(Math.abs(mean(normals.map((value) => value ** 2)) - 1)).toBeLessThan(0.05);
});

test('a shuffle keeps all elements and leaves the list alone; every first element comes about as often', () => {
  fc.assert(
    fc.property(fc.array(fc.nat()), fc.integer(), (list, seed) => {
      const copy = [...list];
      expect(random(seed).shuffle(list).sort()).toEqual([...copy].sort());
      expect(list).toEqual(copy);
    }),
  );
  const stream = random(5);
  const firsts = many(() => stream.shuffle(['a', 'b', 'c'])[0], 3000);
  for (const letter of 'abc')
    expect(Math.abs(firsts.filter((first) => first === letter).length - 1000)).toBeLessThan(130);
});

test.each([0, -1, 1.5, Number.NaN, 2 ** 53])('int(%d) is refused', (below) => {
  expect(() => random(1).int(below)).toThrow('expected a positive integer');
});
