import { expect, test } from 'vitest';
import { chooseAttacks } from '../../src/commands/_shared/choose-attacks.js';
import { UsageError } from '../../src/index.js';

const labels = async (...given: Parameters<typeof chooseAttacks>) =>
  (await chooseAttacks(...given)).map(({ label }) => label);

test('--constraints goes to the attacks that have the option, unless they are given another', async () => {
  expect(await labels([], ['pwws', 'pwws:constraints=none', 'deepwordbug'], 'paper')).toEqual([
    'pwws:constraints=paper',
    'pwws:constraints=none',
    'deepwordbug',
  ]);
  expect(await labels([], ['pwws'])).toEqual(['pwws']);
});

test('--constraints that concerns no attack is a usage error', async () => {
  await expect(labels(['typos'], [], 'paper')).rejects.toThrow(UsageError);
});
