/**
 * @file The table of families in docs/reference/models.md, made from what these tests find:
 * `npm run test:slow -- test/slow/families.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { FAMILIES, familyRow, TABLE_HEAD } from '../convert/family-contract.js';

const [BEGIN, END] = ['<!-- families: begin -->\n', '<!-- families: end -->'];

describe.skipIf(FAMILIES.length === 0)('families (skipped without ../shared)', () => {
  const rows: string[] = [];

  test.each(FAMILIES.map((family) => [family.name, family] as const))('%s', async (_, family) => {
    const { row, reasons } = await familyRow(family);
    rows.push(row);
    process.stdout.write(`${[row, ...reasons].join('\n')}\n`);
  });

  test('the table in docs/reference/models.md', async () => {
    const path = join(packageRoot, 'docs', 'reference', 'models.md');
    const [before = '', rest = ''] = readFileSync(path, 'utf8').split(BEGIN);
    const after = rest.slice(rest.indexOf(END));
    const table = [TABLE_HEAD, ...rows].join('\n');
    await expect(`${before}${BEGIN}\n${table}\n\n${after}`).toMatchFileSnapshot(path);
  });
});
