/** The library as a user imports it: the same results as the command line's, nothing printed, errors thrown. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type * as Api from '../src/api.js';
import type * as Matchers from '../src/vitest.js';
import { refusal } from './refusal.js';

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
    [{ numExamples: -1 }, 'FLAG_INVALID'],
    [{ suits: ['typos'] }, 'OPTION_NOT_FOUND'],
    [{ model: './nothing.onnx' }, 'MODEL_NOT_FOUND'],
    [{ attacks: ['deepwordbgu'] }, 'ATTACK_NOT_FOUND'],
  ])('%j is refused', async (options, code) => {
    await refusal(api.attack({ model: toy, ...options } as never), code);
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
    expect(failed.message()).toMatch(
      /failed: overall\.accuracyUnderAttack at least 99\.9 %, got .*\(\d+-\d+\), n = 60$/m,
    );
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
    await refusal(asserted, 'FLAG_INVALID');
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

describe('values in place of names', () => {
  const model = {
    labels: ['negative', 'positive'],
    classify: async (texts: readonly string[]) =>
      texts.map((text) => (/good|fine/i.test(text) ? Float32Array.of(0.1, 0.9) : Float32Array.of(0.8, 0.2))),
  };
  const rows = Array.from({ length: 12 }, (_, at) => ({
    text: `A ${at % 2 ? 'good' : 'dull'} film, number ${at}`,
    label: at % 2,
  }));
  const readable = async function* () {
    yield* rows;
  };

  test.each([
    ['rows', () => rows],
    ['an iterable', () => new Set(rows)],
    ['a generator', () => rows.values()],
    ['an async iterable', () => readable()],
    ['a function', () => readable],
  ])('an object as the model, and %s as data', async (_, data) => {
    const notes: string[] = [];
    const {
      clean,
      model: found,
      data: read,
    } = await api.evaluate({ model, data: data(), onNote: (line) => notes.push(line) });
    expect(clean.accuracy).toMatchObject({ value: 1, n: 12 });
    expect([found.name, read.name]).toEqual(['model', expect.stringMatching(/^(rows|readable)$/)]);
    expect(notes.join()).toContain('can resume');
  });

  test('functions as defence, attack, transformation, constraint and search; the run cannot be resumed', async () => {
    const shout = async (text: string) => [text, text.replace(/good/, 'GOOOD')];
    const report = await api.attack({
      model,
      data: rows,
      defend: [(text) => text.toLowerCase()],
      attacks: [shout],
      transformation: (word) => [`${word}${word}`],
      constraints: [(candidates) => candidates.map(() => true)],
      search: async (space) => void (await space.visit(await space.neighbours(space.start.draft, [1]))),
    });
    expect(report.attacks.map(({ name, succeeded }) => [name, succeeded])).toEqual([
      ['shout', 6],
      ['custom', expect.any(Number)],
    ]);
    await expect(api.attack({ resume: report.run })).rejects.toMatchObject({
      code: expect.stringMatching(/^(PLUGIN_NOT_FOUND|RUN_NAMES_CODE)$/),
    });
  });

  test('what they throw is a RobustError that says where', async () => {
    const defend = [
      (text: string): string => {
        throw new Error(`no ${text.length}`);
      },
    ];
    await refusal(api.evaluate({ model, data: rows, defend }), 'PLUGIN_DAMAGED');
  });

  test('a signal that is aborted before: its reason is thrown, and no run is made', async () => {
    const before = readdirSync(join(folder, '.robust', 'runs'));
    const reason = new Error('enough');
    await expect(api.attack({ model, data: rows, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(readdirSync(join(folder, '.robust', 'runs'))).toEqual(before);
  });

  test.each([
    [{ labelMap: { good: 'fine' } }, /^labelMap good=fine/],
    [
      {
        data: [
          { body: 'x', is: 1 },
          { body: 'y', is: 0 },
        ],
      },
      /Name it with labelColumn\./,
    ],
    [{ numExamples: 2, offset: 100 }, /^offset: 100/],
  ])('messages name options: %j', async (options, says) => {
    const thrown = await api.evaluate({ model, data: rows, ...options } as never).catch((error) => error);
    expect(`${thrown.message} ${thrown.hint}`).toMatch(says);
    expect(`${thrown.message} ${thrown.hint}`).not.toMatch(/--[a-z]/);
  });
});
