/** Journals, sessions and sheets: no answer is lost, none is invented, and readers see nothing but texts. */
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RobustError } from '../../src/core/errors.js';
import { ReviewFolder } from '../../src/review/folder.js';
import { makePlan } from '../../src/review/make-plan.js';
import { parseAnswer, readSheet, sheetOf } from '../../src/review/sheet.js';
import { refusal } from '../refusal.js';
import { folderOf, HASH, LABELS, outcome, planned, subject, successes } from './toys.js';

const opened = async () => ReviewFolder.create(folderOf(), await planned());
const question = { kind: 'label', prompt: 'Which?', options: LABELS.map((name) => ({ name })) } as const;
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as RobustError).code;
  }
};

test('an item has an id and its texts, whatever its kind: no key, no type and no length beyond that', async () => {
  const folder = await opened();
  const { open } = folder.session('reader-1');
  expect(open).toHaveLength(folder.plan.items.length);
  for (const item of open) {
    expect(Object.keys(item)).toEqual(['id', 'texts']);
    expect(item.id).toMatch(/^[bcdfghjklmnpqrstvwxz]{8}$/);
  }
});

test('answers, undo and notes survive another process; a later answer replaces an earlier one', async () => {
  const folder = await opened();
  const session = folder.session('reader-1');
  const first = session.next()?.id as string;
  session.answer(first, 1, { seconds: 2.555, note: 'odd' });
  const second = session.next()?.id as string;
  session.answer(second, null);
  expect(session.undo()?.id).toBe(second);
  expect(session.next()?.id).toBe(second);
  session.answer(second, 0);
  const later = ReviewFolder.open(join(folder.path, '..'), HASH).session('reader-1');
  expect(later.progress).toEqual({ answered: 2, total: folder.plan.items.length });
  expect(later.readingOf(first)).toEqual({ answer: 1, seconds: 2.56, note: 'odd' });
  expect(later.readingOf(second)).toEqual({ answer: 0 });
  expect(later.undo()?.id).toBe(second);
  expect(folder.progress()).toEqual([{ name: 'reader-1', kind: 'person', answered: 1, total: later.progress.total }]);
});

test('torn at any byte, a journal keeps every whole answer, and goes on from there', async () => {
  const folder = await opened();
  const path = join(folder.path, 'reader-1.jsonl');
  const ids = folder
    .session('reader-1')
    .open.slice(0, 5)
    .map(({ id }) => id);
  for (const id of ids) folder.session('reader-1').answer(id, 1, { note: 'Ümlaut' });
  const whole = readFileSync(path);
  for (let bytes = 0; bytes <= whole.length; bytes += 3) {
    writeFileSync(path, whole);
    truncateSync(path, bytes);
    const lines = whole.subarray(0, bytes).toString('latin1').split('\n').length - 1;
    const session = folder.session('reader-1');
    expect(session.progress.answered).toBe(Math.max(0, lines - 1));
    session.answer(ids[4] as string, 0);
    expect(folder.session('reader-1').readingOf(ids[4] as string)?.answer).toBe(0);
  }
});

test('a damaged line is named; the journal of another plan or another kind of reader is refused', async () => {
  const folder = await opened();
  const path = join(folder.path, 'reader-1.jsonl');
  folder.session('reader-1');
  appendFileSync(path, '{"item":1}\n');
  await refusal(() => folder.session('reader-1'));
  expect(codeOf(() => folder.session('reader-1'))).toBe('REVIEW_DAMAGED');
  folder.session('gpt', { kind: 'model' });
  expect(codeOf(() => folder.session('gpt'))).toBe('REVIEW_MISMATCH');
  expect(codeOf(() => folder.session('../up'))).toBe('NAME_INVALID');
  expect(codeOf(() => folder.session('Anna'))).toBe('NAME_INVALID');
  expect(codeOf(() => ReviewFolder.open(join(folder.path, '..'), 'b'.repeat(64)))).toBe('REVIEW_MISMATCH');
});

test.each([
  ['an unknown item', 'nosuchid', 1, 'REVIEW_INVALID'],
  ['an option that does not exist', undefined, 2, 'REVIEW_INVALID'],
  ['a list for one label', undefined, [0], 'REVIEW_INVALID'],
  ['a fraction', undefined, 0.5, 'REVIEW_INVALID'],
])('%s is no answer', async (_, id, answer, code) => {
  const session = (await opened()).session('reader-1');
  const item = id ?? (session.next()?.id as string);
  expect(codeOf(() => session.answer(item, answer as number))).toBe(code);
  expect(session.progress.answered).toBe(0);
});

test('a pair shows both texts in the order of the model', async () => {
  const outcomes = Array.from({ length: 8 }, (_, at) => outcome(at, 'typos', { text2: `premise ${at}` }));
  const plan = await makePlan(subject(outcomes), { texts: 4, seed: 1 });
  const session = ReviewFolder.create(folderOf(), plan).session('reader-1');
  expect(session.next()?.texts[0]).toMatch(/^premise/);
  expect(session.question.prompt).toBe('Which label fits these two texts?');
  expect(sheetOf(plan, session.open).split('\r\n')[0]).toBe('review,item,text,text2,question,choices,answer,note');
});

test('a sheet has the same columns and words for every kind, and holds no answers of others', async () => {
  const folder = await opened();
  folder.session('reader-2').answer(folder.session('reader-2').next()?.id as string, 1, { note: 'SECRET' });
  const sheet = sheetOf(folder.plan, folder.session('reader-1').open);
  expect(sheet).not.toMatch(/SECRET|adversarial|original|reader-2/);
  const rows = sheet.trim().split('\r\n').slice(1);
  expect(new Set(rows.map((row) => row.replace(/,[a-z]{8},text n?u?mber \d+ [a-z ]+,/, ',ITEM,')))).toHaveProperty(
    'size',
    1,
  );
});

test('a sheet that was filled in is read; rows without an answer are left out', async () => {
  const plan = await planned();
  const [a, b, c, d] = plan.items.map(({ id }) => id);
  const text = [
    'item;reader;answer;note;seconds',
    `${a};Anna;positive;;4.5`,
    `${b};Anna;2;it says "good", really;`.replace('it says "good", really', '"it says ""good"", really"'),
    `${c};ben;0;;`,
    `${d};ben;;;`,
  ].join('\n');
  expect(readSheet(text, 'back.csv', plan)).toEqual([
    { item: a, reader: 'Anna', answer: 1, seconds: 4.5 },
    { item: b, reader: 'Anna', answer: 1, note: 'it says "good", really' },
    { item: c, reader: 'ben', answer: null },
  ]);
});

test('every faulty row of a sheet is named, and nothing is imported', async () => {
  const plan = await planned();
  const [a, b] = plan.items.map(({ id }) => id);
  const text = [
    'review,item,answer,seconds',
    `${plan.key},nosuchid,1,`,
    `${plan.key},${a},maybe,`,
    `otherkey,${a},1,`,
    `${plan.key},${b},1,-3`,
    `${plan.key},${a},1,`,
    `${plan.key},${a},2,`,
  ].join('\r\n');
  expect(() => readSheet(text, 'back.csv', plan)).toThrow(
    /row 2: .*nosuchid[\s\S]*row 3: .*maybe[\s\S]*row 4: .*otherkey[\s\S]*row 5: .*seconds[\s\S]*row 7: .*two answers/,
  );
  expect(codeOf(() => readSheet('name,label\nx,y\n', 'back.csv', plan))).toBe('REVIEW_DAMAGED');
  expect(codeOf(() => readSheet('', 'back.csv', plan))).toBe('REVIEW_DAMAGED');
  expect(codeOf(() => readSheet('item,answer\n"broken', 'back.csv', plan))).toBe('REVIEW_DAMAGED');
});

test('what is exported and answered by hand comes back as it was, for texts a spreadsheet could run', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 30 }), { minLength: 3, maxLength: 6 }),
      async (texts) => {
        const outcomes = texts.map((text, at) => outcome(at, 'typos', { adversarial: `=${text}"';,\n${at}` }));
        const plan = await makePlan(subject(outcomes), { texts: 9, seed: 3 });
        const { open } = ReviewFolder.create(folderOf(), plan).session('reader-1');
        const sheet = sheetOf(plan, open).replaceAll(/,,\r\n/g, ',positive,\r\n');
        expect(readSheet(sheet, 'back.csv', plan).map(({ item }) => item)).toEqual(open.map(({ id }) => id));
      },
    ),
    { numRuns: 15 },
  );
});

test.each([
  ['1', 0],
  ['2', 1],
  [' Positive ', 1],
  ['0', null],
  ['?', null],
  ["Can't tell", null],
  ['can’t tell', null],
  ['3', undefined],
  ['-1', undefined],
  ['good', undefined],
  ['', undefined],
])('"%s" as an answer', (written, answer) => {
  expect(parseAnswer(written, question)).toEqual(answer);
});

test('labels that are numbers are meant by their names; several labels are a list', () => {
  const stars = { ...question, options: ['0', '1', '2'].map((name) => ({ name })) };
  expect(['0', '2', '3', '?'].map((each) => parseAnswer(each, stars))).toEqual([0, 2, undefined, null]);
  const several = { ...question, kind: 'labels' as const, options: ['joy', 'fear', '-calm'].map((name) => ({ name })) };
  expect(['2, joy', 'none', "'-calm", '1|9', '0'].map((each) => parseAnswer(each, several))).toEqual([
    [0, 1],
    [],
    [2],
    undefined,
    null,
  ]);
});

test('several labels: any number of boxes, in ascending order', async () => {
  const rule = { kind: 'multi-label', at: [0.5, 0.5] } as const;
  const outcomes = successes(30, 'typos').map((each) => ({ ...each, labels: [0, 1] }));
  const plan = await makePlan(subject(outcomes, { rule }), { texts: 5, seed: 1 });
  expect(plan.question.kind).toBe('labels');
  expect(plan.items[0]?.truth).toEqual([0, 1]);
  const session = ReviewFolder.create(folderOf(), plan).session('reader-1');
  const id = session.next()?.id as string;
  expect(codeOf(() => session.answer(id, [1, 0]))).toBe('REVIEW_INVALID');
  expect(codeOf(() => session.answer(id, 1))).toBe('REVIEW_INVALID');
  session.answer(id, []);
  session.answer(id, [0, 1]);
  expect(session.readingOf(id)).toEqual({ answer: [0, 1] });
});
