/** Long documents in windows: every token is read, short texts are as they were, and edits at the end of a text count. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { combined, MOST_WINDOWS, strideOf, windowStarts } from '../../src/model/classifiers/windows.js';
import { type LoadOptions, loadModel } from '../../src/model/load.js';
import { folder, robust } from '../commands/cli.js';
import { refusal } from '../refusal.js';
import { config, type Toy, toyFolder } from './toy.js';

async function load(windows: LoadOptions['windows'], options: LoadOptions = {}, toy: Toy = {}, files = {}) {
  const model = await loadModel(toyFolder(toy, files), { workers: 1, ...(windows && { windows }), ...options });
  onTestFinished(() => model.close());
  return model;
}

test('windows cover a text, none is short, and the last one ends where the text does', async () => {
  const sizes = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1 }));
  fc.assert(
    fc.property(sizes, ([length, room, any]) => {
      const stride = 1 + (any % room);
      const { starts, cut } = windowStarts(length, room, stride);
      expect(starts[0]).toBe(0);
      const gaps = starts.slice(1).map((from, at) => from - (starts[at] as number));
      expect(gaps.every((gap) => gap > 0 && gap <= stride)).toBe(true);
      expect(starts.length).toBeLessThanOrEqual(MOST_WINDOWS);
      expect(cut).toBe(Math.ceil(Math.max(0, length - room) / stride) + 1 > MOST_WINDOWS);
      if (!cut) expect((starts.at(-1) as number) + Math.min(room, length)).toBe(length);
    }),
  );
  expect(strideOf({ by: 'max' }, 14)).toBe(7);
  await refusal(() => strideOf({ by: 'max', stride: 15 }, 14));
});

test('rows are put together label by label', () => {
  const rows = [Float32Array.of(0.25, 0.75), Float32Array.of(0.5, 0.5)];
  expect(combined(rows, 'mean', true)).toEqual(Float32Array.of(0.375, 0.625));
  expect(combined(rows, 'max', false)).toEqual(Float32Array.of(0.5, 0.75));
  expect(combined(rows, 'max', true)).toEqual(Float32Array.of(0.4, 0.6));
  expect(combined(rows.slice(0, 1), 'max', true)).toBe(rows[0]);
});

// The toy takes 16 tokens, of which 2 are special: windows of 14, one every 7.
const long = `${'film '.repeat(14)}good bad bad !`.split(' ');
const pieces = [long.slice(0, 14), long.slice(4)].map((words) => words.join(' '));

describe('a model', () => {
  test.each(['mean', 'max'] as const)(
    'answers a long text by the %s of its windows, a short one as without windows',
    async (by) => {
      const [model, plain] = [await load({ by }), await load(undefined)];
      const [a, b] = (await plain.classify(pieces)) as [Float32Array, Float32Array];
      const [row, short] = await model.classify([long.join(' '), 'a good film']);
      expect(row).toEqual(combined([a, b], by, true));
      expect(short).toEqual((await plain.classify(['a good film']))[0]);
      expect(row).not.toEqual((await plain.classify([long.join(' ')]))[0]);
      expect(row!.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 5);
      expect(model.output).toMatchObject({ windows: { by, tokens: 16, stride: 7 } });
      expect(model.output!.remarks).toEqual([expect.stringMatching(/windows of that length, one every 7/)]);
      expect(model.figures().truncated).toBe(0);
    },
  );

  test('keeps scores that are independent of each other as they are', async () => {
    const files = { 'config.json': config(['a', 'b'], { problem_type: 'multi_label_classification' }) };
    const options = { decision: 'multi-label' } as const;
    const [model, plain] = [await load({ by: 'max' }, options, {}, files), await load(undefined, options, {}, files)];
    const [a, b] = (await plain.classify(pieces)) as [Float32Array, Float32Array];
    expect((await model.classify([long.join(' ')]))[0]).toEqual(a.map((p, at) => Math.max(p, b[at]!)));
  });

  test('says what is longer than all windows', async () => {
    const warnings: string[] = [];
    const model = await load({ by: 'mean', stride: 1 }, { onWarning: (line) => warnings.push(line) });
    await model.classify(['film '.repeat(200)]);
    await model.close();
    expect(warnings.at(-1)).toMatch(/1 text was longer than 100 windows of 16 tokens and cut/);
  });

  test('is refused where it reads no windows', async () => {
    await expect(load({ by: 'max', stride: 99 })).rejects.toMatchObject({ code: 'OPTION_INVALID', exit: 2 });
    const model = await load({ by: 'max' });
    await expect(model.classify([`good\uFDD0${long.join(' ')}`])).rejects.toMatchObject({ code: 'PAIRS_UNSUPPORTED' });
  });
});

test('a run says how it read, leaves out what looks inside, and finds what lies beyond the first window', async () => {
  const rows = ['text\tlabel', ...Array.from({ length: 12 }, (_, at) => `${long.join(' ')} ${at}\t${at % 2}`)];
  const cwd = folder({ 'long.tsv': `${rows.join('\n')}\n` });
  const flags = ['-m', toyFolder(), '-d', 'long.tsv', '--runtime', 'concurrency=2'];
  const call = (...args: string[]) => robust(['attack', ...flags, ...args], { cwd });
  const { stdout } = await call('--task', 'windows=max', '-s', 'typos', '-s', 'gradients', '--json', '--force');
  const { result, warnings } = JSON.parse(stdout);
  expect(result.model.output.windows).toEqual({ by: 'max', tokens: 16, stride: 7 });
  expect(warnings.join('\n')).toMatch(/read in windows of that length/);
  expect(result.leftOut.map(({ reason }: { reason: string }) => reason)).toContain(
    'looks into the model, which reads one window at a time',
  );
  // Attacks ask many more texts than there are examples.
  for (const more of [[], ['--defend', 'spelling']]) {
    const cut = await call('-a', 'deepwordbug', '--force', '--json', ...more);
    const told = (JSON.parse(cut.stdout).warnings as string[]).filter((line) => /longer than|\bcut\b/.test(line));
    expect(told).toEqual([expect.stringMatching(/ cut 12 of 12 examples: they are longer than 16 tokens$/)]);
  }
  for (const [args, code, says] of [
    [['--task', 'windows=4'], 2, /--task windows: expected one of max, mean, got "4"/],
    [['--task', 'stride=4'], 2, /--task stride: expected windows=max or windows=mean/],
    [['--task', 'windows=max', '-a', 'hotflip'], 2, /one window at a time/],
  ] as const) {
    const ended = await call(...args);
    expect(ended.stderr).toMatch(says);
    expect(ended.code).toBe(code);
  }
});
