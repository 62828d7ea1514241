/** 10,000 damaged files for all readers, as `npm run campaign -- fuzz` reads a hundred thousand. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('each ends in a coded error or a right result', () => {
  const folder = mkdtempSync(join(tmpdir(), 'robust-fuzz-'));
  const told = execFileSync(
    'npm',
    ['run', '--silent', 'campaign', '--', 'fuzz', '--count', '10000', '--folder', folder],
    {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  expect(told).toContain('10000 trials, 0 faults');
  rmSync(folder, { recursive: true });
}, 3_600_000);
