import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { fileFormats, terminal } from '../../reports/index.js';
import { TEXTBOOK_PROBE } from '../../src/core/negation.js';
import { wilson } from '../../src/core/statistics/stats.js';
import type { CapabilityMetrics } from '../../src/results/measures/capabilities.js';
import { attack, HOSTILE, report, text } from './fixture.js';

const capability = (
  name: string,
  relation: CapabilityMetrics['relation'],
  failed: number,
  n: number,
  samples: CapabilityMetrics['samples'] = [],
): CapabilityMetrics => ({ capability: name, relation, n, failed, failureRate: wilson(failed, n), samples });

const capabilities = [
  capability('double negation', 'INV', 6, 7, [
    {
      id: '9',
      original: 'The film is great.',
      text: 'The film is not bad at all.',
      expected: [1],
      got: 0,
      score: 0.06,
    },
  ]),
  capability('double negation', 'MFT', 13, 20),
  capability('negation elsewhere', 'INV', 18, 161, [
    {
      id: '4',
      original: HOSTILE,
      text: `I do not write many reviews. ${HOSTILE}`,
      expected: [0, 1],
      got: 2,
      score: 0.4,
    },
  ]),
  capability('nothing not', 'MFT', 8, 21, [
    { original: 'I love it.', text: 'There is nothing I like about it.', expected: [0], got: 1, score: 0.01 },
    { ...TEXTBOOK_PROBE, expected: [1], got: 0, score: 0.08 },
  ]),
  capability('single negation', 'DIR', 0, 3),
];
const quality = {
  n: 23,
  editDistance: 25,
  similarity: 0.948,
  readability: 0.968,
};
const untried = [{ reason: 'no word in the text', n: 2 }];
const negation = report({
  attacks: [attack('negation', 23, 138, { suite: 'negation', capabilities, quality, untried })],
  closest: [],
});

describe('capabilities', () => {
  test.each([80, 120])('on a terminal of %i columns', async (width) => {
    const screen = await text(terminal({ width, chalk: new Chalk({ level: 0 }) }).render(negation));
    await expect(screen).toMatchFileSnapshot(`snapshots/terminal, negation, ${width} columns.txt`);
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(screen).toContain('I like this movie. -> There is nothing I do not like about this movie.');
  });

  test('in Markdown, where no text acts', async () => {
    const markdown = await text(fileFormats.find(({ name }) => name === 'markdown')!.render(negation));
    await expect(markdown).toMatchFileSnapshot('snapshots/markdown, negation.md');
    const outsideFences = markdown.replace(/^```[\s\S]*?^```$/gm, '');
    expect(outsideFences).not.toMatch(/<img|(?<!\\)\]\(|@you/);
  });
});

test('the quality of adversarial texts is reported for the measured attacks', async () => {
  const two = report({
    attacks: [attack('deepwordbug', 14, 3, { quality }), attack('fgsm', 17, 0), attack('pwws', 1, 9, { quality })],
    closest: [],
  });
  const screen = await text(
    terminal({ width: 80, chalk: new Chalk({ level: 0 }), wide: true, explained: true }).render(two),
  );
  expect(screen).toMatch(/^Edit distance +25\.0 +25\.0$/m);
  const markdown = await text(fileFormats.find(({ name }) => name === 'markdown')!.render(two));
  expect(markdown).toMatch(/^\| deepwordbug \|.*\| 25\.0 \| 0\.95 \| 96\.8 % \|/m);
  expect(markdown).toMatch(/^\| fgsm \|.*\| {2}\| {2}\| {2}\|/m);
});
