/** A model that begins with word vectors learnt elsewhere. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readWordVectors } from '../../src/language/word-vectors.js';
import { type FreshStart, trainModel } from '../../src/train/index.js';
import type { OpenVectors } from '../../src/train/pretrained.js';
import { startFresh, type TrainingStart } from '../../src/train/start.js';
import { folder, OPTIONS, toyData } from './toy.js';

const DRAWN = { seed: 7 };
const WORDS: FreshStart = {
  kind: 'fresh',
  architecture: 'bilstm',
  size: { vocabulary: 60, maxTokens: 16, dim: 3, layers: 1, heads: 1, feedForward: 4 },
  half: false,
};
const PIECES: FreshStart = { ...WORDS, architecture: 'distilbert' };

/** Ten words; the data knows good, fine, bad, poor, a, b, c and d. */
const TEN = `good 1 0 0
fine 2 0.2 0
bad 0 1 0
poor 0 4 0.4
a 0 0 1
b 0 0 -1
c 0 0 0
tiger 1 1 1
Poor 9 9 9
d 3 0 4
`;

const file = (content = TEN): string => {
  const path = join(folder(), 'vectors.txt');
  writeFileSync(path, content);
  return path;
};
const from =
  (path: string): OpenVectors =>
  (words) =>
    readWordVectors(path, words);

async function begin(start: FreshStart, output = folder()): Promise<{ started: TrainingStart; notes: string[] }> {
  const notes: string[] = [];
  const started = await startFresh(start, toyData(80, 'train'), output, DRAWN, (line) => notes.push(line));
  return { started, notes };
}

/** Token -> its row. */
function rowsOf({ trainable, vocabulary = [] }: TrainingStart): Map<string, number[]> {
  const table = trainable.lookups.find(({ role }) => role === 'ids')?.table;
  const { values, dims } = trainable.parameters.find(({ name }) => name === table) ?? { values: [], dims: [] };
  const width = dims[1] as number;
  return new Map(vocabulary.map((token, id) => [token, [...values.slice(id * width, (id + 1) * width)]]));
}

const cosine = (a: number[] = [], b: number[] = []): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0) / (Math.hypot(...a) * Math.hypot(...b));

describe('rows of the table', () => {
  test('point where the vectors do, as long as they were drawn; words without one stay as drawn', async () => {
    const { started, notes } = await begin({ ...WORDS, vectors: from(file()) });
    expect(notes).toEqual(['7 of 8 words begin with a vector']);
    const [rows, drawn] = [rowsOf(started), rowsOf((await begin(WORDS)).started)];
    for (const [token, vector] of Object.entries({ good: [1, 0, 0], poor: [0, 4, 0.4], b: [0, 0, -1], d: [3, 0, 4] })) {
      expect(cosine(rows.get(token), vector)).toBeCloseTo(1, 5);
      expect(Math.hypot(...(rows.get(token) as number[]))).toBeCloseTo(
        Math.hypot(...(drawn.get(token) as number[])),
        5,
      );
    }
    for (const token of ['c', '[PAD]', '[UNK]', '[CLS]']) expect(rows.get(token)).toEqual(drawn.get(token));
    const others = (start: TrainingStart) => start.trainable.parameters.slice(1).map(({ values }) => values);
    expect(others(started)).toEqual(others((await begin(WORDS)).started));
  });

  test('of pieces are the mean of the words they occur in', async () => {
    // As many pieces as there are characters: every word is cut into letters.
    const { started, notes } = await begin({
      ...PIECES,
      size: { ...PIECES.size, vocabulary: 19 },
      vectors: from(file()),
    });
    const rows = rowsOf(started);
    expect(notes).toEqual(['13 of 14 word pieces begin with a vector']);
    // "g" stands only in good, "##n" in fine, "##o" twice in good and in poor.
    expect(cosine(rows.get('g'), [1, 0, 0])).toBeCloseTo(1, 5);
    expect(cosine(rows.get('##n'), [2, 0.2, 0])).toBeCloseTo(1, 5);
    const count = { good: 0, poor: 0 };
    for await (const { text } of toyData(80, 'train').examples()) {
      for (const word of ['good', 'poor'] as const) if (text.split(' ').includes(word)) count[word]++;
    }
    const poor = count.poor / Math.hypot(4, 0.4);
    expect(cosine(rows.get('##o'), [count.good, 4 * poor, 0.4 * poor])).toBeCloseTo(1, 5);
    expect(count.poor / count.good).toBeGreaterThan(0.5);
  });

  test('of a wider model keep the angles nearly, the same ones each time', async () => {
    const wide = { ...WORDS, size: { ...WORDS.size, dim: 400 }, vectors: from(file()) };
    const [first, second] = [rowsOf((await begin(wide)).started), rowsOf((await begin(wide)).started)];
    expect(first).toEqual(second);
    expect(cosine(first.get('good'), first.get('fine'))).toBeGreaterThan(0.98);
    expect(cosine(first.get('a'), first.get('b'))).toBeCloseTo(-1, 5);
    expect(Math.abs(cosine(first.get('good'), first.get('bad')))).toBeLessThan(0.2);
  });
});

test('vectors of no word of the data are refused before anything is written', async () => {
  const output = folder();
  const vectors = from(file('tigre 1 2 3\nPoor 1 2 3\nc 0 0 0\n'));
  const refused = { code: 'VECTORS_MISMATCH', exit: 2 };
  await expect(begin({ ...WORDS, vectors }, output)).rejects.toMatchObject(refused);
  expect(readdirSync(output)).toEqual([]);
});

test('a model of characters takes none, and says what to do instead', async () => {
  const output = folder();
  const start: FreshStart = { ...WORDS, architecture: 'char-bilstm', vectors: from(file()) };
  await expect(begin(start, output)).rejects.toMatchObject({ code: 'ARCHITECTURE_INVALID', exit: 2 });
  expect(readdirSync(output)).toEqual([]);
});

test('the training goes from them to the end, and they decide its weights', async () => {
  const trained = async (vectors?: OpenVectors) => {
    const output = folder();
    return trainModel({
      start: { ...WORDS, ...(vectors && { vectors }) },
      train: toyData(64, 'train'),
      validation: toyData(40, 'validation'),
      options: { ...OPTIONS, epochs: 4, rate: 2e-2 },
      threads: 1,
      output,
      folder: join(output, 'training'),
      resume: false,
    });
  };
  const [without, begun] = [await trained(), await trained(from(file()))];
  expect(begun.points.at(-1)?.validation.accuracy).toBeGreaterThan(0.9);
  expect(begun.points[0]?.loss).not.toBe(without.points[0]?.loss);
});
