import { expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { WordVectors } from '../../src/language/word-vectors.js';
import {
  compose,
  Draft,
  likelihoodKept,
  noRepeat,
  randomSearch,
  surely,
  swapWords,
  thoughtKept,
  withEntities,
} from '../../src/plugin.js';
import { untargeted } from '../../src/search/goals.js';
import { blind, toyTarget, toyVictim } from './toys.js';

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

test('a bound in nats on the likelihood, and one on the mean vectors', async () => {
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

  const vectors = new WordVectors(
    ['a', 'good', 'fine', 'film', 'zebra'],
    Float32Array.of(1, 0, 1, 1, 2, 1, 0, 1, -1, 0),
    2,
  );
  const near = thoughtKept(0.2, { vectors, load: async () => {} });
  expect(await near.accepts?.([likely, unlikely], original, english)).toEqual([true, false]);
  expect(
    await thoughtKept(0.2, { vectors: undefined, load: async () => {} }).accepts?.([unlikely], original, english),
  ).toEqual([true]);
});

test("an entity becomes the one that other labels' texts hold most often and its own never", async () => {
  const sample = [
    { text: 'We saw it in Paris.', label: 1 },
    { text: 'They filmed in London and in Rome.', label: 0 },
    { text: 'Nobody in London liked it, nor in Paris.', label: 0 },
  ].map((each, at) => ({ id: String(at), ...each }));
  const draft = Draft.of('A film of New York.');
  const slots = Array.from({ length: draft.size }, (_, slot) => slot);
  const swapping = withEntities(swapWords('nothing', () => []));
  await swapping.prepare?.(sample, { language: english });
  const found = async (label: number) => {
    const texts: string[] = [];
    for await (const edit of swapping.edits(draft, slots, random(1), { ...blind, label })) texts.push(edit.text);
    return texts;
  };
  expect(await found(1)).toEqual(['A film of London.']);
  expect(await found(0)).toEqual([]);
});

test('pwws with entities swaps them, and says so', async () => {
  const pwws = attacks.find(({ name }) => name === 'pwws');
  const attack = pwws?.create(pwws.options.parse({ entities: true }));
  expect(attack?.constraints).toContain('named entities become those of other labels');
  const sample = [
    { id: '0', text: 'A film of Rome.', label: 0 },
    { id: '1', text: 'A film of Paris.', label: 1 },
  ];
  await attack?.prepare?.(sample, toyVictim());
  const text = 'A film of Paris.';
  const classify = (asked: string) => (asked.includes('Rome') ? Float32Array.of(0.9, 0.1) : Float32Array.of(0.2, 0.8));
  const found = await attack?.run({ id: '1', text, label: 1 }, toyTarget(text, { classify }));
  expect(found).toMatchObject({ succeeded: true, text: 'A film of Rome.' });
});
