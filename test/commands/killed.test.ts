/** Kills at random moments, one of each kind of command; 200 of all are among the slow tests: see test/campaigns/kill.ts. */
import { expect, test } from 'vitest';
import { killing } from '../campaigns/kill.js';
import { trials } from '../campaigns/trials.js';
import { folder } from './cli.js';

// A journal, with a process as the victim, checkpoints, files that replace others.
const KINDS = ['attack', 'program', 'train', 'gate'];

test('what is killed and resumed ends in the bytes of what was not', async () => {
  const done = await trials(killing(KINDS), { count: 4, seed: 7, folder: folder(), jobs: 2 });
  expect(done.map(({ kind }) => kind).sort()).toEqual([...KINDS].sort());
  expect(done.filter(({ fault }) => fault !== undefined)).toEqual([]);
});
