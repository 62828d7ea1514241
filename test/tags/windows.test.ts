/** Long documents of a model that tags: read in windows, and an entity pushed onto the seam of two. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attack } from '../../src/api.js';
import { collect } from '../../src/core/take.js';
import { loadModel } from '../../src/model/load.js';

const model = fileURLToPath(new URL('goldens/bert', import.meta.url));
const home = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'robust-tag-windows-'));
beforeAll(() => process.chdir(folder));
afterAll(() => process.chdir(home));

/** Each is one token of the model. */
const WORDS = ['met', 'the', 'cat', 'new', 'Ann', 'Lee', 'in', 'York', 'Bob', 'left', 'of'];
const open = (windows?: { by: 'max' | 'mean'; stride?: number }) =>
  loadModel(model, { decision: 'tags', workers: 1, hub: { cache: join(folder, 'hub') }, ...(windows && { windows }) });

test('windows side by side have the units of their parts, led back to the text', async () => {
  const whole = await open({ by: 'mean', stride: 62 });
  const alone = await open();
  expect(whole.maximumTokens).toBe(64);
  expect(whole.output?.windows).toEqual({ by: 'mean', tokens: 64, stride: 62 });
  // One token a word, so that windows of 62 tokens are 62 words.
  const words = Array.from({ length: 150 }, (_, at) => WORDS[(at * 5 + (at >> 3)) % WORDS.length]!);
  const text = words.join(' ');
  const starts = [0, 62, 124 - 36];
  const found = (await whole.tags!.tags(text)).units;
  expect(found).toHaveLength(150);
  for (const [start, end] of [
    [0, 62],
    [62, 88],
  ] as const) {
    const from = words.slice(0, start).join(' ').length + (start > 0 ? 1 : 0);
    const { units } = await alone.tags!.tags(words.slice(start, start + 62).join(' '));
    for (let at = start; at < end; at++) {
      const unit = units[at - start]!;
      expect(found[at]).toMatchObject({ start: unit.start + from, end: unit.end + from });
      expect([...found[at]!.types]).toEqual([...unit.types]);
    }
  }
  // The last window ends where the text does; where two overlap, a token has the mean of its rows.
  const [second, last] = [
    (await alone.tags!.tags(words.slice(62, 124).join(' '))).units,
    (await alone.tags!.tags(words.slice(starts[2]).join(' '))).units,
  ];
  for (const [type, score] of found[100]!.types.entries())
    expect(score).toBeCloseTo((second[100 - 62]!.types[type]! + last[100 - 88]!.types[type]!) / 2, 6);
  await Promise.all([whole.close(), alone.close()]);
});

test('a text that fits is read as without windows; a cut one is counted', async () => {
  const [windowed, plain] = [await open({ by: 'max' }), await open()];
  const [short, long] = ['Ann Lee left York', Array.from({ length: 90 }, () => 'cat').join(' ')];
  expect(await windowed.tags!.tags(short)).toEqual(await plain.tags!.tags(short));
  expect((await plain.tags!.tags(long)).units).toHaveLength(62);
  expect((await windowed.tags!.tags(long)).units).toHaveLength(90);
  expect([plain.limit?.cuts(long), windowed.limit?.cuts(long)]).toEqual([true, false]);
  await Promise.all([windowed.close(), plain.close()]);
});

test('entity-seam pushes an entity along the windows, and its place follows', async () => {
  const data = join(folder, 'notes.jsonl');
  const rows = ['Ann Lee left York', 'the cat saw Bob'].map((text) => ({
    text,
    spans: [...text.matchAll(/Ann Lee|York|Bob/g)].map(({ 0: found, index }) => ({
      start: index,
      end: index + found.length,
      type: found === 'York' ? 'LOC' : 'PER',
    })),
  }));
  writeFileSync(data, rows.map((row) => JSON.stringify(row)).join('\n'));
  const report = await attack({
    ...{ model, data, task: 'tags', attacks: ['entity-seam:words=70'], windows: 'max', stride: 62 },
    ...{ numExamples: 0, force: true, workers: 1 },
  });
  const outcomes = (await collect(report.examples)).filter(({ status }) => status === 'succeeded');
  for (const { text, adversarial = '', entities = [], tags } of outcomes) {
    expect(adversarial.endsWith(` ${text}`)).toBe(true);
    const places = tags?.entities?.map(({ start, end }) => adversarial.slice(start, end));
    expect(places).toEqual(entities.map(({ start, end }) => text.slice(start, end)));
  }
  expect(report.attacks[0]?.errored).toBe(0);
});
