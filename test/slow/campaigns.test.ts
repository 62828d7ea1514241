/** Campaigns cut down to minutes; docs/research/reliability.md has the figures of whole ones. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { disk } from '../campaigns/disk.js';
import { kill } from '../campaigns/kill.js';
import { trials } from '../campaigns/trials.js';

const folder = mkdtempSync(join(tmpdir(), 'robust-campaigns-'));
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

test.each([[kill, 200, 2], ...(canMount ? ([[disk, 64, 1]] as const) : [])] as const)(
  '$name',
  async (campaign, count, jobs) => {
    const done = await trials(campaign, { count, seed: 42, folder, jobs });
    expect(done.filter(({ fault }) => fault !== undefined)).toEqual([]);
    expect(done).toHaveLength(count);
  },
);
