/** The bundled detector has the figures of its card, family by family. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { loadModel } from '../../src/model/load.js';

const read = (...path: string[]): string => readFileSync(join(packageRoot, ...path), 'utf8');

test('detects in each family of `prompts` what its card says', async () => {
  const { decision } = JSON.parse(read('models', 'injection', 'robust.json')) as { decision: { at: number } };
  const rows = read('datasets', 'data', 'prompts.tsv')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t') as [id: string, text: string, label: string, family: string]);
  const model = await loadModel('injection');
  const scores = await model.classify(rows.map(([, text]) => text));
  await model.close();
  const column = model.labels.indexOf('attack');
  const flagged = (wanted: string, family: string | undefined): string => {
    const of = rows.flatMap(([, , label, own], at) =>
      label === wanted && (family === undefined || own === family) ? [scores[at]?.[column] as number] : [],
    );
    return `${of.filter((score) => score >= decision.at).length} of ${of.length}`;
  };
  const card = Array.from(
    read('models', 'injection', 'README.md').matchAll(
      /^\| ([a-z-]+)(?: \(worst\))? \| (\d+ of \d+).*? \| (\d+ of \d+)/gm,
    ),
    ([, family, attacks, benign]) => [family, attacks, benign],
  );
  expect(card.length).toBe(1 + new Set(rows.map(([, , , family]) => family)).size);
  for (const [family = '', attacks, benign] of card) {
    const own = family === 'all' ? undefined : family;
    expect([family, attacks, benign]).toEqual([family, flagged('attack', own), flagged('benign', own)]);
  }
});
