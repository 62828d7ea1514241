import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { compose, Draft, likelihoodKept, noRepeat, randomSearch, surely, swapWords } from '../../src/plugin.js';
import { untargeted } from '../../src/search/goals.js';
import { toyTarget } from './toys.js';

const badly = swapWords('bad words', (word) => (word === 'good' ? ['dull', 'fine'] : []));

test('random search finds what a rewrite at random reaches, and asks no more than its tries', async () => {
  const attack = compose({ transformation: badly, constraints: [noRepeat], search: randomSearch(8) });
  const target = toyTarget('a good film', { random: random(1) });
  expect((await attack.run({ id: '0', text: 'a good film', label: 1 }, target)).text).toBe('a dull film');
  const firm = toyTarget('a good film', { classify: () => Float32Array.of(0.1, 0.9) });
  await attack.run({ id: '0', text: 'a good film', label: 1 }, firm);
  expect(firm.queried.length).toBe(9);
});

test('a goal that wants to be sure is reached later than its own', () => {
  const goal = surely(untargeted, 0.7);
  expect(goal.reached(Float32Array.of(0.6, 0.4), 1)).toBe(false);
  expect(goal.reached(Float32Array.of(0.8, 0.2), 1)).toBe(true);
  expect(goal.reached(Float32Array.of(0.3, 0.7), 1)).toBe(false);
  expect(goal.score(Float32Array.of(0.6, 0.4), 1)).toBeCloseTo(0.6);
});

test('kuleshov with confidence goes on after the prediction has turned', async () => {
  const kuleshov = attacks.find(({ name }) => name === 'kuleshov');
  const text = 'a good film and a lovely plot, a funny one';
  const classify = (asked: string) => {
    const left = ['good', 'lovely', 'funny'].filter((word) => asked.includes(word)).length;
    return Float32Array.of(1 - [0.2, 0.35, 0.6, 0.9][left]!, [0.2, 0.35, 0.6, 0.9][left]!);
  };
  const changed = async (options: object) => {
    const attack = kuleshov?.create(kuleshov.options.parse({ constraints: 'none', ...options }));
    return (await attack?.run({ id: '0', text, label: 1 }, toyTarget(text, { classify })))?.changed;
  };
  expect(await changed({})).toBe(2);
  expect(await changed({ confidence: 0.7 })).toBe(3);
});

test('a bound in nats on the likelihood', async () => {
  const original = Draft.of('a good film');
  const [likely, unlikely] = [original.replace(1, 'fine'), original.replace(1, 'zebra')];
  const bound = likelihoodKept(1);
  expect(await bound.accepts?.([likely, unlikely], original, english)).toEqual([true, true]);
  const sample = ['a good film', 'a fine film', 'the fine film'].map((text, at) => ({
    id: String(at),
    text,
    label: 0,
  }));
  await bound.prepare?.(sample, { language: english });
  expect(await bound.accepts?.([likely, unlikely], original, english)).toEqual([true, false]);
});
