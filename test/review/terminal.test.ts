/** The review in a terminal, with a keyboard and a screen that tests hold: keys, notes, undo, widths, scripts, hostile texts. */
import { PassThrough } from 'node:stream';
import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { checkTerminal, type ReviewTerminal, readInTerminal } from '../../src/app/review/terminal.js';
import { ReviewFolder } from '../../src/review/folder.js';
import { makePlan } from '../../src/review/make-plan.js';
import { folderOf, outcome, planned, subject } from './toys.js';

const ENTER = '\r';
const CTRL_C = '\u0003';
const BACKSPACE = '\u007F';
/** Without the sequences that the review writes itself. */
const textIn = (shown: string): string =>
  ['2J', '3J', 'H', 'K'].reduce((text, sequence) => text.replaceAll(`\u001B[${sequence}`, ''), shown);

/** Types `keys`, then closes the keyboard. Every look at the clock takes a second. */
async function type(folder: ReviewFolder, keys: string, width = 80) {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) });
  let [shown, time] = ['', 0];
  const terminal: ReviewTerminal = {
    input: input as unknown as NodeJS.ReadStream,
    screen: { width, chalk: new Chalk({ level: 0 }) },
    now: () => 1000 * time++,
    write: (text) => {
      shown += text;
    },
  };
  input.end(keys);
  const session = folder.session('anna');
  await readInTerminal(session, terminal);
  expect(modes).toEqual([true, false]);
  return { session: folder.session('anna'), shown, lines: textIn(shown).split(/\r|\n/) };
}

const opened = async () => ReviewFolder.create(folderOf(), (await planned()).plan);
const withText = async (text: string, more: Parameters<typeof subject>[1] = {}, about: object = {}) => {
  const outcomes = Array.from({ length: 25 }, (_, at) => outcome(at, 'typos', { text, adversarial: text, ...about }));
  return ReviewFolder.create(folderOf(), (await makePlan(subject(outcomes, more), { texts: 2, seed: 1 })).plan);
};
const idsOf = (folder: ReviewFolder): string[] => folder.session('anna').open.map(({ id }) => id);

test('1, 2 and 0 answer, other keys do nothing, q stops, and the next call continues', async () => {
  const folder = await opened();
  const ids = idsOf(folder);
  const { session, shown } = await type(folder, '1x92\u001B[A0q1');
  expect(ids.slice(0, 4).map((id) => session.readingOf(id)?.answer)).toEqual([0, 1, null, undefined]);
  expect(shown).toContain("Which label fits this text?\n  1  negative\n  2  positive\n  0  can't tell\n");
  expect(shown).toContain(`anna · text 4 of ${ids.length}`);
  const again = await type(folder, '2');
  expect(again.session.progress.answered).toBe(4);
  expect(again.session.readingOf(ids[3] as string)?.answer).toBe(1);
});

test('screens of attacked texts and of originals differ in the text alone', async () => {
  const folder = await opened();
  const { plan } = folder;
  const { lines } = await type(folder, '12'.repeat(plan.items.length / 2));
  const texts = new Set(plan.items.map(({ text }) => text));
  const others = new Set(
    lines.map((line) => line.replace(/text \d+ of/, 'text N of')).filter((line) => !texts.has(line)),
  );
  expect([...others].filter((line) => line !== '').sort()).toEqual(
    [
      "  0  can't tell",
      '  1  negative',
      '  2  positive',
      'All labels are given. You may now rate the edited texts next to their originals.',
      'Which label fits this text?',
      `anna · text N of ${plan.items.length}`,
      'c compare · q stop',
      'n note · u undo · q stop',
    ].sort(),
  );
});

test('undo takes the last answer back, as often as it is pressed', async () => {
  const folder = await opened();
  const [one = '', two = ''] = idsOf(folder);
  const { session } = await type(folder, 'u11uu2q');
  expect(session.readingOf(one)?.answer).toBe(1);
  expect(session.readingOf(two)).toBeUndefined();
});

test('a note is kept with its answer, can be corrected, and takes no reading time', async () => {
  const folder = await opened();
  const [one = '', two = ''] = idsOf(folder);
  const { session, shown } = await type(folder, `nodd 日本é\u009B7${BACKSPACE}${BACKSPACE}!${ENTER}1n${ENTER}2q`);
  expect(session.readingOf(one)).toEqual({ answer: 0, seconds: 2, note: 'odd 日本é!' });
  expect(session.readingOf(two)).toEqual({ answer: 1, seconds: 2 });
  expect(shown).toContain('Note: odd 日本é!\n');
});

test.each([
  ['Ctrl-C', CTRL_C],
  ['Ctrl-C within a note', `nhalf a note${CTRL_C}`],
  ['the end of the input', ''],
  ['the end of the input within a note', 'nhalf'],
])('%s stops without an answer that nobody gave', async (_, keys) => {
  const folder = await opened();
  const { session } = await type(folder, `12${keys}`);
  expect(session.progress.answered).toBe(2);
});

test.each([80, 40])('no line is wider than %d columns', async (width) => {
  const folder = await withText('many short words in one long text '.repeat(20), { labels: ['negative', 'positive'] });
  const { lines } = await type(folder, '1n a noteq', width);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines.filter((line) => line.startsWith('many short')).length).toBeGreaterThan(0);
});

test.each([
  ['right to left', 'הסרט הזה היה טוב מאוד, ולא ארוך'],
  ['Arabic with marks', 'كان الفيلمُ جيّدًا جدًا'],
  ['Chinese without blanks', '这部电影非常好看'.repeat(20)],
  ['emoji of several code points', 'so good 👩‍👩‍👧‍👦 🇩🇪 e\u0301'],
])('%s is shown as it is', async (_, text) => {
  const { shown } = await type(await withText(text), 'q');
  expect(shown.replaceAll('\n', ' ')).toContain(text);
});

test('controls in texts, labels and descriptions reach no terminal', async () => {
  const hostile = 'a\u001B[2Jb\u009B31mc\u0007d\be\rf\u0000g\u001B]0;title\u0007h\tand\nmore';
  const { shown } = await type(await withText(hostile, { labels: ['ne\u001B[31mgative', 'positive'] }), '1q');
  expect(textIn(shown)).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(shown).toContain('a\uFFFD[2Jb\uFFFD31mc\uFFFDd\uFFFDe\nf\uFFFDg\uFFFD]0;title\uFFFDh\tand\nmore');
});

test('several labels are a line of numbers or names; a mistake gets a message', async () => {
  const labels = ['rude', 'threat', 'insult'];
  const rule = { kind: 'multi-label', at: [0.5, 0.5, 0.5] } as const;
  const folder = await withText('a text', { labels, rule }, { labels: [0] });
  const ids = idsOf(folder);
  const lines = ['3, rude', 'none', '9', '?', 'u', '2', 'q'];
  const { session, shown } = await type(folder, lines.map((line) => `${line}${ENTER}`).join(''));
  expect(ids.slice(0, 4).map((id) => session.readingOf(id)?.answer)).toEqual([[0, 2], [], [1], undefined]);
  expect(shown).toContain('Expected numbers or names from the list above.');
});

test('labels that are numbers are typed as they are', async () => {
  const folder = await withText('a text', { labels: ['5', '0', '3'] });
  const ids = idsOf(folder);
  const { session } = await type(folder, '503?1q');
  expect(ids.slice(0, 5).map((id) => session.readingOf(id)?.answer)).toEqual([0, 1, 2, null, undefined]);
});

test('after all labels, pairs are rated by the keys of the scale', async () => {
  const folder = await opened();
  const { items } = folder.plan;
  await type(folder, '1'.repeat(items.length));
  const { session, shown } = await type(folder, 'c9nworse\r541' + '2q');
  expect(session.pairProgress.answered).toBe(1);
  expect(shown).toContain('First text\n');
  expect(shown).toContain('1 strongly disagree');
  const [journal] = folder.journals();
  expect([...(journal?.sides.values() ?? [])]).toEqual([{ meaning: 5, grammar: 4, noticed: 1 }]);
});

test('another stdin than a terminal is refused', () => {
  const input = new PassThrough() as unknown as NodeJS.ReadStream;
  const terminal = { input, screen: { width: 80, chalk: new Chalk() }, now: () => 0, write: () => {} };
  expect(() => checkTerminal(terminal)).toThrow(/expected a terminal/);
});
