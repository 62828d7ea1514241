import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LiveTable } from '../../src/app/live-table.js';
import { clock, countedWork, inWords } from '../../src/app/progress.js';
import { progressLine } from '../../src/commands/_shared/progress-line.js';
import type { Outcome } from '../../src/core/outcome.js';
import type { RunProgress } from '../../src/run/index.js';

const progress = (rest: Partial<RunProgress> = {}): RunProgress => ({
  stage: 'attack',
  attack: 'deepwordbug',
  done: 50,
  total: 200,
  resumed: 0,
  succeeded: 30,
  attacked: 40,
  asked: 1000,
  seconds: 4,
  ...rest,
});

test.each([
  [0, 0, '0/200 texts'],
  [3, 2, '3/200 texts, 1.5/s'],
  [100, 1, '100/200 texts, 100/s, 0:01 left'],
])('%i texts in %i seconds', (done, seconds, words) =>
  expect(inWords(countedWork('explain', 'texts', done, 200, seconds))).toBe(words),
);

test.each([
  [0, '0:00'],
  [59.6, '1:00'],
  [3605, '1:00:05'],
])('%d seconds', (seconds, shown) => expect(clock(seconds)).toBe(shown));

test.each([
  [{ done: 100 }, '100/200, 75 % ASR, 250 queries/s, about 0:04 left'],
  // Short searches end first: before half of them their rate misleads.
  [{}, '50/200, 250 queries/s, about 0:12 left'],
  [{ resumed: 40 }, '50/200, 250 queries/s, about 1:00 left'],
  [{ resumed: 50 }, '50/200, 250 queries/s'],
  // Before a twentieth the time left is a guess.
  [{ done: 9 }, '9/200, 250 queries/s'],
  [{ attacked: 0, succeeded: 0 }, '50/200, 250 queries/s, about 0:12 left'],
  [{ stage: 'clean' as const }, '50/200, 250 queries/s, 0:12 left'],
  [{ total: undefined }, '50, 250 queries/s'],
  [{ seconds: 0, asked: 0 }, '50/200'],
])('%j', (rest, words) => expect(inWords(progress(rest))).toBe(words));

/** Output for these steps of progress. */
async function shown(tty: boolean, env: NodeJS.ProcessEnv, steps: readonly RunProgress[]): Promise<string> {
  const stream = Object.assign(new PassThrough(), { isTTY: tty, columns: 80 }) as PassThrough & NodeJS.WriteStream;
  const line = await progressLine(stream, env);
  for (const step of steps) line.show(step);
  line.write('a note');
  line.stop();
  return String(stream.read() ?? '');
}

test('off a terminal: a line every ten seconds, each stage from its beginning', async () => {
  const steps = [
    ...[1, 9, 10, 15, 19.9, 20].map((seconds) => progress({ stage: 'clean', seconds, asked: 0, done: 0 })),
    ...[2, 11].map((seconds) => progress({ seconds, asked: 0, done: seconds })),
  ];
  const text = await shown(false, {}, steps);
  expect(text.split('\n')).toEqual([
    'unattacked texts: 0/200',
    'unattacked texts: 0/200',
    'deepwordbug: 11/200, about 3:09 left',
    'a note',
    '',
  ]);
});

test('on a terminal: a bar that leaves nothing but the notes', async () => {
  const text = await shown(true, { TERM: 'xterm' }, [progress(), progress({ done: 200 })]);
  expect(text).toContain('█');
  expect(text).toContain('50/200, 250');
  expect(text.endsWith('a note\n')).toBe(true);
});

const outcome = (attack: string, id: string, status: Outcome['status']): Outcome =>
  ({
    ...{ attack, id, status, text: 'A good film.' },
    ...(status === 'succeeded' && { adversarial: 'A g0od film.' }),
  }) as Outcome;

test('on a terminal: a row for each attack, complete once it has ended, and the last success', () => {
  const table = new LiveTable();
  const of = { attacks: ['leet', 'pruthi'], examples: 2 };
  table.add(outcome('leet', 'r1', 'succeeded'), of);
  expect([table.row(0), table.row(1)]).toEqual(['leet    100.0 % (21-100)  1/2', 'pruthi  -  0/2']);
  expect(table.hasEnded).toBe(false);
  table.add(outcome('leet', 'r2', 'skipped'), of);
  expect(table.row(0)).toBe('leet    100.0 % (21-100)');
  expect(table.hasEnded).toBe(true);
  expect(table.lastSuccess(79, (before, after) => `[${before} -> ${after}]`)).toBe(
    'Flipped by leet, r1: [A good film. -> A g0od film.]',
  );
  // Another run starts empty, and too many attacks have no rows.
  table.add(outcome('a0', 'r1', 'failed'), { attacks: Array.from({ length: 11 }, (_, at) => `a${at}`), examples: 2 });
  expect([table.height, table.hasEnded, table.lastSuccess(79, () => '')]).toEqual([0, false, undefined]);
});

test.each([80, 120])('the table fits %i columns', async (columns) => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns }) as PassThrough & NodeJS.WriteStream;
  const line = await progressLine(stream, { TERM: 'xterm' });
  const long = { ...outcome('leet', 'r1', 'succeeded'), text: 'good '.repeat(90), adversarial: 'g0od '.repeat(90) };
  line.count(long, { attacks: ['leet', 'pruthi'], examples: 2 });
  line.show(progress({ done: 1, total: 4 }));
  line.stop();
  const written = String(stream.read());
  expect(written).toContain('leet    100.0 % (21-100)  1/2');
  expect(written).toContain('Flipped by leet, r1: ');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  for (const row of written.split(/\r?\n|\x1b\[[?\d]*[a-zA-Z]/)) expect(row.length).toBeLessThan(columns);
});

test('a dumb terminal gets lines', async () => {
  expect(await shown(true, { TERM: 'dumb' }, [progress({ seconds: 12 })])).toMatch(
    /^deepwordbug: 50\/200.*\na note\n$/,
  );
});
