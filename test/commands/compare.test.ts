import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ComparisonReport } from '../../src/results/comparison/comparison.js';
import { thing } from '../scenes.js';
import { folder, robust, toy } from './cli.js';

const data = [
  'text\tlabel',
  ...Array.from({ length: 12 }, (_, at) => (at % 2 ? `a good ${thing(at)} indeed\t1` : `a dull ${thing(at)}\t0`)),
];
/** Counts words, which typos do not change. */
const sturdy = `export default { labels: ['negative', 'positive'], async classify(texts) {
  return texts.map((text) => Float32Array.from(text.split(' ').length > 3 ? [0.25, 0.75] : [0.75, 0.25])); } };`;
const cwd = folder({ 'dev.tsv': `${data.join('\n')}\n`, 'sturdy.mjs': sturdy });
const flags = ['--data', 'dev.tsv', '-a', 'deepwordbug'];

describe('compare', async () => {
  const first = await robust(['compare', toy, './sturdy.mjs', ...flags, '--json', '-o', 'c.md', '-o', 'c.csv'], {
    cwd,
  });
  const report = JSON.parse(first.stdout).result as ComparisonReport;

  test('two models: the document of the conventions, and Markdown', () => {
    expect(first.code).toBe(0);
    expect(report.models.map(({ name }) => name)).toEqual([toy, './sturdy.mjs']);
    expect(report.attacks).toEqual([
      expect.objectContaining({
        name: 'deepwordbug',
        a: expect.objectContaining({ n: 12 }),
        b: expect.objectContaining({ n: 12 }),
        difference: expect.objectContaining({ n: 12 }),
        mcnemarP: expect.any(Number),
        adjustedP: expect.any(Number),
      }),
    ]);
    expect(report.attacks[0]?.difference.value).toBeGreaterThan(0);
    expect(report.transfer.map(({ from, to }) => [from, to])).toContainEqual([toy, './sturdy.mjs']);
    expect(readFileSync(join(cwd, 'c.md'), 'utf8')).toContain('deepwordbug: accuracy under attack');
    const [head, unedited, attacked, ...others] = readFileSync(join(cwd, 'c.csv'), 'utf8').trim().split('\r\n');
    const { a, b, difference } = report.attacks[0] as ComparisonReport['attacks'][number];
    expect(head?.split(',').slice(2, 5)).toEqual(['under', 'accuracyA', 'accuracyALow']);
    expect(unedited).toContain('./sturdy.mjs,unedited,1,');
    expect(attacked).toContain(
      `,deepwordbug,${a.value},${a.low},${a.high},${b.value},${b.low},${b.high},${difference.value},`,
    );
    expect(others).toEqual([]);
  });

  test('the runs stand for their models', async () => {
    const [a, b] = report.models.map(({ run }) => run) as [string, string];
    const again = await robust(['compare', a, b, '--json'], { cwd });
    const { clean, attacks, newlyMended, transfer } = JSON.parse(again.stdout).result as ComparisonReport;
    expect({ clean, attacks, newlyMended }).toEqual({
      clean: report.clean,
      attacks: report.attacks,
      newlyMended: report.newlyMended,
    });
    expect(transfer).toEqual([]);
  });

  test('a run of other data is refused, with what differs', async () => {
    const [a] = report.models.map(({ run }) => run) as [string];
    const other = await robust(['compare', a, './sturdy.mjs', ...flags, '--seed', '7', '--json'], { cwd });
    expect(other.code).toBe(2);
    expect(JSON.parse(other.stdout).error).toMatchObject({
      code: 'RUN_MISMATCH',
      message: expect.stringContaining('seed (42 and 7)'),
    });
  });

  test.each([
    [[], 'expected two models or runs, got none'],
    [[toy], 'alone'],
    [[toy, toy], 'given twice'],
    [[toy, 'distilbrt', ...flags], 'Did you mean "distilbert"'],
  ])('%j: %s', async (args, message) => {
    const { code, stderr } = await robust(['compare', ...args], { cwd });
    expect(code).toBeGreaterThanOrEqual(2);
    expect(stderr).toContain(message);
  });
});
