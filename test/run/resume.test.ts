/** Files of an interrupted run, and its continuation. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryPathOf } from '../../src/files/temporary-path.js';
import { attack, createRun, openRun, RunInterrupted, readReport } from '../../src/run/index.js';
import { refusal } from '../refusal.js';
import { bytesOf, mangle, planned, planOf, runsIn, sentences, sentiment, victim } from './toys.js';

const root = runsIn();

async function stoppedAfter(outcomes: number, plan = planOf()) {
  const folder = await createRun(root, plan);
  const stop = new AbortController();
  const progress = ({ stage, done }: { stage: string; done: number }) => {
    if (stage === 'attack' && done >= outcomes) stop.abort();
  };
  await expect(attack(plan, folder, { signal: stop.signal, progress })).rejects.toThrow(RunInterrupted);
  return folder;
}

async function whole(plan = planOf()): Promise<string> {
  const folder = await createRun(root, plan);
  await attack(plan, folder);
  return bytesOf(folder);
}

describe.skipIf(!existsSync(fileURLToPath(new URL('../../dist/src/run/index.js', import.meta.url))))('killed', () => {
  const script = fileURLToPath(new URL('run-process.mjs', import.meta.url));

  /** Starts a run and kills it with SIGKILL after a number of lines of progress. Returns its id. */
  async function killedAfter(lines: number, id: string): Promise<string> {
    const child: ChildProcess = spawn(process.execPath, [script, root, id], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let seen = -1;
    let run = '';
    for await (const line of createInterface({ input: child.stdout! })) {
      if (seen < 0) run = line;
      if (++seen === lines) child.kill('SIGKILL');
    }
    const [code, signal] = await ended;
    expect(lines === Number.POSITIVE_INFINITY ? code : signal).toBe(lines === Number.POSITIVE_INFINITY ? 0 : 'SIGKILL');
    return run;
  }

  test('with SIGKILL at several moments, then continued: the same bytes', async () => {
    const reference = await openRun(root, await killedAfter(Number.POSITIVE_INFINITY, 'new'));
    const id = await killedAfter(1, 'new');
    for (const lines of [0, 2, 40, 150]) await killedAfter(lines, id);
    const folder = await openRun(root, id);
    expect(folder.record.status).toBe('running');
    expect(bytesOf(folder).length).toBeGreaterThan(0);
    await killedAfter(Number.POSITIVE_INFINITY, id);
    expect(bytesOf(folder)).toBe(bytesOf(reference));
    expect((await readReport(await openRun(root, id))).clean).toEqual((await readReport(reference)).clean);
  });
});

test.each([1, 2, 17, 40, 300])('a last line torn %i bytes before its end is run again', async (missing) => {
  const folder = await stoppedAfter(30);
  const journal = join(folder.path, 'results.jsonl');
  truncateSync(journal, readFileSync(journal).length - missing);
  await attack(planOf(), folder);
  expect(bytesOf(folder)).toBe(await whole());
});

test.each(['not json\n', '\u0000\u0000\n', '{"index":1}\n', '{"attack":"mangle","index":4000}\n', '[1]\n', 'null\n'])(
  'everything from an unreadable line (%j) on is run again',
  async (damage) => {
    const folder = await stoppedAfter(30);
    const journal = join(folder.path, 'results.jsonl');
    const lines = readFileSync(journal, 'utf8').split(/(?<=\n)/);
    writeFileSync(journal, [...lines.slice(0, 12), damage, ...lines.slice(12)].join(''));
    await attack(planOf(), folder);
    expect(bytesOf(folder)).toBe(await whole());
  },
);

test('a torn record of the clean pass is classified again', async () => {
  const plan = planOf({ dataset: sentences(600), attacks: [] });
  const folder = await createRun(root, plan);
  const stop = new AbortController();
  await expect(attack(plan, folder, { signal: stop.signal, progress: () => stop.abort() })).rejects.toThrow(
    RunInterrupted,
  );
  const answers = join(folder.path, 'clean.bin');
  truncateSync(answers, readFileSync(answers).length - 5);
  const report = await attack(plan, folder);
  const fresh = await createRun(root, plan);
  expect(report.clean).toEqual((await attack(plan, fresh)).clean);
});

test.each([0, 5, 11, 16 * 100 + 2])('clean answers of which byte %i was damaged are queried again', async (at) => {
  const plan = planOf({ dataset: sentences(600), attacks: [] });
  const folder = await createRun(root, plan);
  const stop = new AbortController();
  await expect(attack(plan, folder, { signal: stop.signal, progress: () => stop.abort() })).rejects.toThrow(
    RunInterrupted,
  );
  const path = join(folder.path, 'clean.bin');
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(path, bytes);
  const report = await attack(plan, folder);
  const fresh = await createRun(root, plan);
  expect(report.clean).toEqual((await attack(plan, fresh)).clean);
});

test('a run killed while it was putting its journal into order ends with the same bytes', async () => {
  const folder = await createRun(root, planOf());
  await attack(planOf(), folder);
  const bytes = bytesOf(folder);
  writeFileSync(
    join(folder.path, 'results.jsonl'),
    bytes
      .split(/(?<=\n)/)
      .reverse()
      .join(''),
  );
  const half = temporaryPathOf(join(folder.path, 'results.jsonl')).replace(`-${process.pid}-`, '-4194305-'); // above any process
  writeFileSync(half, bytes.slice(0, 1000));
  folder.update({ status: 'running' });
  await attack(planOf(), folder);
  expect(bytesOf(folder)).toBe(bytes);
  expect(existsSync(half)).toBe(false);
});

test('an outcome that was appended twice counts once', async () => {
  const folder = await stoppedAfter(30);
  const journal = join(folder.path, 'results.jsonl');
  appendFileSync(journal, `${readFileSync(journal, 'utf8').split('\n')[3]}\n`);
  await attack(planOf(), folder);
  expect(bytesOf(folder)).toBe(await whole());
});

test('a finished run is not run again', async () => {
  const folder = await createRun(root, planOf());
  const report = await attack(planOf(), folder);
  const never = victim({ labels: sentiment.labels, classify: () => Promise.reject(new Error('asked')) });
  const again = await attack(planOf({ model: never }), await openRun(root, folder.id));
  expect({ ...again, examples: null }).toEqual({ ...report, examples: null });
});

test.each([
  ['model', planOf({ model: { ...planOf().model, sha256: 'other' } })],
  ['labels', planOf({ model: victim({ ...sentiment, labels: ['a', 'b'] }) })],
  ['data', planOf({ dataset: sentences(41) })],
  ['seed', planOf({ seed: 43 })],
  ['numExamples', planOf({ numExamples: 5 })],
  ['queryBudget', planOf({ queryBudget: 9 })],
  ['runBudget', planOf({ runBudget: 9 })],
  ['attacks', planOf({ attacks: planOf().attacks.slice(1) })],
  ['attacks', planOf({ attacks: [planned(mangle as never, 'mangle', { tries: 6 }), planOf().attacks[1]!] })],
  ['constraints', planOf({ constraints: [{ name: 'at most 3 edits' }] })],
  ['engine', planOf({ engine: 'tfjs' })],
  ['toolVersion', planOf({ toolVersion: '9' })],
])('continuing with another %s is refused by name', async (_name, plan) => {
  const folder = await createRun(root, planOf());
  await refusal(attack(plan, folder), 'RESUME_MISMATCH');
});

test('other concurrency and error rate continue a run', async () => {
  const folder = await stoppedAfter(10);
  await attack(planOf({ concurrency: 3, maxErrorRate: 0.5, command: 'robust attack --resume' }), folder);
  expect(bytesOf(folder)).toBe(await whole());
});

test('stopping does not wait for an answer that may never come', async () => {
  const stop = new AbortController();
  const classify = () => {
    setImmediate(() => stop.abort());
    return new Promise<never>(() => {});
  };
  const plan = planOf({ model: victim({ labels: sentiment.labels, classify }) });
  const folder = await createRun(root, plan);
  const running = attack(plan, folder, { signal: stop.signal });
  await refusal(running, 'INTERRUPTED');
});

test('a signal that was aborted beforehand stops at once', async () => {
  const folder = await createRun(root, planOf());
  await expect(attack(planOf(), folder, { signal: AbortSignal.abort() })).rejects.toThrow(RunInterrupted);
  expect(existsSync(join(folder.path, 'results.jsonl'))).toBe(false);
});
