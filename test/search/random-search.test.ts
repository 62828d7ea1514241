import { expect, test } from 'vitest';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { compose, Draft, likelihoodKept, noRepeat, randomSearch, swapWords } from '../../src/plugin.js';
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
