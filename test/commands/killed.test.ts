/** Kills at random moments, one of each command; 200 are among the slow tests: see test/campaigns/kill.ts. */
import { expect, test } from 'vitest';
import { kill } from '../campaigns/kill.js';
import { trials } from '../campaigns/trials.js';
import { folder } from './cli.js';

test('what is killed and resumed ends in the bytes of what was not', { timeout: 600_000 }, async () => {
  const done = await trials(kill, { count: 6, seed: 7, folder: folder(), jobs: 2 });
  expect(done.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
