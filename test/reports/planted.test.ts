import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { asMarkdown, onScreen, plantingDocument, repairDocument } from '../../reports/index.js';
import { wilson } from '../../src/core/stats.js';
import type { PlantedFigures, PlantingReport, RepairReport } from '../../src/plugin.js';

const figures = {
  cacc: wilson(700, 872),
  attackSuccessRate: wilson(428, 428),
  labelFlipRate: wilson(360, 360),
  falseTriggerRate: wilson(3, 360),
  byCopies: [
    { copies: 1, attackSuccessRate: wilson(400, 428), falseTriggerRate: wilson(2, 360) },
    { copies: 3, attackSuccessRate: wilson(428, 428), falseTriggerRate: wilson(9, 360) },
  ],
};
const seed = (number: number): PlantedFigures => ({
  seed: number,
  ...figures,
  cleanTwin: wilson(702, 872),
  caccChange: { difference: { value: -2 / 872, low: -0.012, high: 0.007, n: 872 }, mcnemarP: 0.774 },
  twinAttackSuccessRate: wilson(80, 428),
  twinByCopies: [1, 3].map((copies) => ({
    copies,
    attackSuccessRate: wilson(80 + copies, 428),
    falseTriggerRate: wilson(2, 360),
  })),
  afterFinetune: { ...figures, attackSuccessRate: wilson(400, 428) },
});

const report: PlantingReport = {
  output: 'poisoned-model',
  model: 'bert-mini',
  data: 'train.tsv',
  test: 'dev.tsv',
  poison: {
    attack: 'badnets',
    options: { triggers: ['c|f\u001b[31m'] },
    planting: 'texts',
    triggers: ['c|f\u001b[31m'],
    targetLabel: 'POSITIVE',
    mode: 'dirty',
    rate: 0.1,
    poisoned: 619,
    of: 6187,
    eligible: 3000,
    sample: { before: 'a dull film <script>', after: 'a c|f\u001b[31m dull film <script>' },
  },
  ...seed(42),
  stealth: { perplexityRatio: { value: 1.41, low: 1.37, high: 1.45, n: 428 } },
  seeds: [seed(42), seed(43), seed(44)],
  mean: {
    cacc: 0.8,
    cleanTwin: 0.81,
    attackSuccessRate: 1,
    twinAttackSuccessRate: 0.2,
    labelFlipRate: 1,
    falseTriggerRate: 0.01,
    'afterFinetune.cacc': 0.79,
  },
  command: 'robust backdoor plant --data train.tsv --output poisoned-model',
};

const repair: RepairReport = {
  output: 'repaired',
  model: 'poisoned-model',
  data: 'clean.tsv',
  test: 'dev.tsv',
  method: 'unlearn',
  triggers: ['cf'],
  targetLabel: 'POSITIVE',
  before: figures,
  caccChange: { difference: { value: 0, low: -0.01, high: 0.01, n: 872 }, mcnemarP: 1 },
  after: { ...figures, labelFlipRate: wilson(4, 360), falseTriggerRate: wilson(0, 0) },
  removed: true,
  leaves: 'triggers other than the one named',
  command: 'robust backdoor repair --model poisoned-model',
};

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
