/** The section of a report on the review of its run. */
import { expect, test } from 'vitest';
import { reviewSection } from '../../reports/documents/review.js';
import { markdown } from '../../reports/markdown.js';
import { terminal } from '../../reports/terminal.js';
import { wilson } from '../../src/core/stats.js';
import { everything } from './everything.js';

const valid = { value: 0.831, low: 0.73, high: 0.9, n: 60 };
const reviewed = { ...everything, overall: { ...everything.overall, validSuccessRate: valid } };
const joined = async (chunks: AsyncIterable<string> | Iterable<string>): Promise<string> => {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
};

test('a run that nobody has read has no section', () => {
  const { review: _, ...unread } = everything;
  expect(reviewSection(unread)).toEqual([]);
});

test('one line leads from the success rate to the valid success rate', async () => {
  const { Chalk } = await import('chalk');
  const text = await joined(terminal({ width: 400, chalk: new Chalk({ level: 0 }) }).render(reviewed));
  expect(text).toContain(
    'label kept for readers 86.7 % (70-95, 30 texts, 1 reader, alpha 0.81) -> valid success rate 83.1 % (73-90)',
  );
});

test('Markdown names every reader, also those left out, and the curves', async () => {
  const text = await joined(markdown.render(reviewed));
  expect(text).toContain('left out: not above chance on untouched originals');
  expect(text).toMatch(/4-5.*61\.5 %/);
  expect(text).toContain('judge-1');
});

test('one reader has no alpha, and the line says so', () => {
  const { agreement: _, ...alone } = everything.review;
  const [section] = reviewSection({ ...reviewed, review: { ...alone, labelKept: wilson(50, 60) } });
  expect(JSON.stringify(section)).toContain('no agreement between readers to measure');
});
