/** A campaign cut down to minutes; docs/research/reliability.md has the figures of whole ones. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kill } from '../campaigns/kill.js';
import { trials } from '../campaigns/trials.js';

test('kill', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-campaigns-'));
  const done = await trials(kill, { count: 200, seed: 42, folder, jobs: 2 });
  expect(done.filter(({ fault }) => fault !== undefined)).toEqual([]);
  expect(done).toHaveLength(200);
});
