import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { clock, countedWork } from '../../src/app/progress.js';
import { inWords, progressLine } from '../../src/commands/_shared/progress-line.js';
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
  [3, 2, '3/200 texts, 1.5/s, 2:11 left'],
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
  [{}, '50/200, 75 % ASR, 250 queries/s, 0:12 left'],
  [{ resumed: 40 }, '50/200, 75 % ASR, 250 queries/s, 1:00 left'],
  [{ resumed: 50 }, '50/200, 75 % ASR, 250 queries/s'],
  [{ attacked: 0, succeeded: 0 }, '50/200, 250 queries/s, 0:12 left'],
  [{ stage: 'clean' as const }, '50/200, 250 queries/s, 0:12 left'],
  [{ total: undefined }, '50, 75 % ASR, 250 queries/s'],
  [{ seconds: 0, asked: 0 }, '50/200, 75 % ASR'],
])('%j', (rest, words) => expect(inWords(progress(rest))).toBe(words));

/** What comes out for these progresses. */
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
    'deepwordbug: 11/200, 75 % ASR, 3:09 left',
    'a note',
    '',
  ]);
});

test('on a terminal: a bar that leaves nothing but the notes', async () => {
  const text = await shown(true, { TERM: 'xterm' }, [progress(), progress({ done: 200 })]);
  expect(text).toContain('█');
  expect(text).toContain('50/200, 75 % ASR');
  expect(text.endsWith('a note\n')).toBe(true);
});

test('a dumb terminal gets lines', async () => {
  expect(await shown(true, { TERM: 'dumb' }, [progress({ seconds: 12 })])).toMatch(
    /^deepwordbug: 50\/200.*\na note\n$/,
  );
});
