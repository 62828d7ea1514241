/** @file The table of families in docs/reference/models.md holds for some of them; test/slow/families.test.ts makes it from all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { FAMILIES, familyRow } from './family-contract.js';

/** An encoder, an encoder-decoder and decoders of either kind. */
const SOME = ['deberta-v1', 'gpt2', 'qwen3', 'roberta', 't5'];
const table = readFileSync(join(packageRoot, 'docs', 'reference', 'models.md'), 'utf8');

describe.skipIf(FAMILIES.length === 0)('families (skipped without ../shared)', () => {
  test('each has a row', () => {
    const [, rows = ''] = /families: begin -->\n([\s\S]*?)<!-- families: end/.exec(table) ?? [];
    const names = rows.split('\n').flatMap((row) => /^\| ([\w-]+) \|/.exec(row)?.[1] ?? []);
    expect(names.slice(1)).toEqual(FAMILIES.map(({ name }) => name));
  });

  test.each(FAMILIES.filter(({ name }) => SOME.includes(name)).map((family) => [family.name, family] as const))(
    '%s',
    async (_, family) => {
      const { row, reasons } = await familyRow(family);
      expect(table, reasons.join('\n')).toContain(`\n${row}\n`);
    },
  );
});
