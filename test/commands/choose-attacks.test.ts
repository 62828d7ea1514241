import { expect, test } from 'vitest';
import { attacks, suites } from '../../attacks/index.js';
import { chooseAttacks } from '../../src/app/attacks/choose-attacks.js';
import { refusal } from '../refusal.js';

const labels = async (...given: Parameters<typeof chooseAttacks>) =>
  (await chooseAttacks(...given)).map(({ label }) => label);

test('a set of constraints goes to the attacks that have the option, unless they are given another', async () => {
  expect(await labels([], ['pwws', 'pwws:constraints=none', 'deepwordbug'], { constraints: ['textattack'] })).toEqual([
    'pwws:constraints=textattack',
    'pwws:constraints=none',
    'deepwordbug',
  ]);
  expect(await labels([], ['pwws'])).toEqual(['pwws']);
});

test('a set of constraints that concerns no attack is a usage error', async () => {
  await expect(labels(['typos'], [], { constraints: ['textattack'] })).rejects.toThrow(
    expect.objectContaining({ exit: 2 }),
  );
});

test('--language mlm=... applies to the attacks that fill gaps, and does not rename them', async () => {
  const chosen = await chooseAttacks([], ['bae', 'bae:mlm=./other', 'pwws'], { mlm: './bert' });
  expect(chosen.map(({ label, options }) => [label, options.mlm])).toEqual([
    ['bae', './bert'],
    ['bae:mlm=./other', './other'],
    ['pwws', undefined],
  ]);
  await expect(labels(['typos'], [], { mlm: './bert' })).rejects.toThrow(expect.objectContaining({ exit: 2 }));
});

test('each suite and each attack is found by its name, also where a suite and an attack share one', async () => {
  for (const { name, attacks: listed } of suites) expect(await labels([name], [])).toHaveLength(listed.length);
  for (const { name } of attacks) expect(await labels([], [name])).toEqual([name]);
  await refusal(labels([], ['typos']));
});
