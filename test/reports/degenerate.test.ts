/** No format shows figures of a victim that answers all texts alike without saying what they are worth. */
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import {
  asMarkdown,
  comparisonDocument,
  evaluationDocument,
  fileFormats,
  onScreen,
  terminal,
} from '../../reports/index.js';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import { cleanFold } from '../../src/tasks/clean.js';
import { report, text } from './fixture.js';

const plain = new Chalk({ level: 0 });
const fold = cleanFold(report().model.labels);
for (let at = 0; at < 40; at++) fold.add(at % 2, Float32Array.of(0.6 + at / 1000, 0.4 - at / 1000));
const clean = fold.metrics();
const degenerate = report({ clean });

const rendered = Object.fromEntries(
  await Promise.all(fileFormats.map(async (each) => [each.name, await text(each.render(degenerate))])),
);

test.each([
  ['markdown', /^> \*\*DEGENERATE victim/m],
  ['html', /<strong>DEGENERATE victim/],
  ['json', /"degenerate":\["it answers/],
  ['junit', /name="victim"[^>]*>\s*<error message="DEGENERATE victim/],
  ['sarif', /"degenerate":\["it answers/],
  ['openmetrics', /^robust_victim_degenerate\{.*\} 1$/m],
  ['model-card', /degenerate:\n\s+- it answers/],
])('%s', (name, said) => {
  expect(rendered[name]).toMatch(said);
});

test('the terminal, before any figure', async () => {
  const screen = await text(terminal({ width: 100, chalk: plain }).render(degenerate));
  expect(screen.indexOf('DEGENERATE victim')).toBeGreaterThanOrEqual(0);
  expect(screen.indexOf('DEGENERATE victim')).toBeLessThan(screen.indexOf(' accurate'));
  const lines = [
    ...onScreen(evaluationDocument({ model: 'toy', data: 'toys', labels: ['a', 'b'], clean }), {
      width: 100,
      chalk: plain,
    }),
  ];
  expect(lines.join('')).toMatch(/DEGENERATE victim, toy[\s\S]*Accuracy/);
});

test('no requirement is met: a scanner receives an open finding', () => {
  const { results } = JSON.parse(rendered.sarif as string).runs[0];
  for (const { kind } of results) expect(kind).not.toBe('pass');
});

test('a good victim is not called so in any format', async () => {
  for (const each of fileFormats) {
    const said = (await text(each.render(report()))).replace(/^.*robust_victim_degenerate.*$/gm, '');
    expect(said).not.toMatch(/degenerate/i);
  }
});

test('no difference from such a model is one', async () => {
  const rate = { value: 0.5, low: 0.4, high: 0.6, n: 100 };
  const pairs = { a: rate, b: { ...rate, value: 0.9 }, difference: { ...rate, value: 0.4 }, mcnemarP: 0.001 };
  const attack = { ...pairs, name: 'pruthi', suite: null, adjustedP: 0.001, attackSuccessRate: pairs };
  const models = [
    { name: 'x', sha256: 'a', run: '1' },
    { name: 'y', sha256: 'b', run: '2', degenerate: ['it answers no to all 100 texts, whatever their class'] },
  ];
  const compared: ComparisonReport = {
    ...{
      models,
      data: { name: 'd', sha256: 'c', examples: 100 },
      seed: 1,
      clean: pairs,
      attacks: [attack],
      suites: [],
    },
    ...{ verdict: 'inconclusive', reasons: ['y: the victim is degenerate'] },
    ...{ overall: pairs, newlyBroken: [], newlyMended: [], further: [], transfer: [], toolVersion: '0', command: 'c' },
  };
  const markdown = await text(asMarkdown(comparisonDocument(compared)));
  expect(markdown).toContain('> **inconclusive: y is degenerate: it answers no to all 100 texts');
  expect(markdown).not.toContain('accuracy under attack 50.0 → 90.0 %');
  const screen = await text(onScreen(comparisonDocument(compared), { width: 200, chalk: plain }));
  expect(screen).toContain('inconclusive: y is degenerate');
});
