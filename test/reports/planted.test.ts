import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { asMarkdown, onScreen, plantingDocument, repairDocument } from '../../reports/index.js';
import { findings } from './findings.js';

const { planted, repaired } = findings;
const told = 'c|f\u001b[31m';
const { degenerate: _, afterFinetune: __, ...sound } = planted.seeds[0]!;
const report = {
  ...planted,
  seeds: [42, 43, 44].map((seed) => ({ ...sound, seed, afterFinetune: sound })),
  poison: {
    ...planted.poison,
    triggers: [told],
    sample: { before: 'a dull film <script>', after: `a ${told} dull film <script>` },
  },
};

const repair = { ...repaired, before: sound, after: sound, removed: true };

const plain = new Chalk({ level: 0 });

test.each([80, 120])('a planting and a repair at %d columns', async (width) => {
  const text = [
    ...onScreen(plantingDocument(report), { width, chalk: plain }),
    '\n---\n',
    ...onScreen(repairDocument(repair), { width, chalk: plain }),
  ].join('');
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  expect(text).not.toContain('\u001b');
  await expect(text).toMatchFileSnapshot(`snapshots/planted, ${width} columns.txt`);
});

test('as Markdown; what an attacker wrote acts on nothing', async () => {
  const text = [...asMarkdown(plantingDocument(report)), '\n', ...asMarkdown(repairDocument(repair))].join('');
  expect(text).not.toContain('\u001b');
  expect(text.replace(/^```[\s\S]*?^```$/gm, '')).not.toMatch(/<script>/);
  await expect(text).toMatchFileSnapshot('snapshots/planted.md');
});
