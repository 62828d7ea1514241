/** The section of a report on the review of its run. */
import { expect, test } from 'vitest';
import { reviewSection } from '../../reports/documents/review.js';
import { markdown } from '../../reports/markdown.js';
import { terminal } from '../../reports/terminal.js';
import { wilson } from '../../src/core/statistics/stats.js';
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

test('Markdown names every reader, also those left out', async () => {
  const text = await joined(markdown.render(reviewed));
  expect(text).toContain('left out: not above chance on untouched originals');
  expect(text).toMatch(/\| judge-1 \| 93\.3 %.*\| 90\.0 % \(/);
  expect(text).toContain('**review:** attack success rate');
});

test('a review that only a language model has read claims nothing about readers', () => {
  const { agreement: _, ...review } = everything.review;
  const model = {
    name: 'judge-1',
    kind: 'model',
    answered: 58,
    originals: wilson(20, 20),
    selfAgreement: wilson(6, 6),
  } as const;
  const { validSuccessRate: __, ...overall } = reviewed.overall;
  const alone = { ...reviewed, overall, review: { ...review, readers: [model], labelKept: wilson(0, 0) } };
  const text = JSON.stringify(reviewSection(alone));
  expect(text).toContain("no person's answers count");
  expect(text).not.toContain('label kept for readers -');
});

test('one reader has no alpha, and the line says so', () => {
  const { agreement: _, ...alone } = everything.review;
  const [section] = reviewSection({ ...reviewed, review: { ...alone, labelKept: wilson(50, 60) } });
  expect(JSON.stringify(section)).toContain('no agreement between readers to measure');
});
