/** The library as a user imports it: the same results as the command line's, nothing printed, errors thrown. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Api from '../src/api.js';
import type * as Matchers from '../src/vitest.js';

const built = (file: string): string => pathToFileURL(join(import.meta.dirname, '..', 'dist', 'bundle', file)).href;
const toy = join(import.meta.dirname, 'commands', 'toy-classifier.mjs');

let api: typeof Api;
let matchers: typeof Matchers;
const home = process.cwd();
let folder: string;

beforeAll(async () => {
  api = (await import(built('api.js'))) as typeof Api;
  matchers = (await import(built('vitest.js'))) as typeof Matchers;
  folder = mkdtempSync(join(tmpdir(), 'robust-api-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  process.chdir(folder);
});

afterAll(() => {
  vi.restoreAllMocks();
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

describe('attack', () => {
  test('of parts by name, written as on the command line or out', async () => {
    const report = await api.attack({
      model: toy,
      numExamples: 8,
      transformation: { name: 'pruthi', options: { insert: 'alphabet' } },
      search: 'beam:width=2',
      constraints: ['max-edits=2', { name: 'max-words', options: { words: 1 } }],
      goal: 'targeted:label=negative',
      attacks: [{ name: 'mine', transformation: 'leet' }],
    });
    expect(report.attacks.map(({ name, constraints }) => ({ name, constraints }))).toEqual([
      { name: 'mine', constraints: ['at most 2 character edits', 'at most 1 word edited'] },
      { name: 'custom', constraints: ['at most 2 character edits', 'at most 1 word edited'] },
    ]);
  });

  test('returns the report, keeps the run, reports its progress', async () => {
    const runs: string[] = [];
    const stages = new Set<string>();
    const report = await api.attack({
      model: toy,
      attacks: ['deepwordbug'],
      numExamples: 8,
      onRun: (id) => runs.push(id),
      onProgress: (now) => stages.add('stage' in now ? now.stage : now.title),
    });
    expect(report.attacks.map(({ name }) => name)).toEqual(['deepwordbug']);
    expect(runs).toEqual([report.run]);
    expect(stages).toContain('attack');
    const outcomes = [];
    for await (const outcome of report.examples) outcomes.push(outcome);
    expect(outcomes).toHaveLength(8);
    const lines = readFileSync(join(folder, '.robust', 'runs', report.run, 'results.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(8);
    expect((await api.report(report.run)).overall).toEqual(report.overall);
  });

  test('the same seed gives the same bytes', async () => {
    const journals = [];
    for (let at = 0; at < 2; at++) {
      const { run } = await api.attack({ model: toy, attacks: ['pruthi'], numExamples: 5, concurrency: 1 + 7 * at });
      journals.push(readFileSync(join(folder, '.robust', 'runs', run, 'results.jsonl'), 'utf8'));
    }
    expect(journals[0]).toBe(journals[1]);
  });

  test('an aborted signal ends it with INTERRUPTED, and it can be resumed', async () => {
    const stop = new AbortController();
    let run = '';
    const cut = api.attack({
      model: toy,
      attacks: ['deepwordbug'],
      numExamples: 20,
      concurrency: 1,
      signal: stop.signal,
      onRun: (id) => {
        run = id;
      },
      onProgress: () => stop.abort(),
    });
    await expect(cut).rejects.toMatchObject({ code: 'INTERRUPTED' });
    const report = await api.attack({ resume: run });
    expect(report.run).toBe(run);
    expect(report.data.examples).toBe(20);
  });

  test.each([
    [{ numExamples: -1 }, 'FLAG_INVALID', /numExamples: expected a whole number of at least 0, got -1/],
    [{ suits: ['typos'] }, 'OPTION_NOT_FOUND', /"suits"/],
    [{ model: './nothing.onnx' }, 'MODEL_NOT_FOUND', /nothing\.onnx/],
    [{ attacks: ['deepwordbgu'] }, 'ATTACK_NOT_FOUND', /deepwordbgu/],
  ])('%j is refused', async (options, code, message) => {
    await expect(api.attack({ model: toy, ...options } as never)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});

test('evaluate, explain, compare and gate', async () => {
  const { clean, data } = await api.evaluate({ model: toy, numExamples: 40 });
  expect(data.examples).toBe(40);
  expect(clean.accuracy.n).toBe(40);
  const { explanations } = await api.explain({ model: toy, text: 'a good film', method: ['shap'] });
  expect(explanations).toHaveLength(1);
  const few = await api.gate({
    model: toy,
    attacks: ['deepwordbug'],
    numExamples: 5,
    require: ['deepwordbug.attackSuccessRate >= 0 and <= 1'],
  });
  expect(few.verdict).toBe('inconclusive');
  expect(few.reasons?.length).toBeGreaterThan(0);
});

test('review: planned, answered by two readers, figures in the review and in the report of the run', async () => {
  const { run } = await api.attack({ model: toy, attacks: ['deepwordbug'], numExamples: 40 });
  expect(await api.review({ run, numExamples: 5 })).toMatchObject({ run, changed: true, readers: [] });
  for (const as of ['anna', 'ben']) {
    const session = await api.reviewSession({ run, as });
    const { total } = session.progress;
    for (let item = session.next(); item !== undefined; item = session.next()) {
      session.answer(item.id, item.texts[0].length % session.question.options.length);
    }
    expect(session.progress).toEqual({ answered: total, total });
  }
  const { readers, review } = await api.review({ run });
  expect(readers.map(({ name, kind }) => [name, kind])).toEqual([
    ['anna', 'person'],
    ['ben', 'person'],
  ]);
  expect(review?.verdict).toBe('inconclusive');
  expect((await api.report(run)).review).toEqual(review);
  await expect(api.review({ run, terminal: true } as never)).rejects.toMatchObject({ code: 'OPTION_NOT_FOUND' });
  await expect(api.reviewSession({ run, as: '../anna' })).rejects.toMatchObject({ code: 'NAME_INVALID' });
});

describe('toBeRobust', () => {
  const options = { attacks: ['deepwordbug'], numExamples: 60, minExamples: 10 } as const;

  test('passes and fails by the limits, and says why', async () => {
    expect((await matchers.toBeRobust(toy, { ...options, accuracyUnderAttack: '>= 0 and <= 1' })).pass).toBe(true);
    const failed = await matchers.toBeRobust(toy, { ...options, accuracyUnderAttack: '>= 0.999' });
    expect(failed.pass).toBe(false);
    expect(failed.message()).toMatch(/failed: overall\.accuracyUnderAttack at least 99\.9 %, got .* of \d+/);
    await expect(matchers.assertRobust(toy, { ...options, accuracyUnderAttack: '>= 0.999' })).rejects.toMatchObject({
      code: 'NOT_ROBUST',
    });
  });

  test('an inconclusive run is neither robust nor not', async () => {
    const said = matchers.toBeRobust(toy, { ...options, numExamples: 3, accuracyUnderAttack: '>= 0 and <= 1' });
    await expect(said).rejects.toMatchObject({ code: 'INCONCLUSIVE' });
  });

  test('a finished run is refused: it may be of another model', async () => {
    const { run } = await api.attack({ model: toy, attacks: ['deepwordbug'], numExamples: 40 });
    const limits = { minExamples: 10, accuracyUnderAttack: '>= 0 and <= 1' };
    // @ts-expect-error: the types refuse it, too.
    const asserted = matchers.assertRobust('no-such-model', { ...limits, run });
    await expect(asserted).rejects.toMatchObject({
      code: 'FLAG_INVALID',
      message: expect.stringMatching(/another model/),
    });
    // @ts-expect-error: as above.
    await expect(matchers.toBeRobust('no-such-model', { ...limits, run })).rejects.toMatchObject({
      code: 'FLAG_INVALID',
    });
  });

  test('without a limit it sends no query', async () => {
    await expect(matchers.toBeRobust(toy, options)).rejects.toMatchObject({ code: 'FLAG_INVALID' });
  });
});

test('nothing is printed, nothing is decided about the process', async () => {
  const streams = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  await api.attack({ model: toy, attacks: ['deepwordbug'], numExamples: 3 });
  expect(streams.map((stream) => stream.mock.calls)).toEqual([[], []]);
  for (const stream of streams) stream.mockRestore();
  expect(process.exitCode).toBeUndefined();
});
