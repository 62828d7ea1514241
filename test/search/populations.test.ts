import { describe, expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import {
  boundary,
  compose,
  genetic,
  maxWords,
  noRepeat,
  type SearchMethod,
  swapWords,
  swarm,
} from '../../src/plugin.js';
import { drawIndex } from '../../src/search/genetic.js';
import { toy, toyTarget } from './toys.js';

const misspell = swapWords('a star behind or before', (word) => [`${word}*`, `x${word}`]);
const TEXT = 'a good and great and fine and lovely film';

const run = (search: SearchMethod, most = 9) => {
  const target = toyTarget(TEXT, { random: random(5) });
  const attempt = compose({ transformation: misspell, constraints: [noRepeat, maxWords(most)], search }).run(
    { id: '0', text: TEXT, label: 1 },
    target,
  );
  return { target, attempt };
};

describe.each([
  ['genetic', () => genetic({ population: 6, generations: 12 })],
  ['swarm', () => swarm({ population: 6, rounds: 20 })],
])('%s', (_, search) => {
  test('finds what takes four edits, and the same twice', async () => {
    const first = run(search());
    const attempt = await first.attempt;
    expect(attempt.succeeded).toBe(true);
    expect(attempt.changed).toBeGreaterThanOrEqual(4);
    const second = run(search());
    expect(await second.attempt).toEqual(attempt);
    expect(second.target.queried).toEqual(first.target.queried);
  });
});

describe('boundary', () => {
  test('goes by labels alone, and puts back every word it need not change', async () => {
    // One-hot answers: a score says nothing that the label does not.
    const classify = (text: string) => ((toy(text)[1] as number) > 0.5 ? Float32Array.of(0, 1) : Float32Array.of(1, 0));
    const target = toyTarget(TEXT, { classify, random: random(5) });
    const hide = swapWords('an x before', (word) => [`x${word}`]);
    const recipe = { transformation: hide, constraints: [noRepeat], search: boundary(3) };
    const { succeeded, changed, text } = await compose(recipe).run({ id: '0', text: TEXT, label: 1 }, target);
    expect([succeeded, changed]).toEqual([true, 4]);
    for (const plain of [' and ', 'a ', ' film']) expect(text).toContain(plain);
  });

  test('finds nothing where nothing turns', async () => {
    expect((await run(boundary(), 2).attempt).succeeded).toBe(false);
  });
});

test('sampling by weight never returns a weight of zero, and returns the others by their share', () => {
  const stream = random(1);
  const counts = [0, 0, 0];
  for (let i = 0; i < 3000; i++) counts[drawIndex([1, 0, 3], stream)]! += 1;
  expect(counts[1]).toBe(0);
  expect((counts[0] as number) / 3000).toBeCloseTo(0.25, 1);
});
