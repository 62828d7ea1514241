/** Texts as feature vectors: what scikit-learn makes of them, to the last digit a float holds, and graphs that take them. */
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { floats, GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Dimension } from '../../packages/onnx/src/graph/model.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { parseManifest } from '../../src/model/opening/manifest.js';
import { createEncoder } from '../../src/model/tokens/create-encoder.js';
import { unpack } from '../../src/model/tokens/features.js';
import { murmur3 } from '../../src/model/tokens/hashes.js';
import { pythonPattern } from '../../src/model/tokens/python-pattern.js';
import { refusal } from '../refusal.js';
import { config, folder, toyFolder } from './toy.js';

interface Golden {
  readonly texts: string[];
  readonly murmur3: [string, number][];
  readonly cases: {
    readonly name: string;
    readonly spec: Record<string, unknown>;
    readonly features: number;
    readonly vocabulary?: Record<string, number>;
    readonly idf?: number[];
    readonly rows: [column: number, value: number][][];
  }[];
}
const golden: Golden = JSON.parse(readFileSync(new URL('scikit-learn.json', import.meta.url), 'utf8'));

/** The encoder of a manifest's input; `files` lie beside it. */
async function encoderOf(input: object, files: Parameters<typeof folder>[0] = {}) {
  const path = folder(files);
  const manifest = parseManifest({ input }, 'robust.json');
  const common = { name: 'm', model: 'm', companions: [], labels: undefined, maximum: undefined, padId: 0, output: {} };
  return createEncoder({ ...common, folder: path, input: manifest.input! });
}

async function rowOf(encoder: Awaited<ReturnType<typeof encoderOf>>, text: string): Promise<[number, number][]> {
  const row = new Float32Array(encoder.features!);
  unpack(encoder.encode(text).ids, row);
  const filled: [number, number][] = [];
  // A million columns: no list of all.
  for (let column = 0; column < row.length; column++) if (row[column] !== 0) filled.push([column, row[column]!]);
  return filled;
}

describe('as scikit-learn', () => {
  test.each(golden.cases)('$name', async ({ spec, features, vocabulary, idf, rows }) => {
    const files = { ...(vocabulary && { 'vocabulary.json': vocabulary }), ...(idf && { 'idf.json': idf }) };
    const named = { ...(vocabulary && { vocabulary: 'vocabulary.json' }), ...(idf && { idf: 'idf.json' }) };
    const encoder = await encoderOf({ ...named, ...spec }, files);
    expect(encoder.features).toBe(features);
    for (const [at, text] of golden.texts.entries()) {
      const row = await rowOf(encoder, text);
      expect(row.map(([column]) => column)).toEqual(rows[at]!.map(([column]) => column));
      row.forEach(([, value], place) => {
        expect(value).toBeCloseTo(rows[at]![place]![1], 6);
      });
    }
  });

  test('murmur3, by its own numbers', () => {
    for (const [term, hash] of golden.murmur3) expect(murmur3(term)).toBe(hash);
  });

  test('tf-idf by hand', async () => {
    const files = { 'v.json': { bad: 0, film: 1, good: 2 }, 'i.json': [2, 1, 3] };
    const encoder = await encoderOf({ kind: 'tfidf', vocabulary: 'v.json', idf: 'i.json', sublinear: true }, files);
    // good twice: 1 + ln 2, times 3; film once: 1.
    const good = 3 * (1 + Math.log(2));
    const length = Math.hypot(good, 1);
    const row = await rowOf(encoder, 'Good film, good!');
    expect(row.map(([column]) => column)).toEqual([1, 2]);
    expect(row[0]![1]).toBeCloseTo(1 / length, 6);
    expect(row[1]![1]).toBeCloseTo(good / length, 6);
  });
});

describe("patterns of Python's re", () => {
  test.each<[pattern: string, text: string, found: string[]]>([
    [String.raw`(?u)\b\w\w+\b`, "don't e\u0301té x_1 a", ['don', 'té', 'x_1']],
    [String.raw`[^\W_]+`.replace('\\W', '\\s'), 'a_b c', ['a', 'b', 'c']],
    ['(?i)GOOD', 'good Good', ['good', 'Good']],
    [String.raw`\d{,2}\.`, '123. 4.', ['23.', '4.']],
    [String.raw`[\w\-'@]+`, "it's a-b @me", ["it's", 'a-b', '@me']],
    ['(?P<x>a)(?P=x)', 'aa a', ['aa']],
    ['x{y}|[]a]+', 'x{y} ]a', ['x{y}', ']a']],
    [String.raw`\x41\u0042.$`, 'ABc', ['ABc']],
    [String.raw`\S+`, 'a\x1cb\ufeffc', ['a', 'b\ufeffc']],
    [String.raw`\"\'\-\@`, `"'-@`, [`"'-@`]],
  ])('%s', (pattern, text, found) => {
    expect(Array.from(text.matchAll(pythonPattern(pattern)), ([match]) => match)).toEqual(found);
  });

  test.each(['(?x)a b', '(?i:a)', String.raw`[\W]`, String.raw`\k`, '(', String.raw`a\\`.slice(0, 2), '(?#a)'])(
    '%s is refused',
    (pattern) => {
      expect(() => pythonPattern(pattern)).toThrow(SyntaxError);
    },
  );
});

const VOCABULARY = { bad: 0, film: 1, good: 2, the: 3 };
const WEIGHTS = [-3, 0.1, 3, 0.2];

interface Dense {
  readonly type?: number;
  readonly shape?: readonly Dimension[];
  readonly columns?: number;
  readonly last?: 'gemm' | 'linear' | 'mean';
}

/** A logistic regression over a dense float input [batch, features]. */
function dense({ type = DataType.float, shape = ['batch', 4], columns = 4, last = 'gemm' }: Dense = {}): Uint8Array {
  const g = new GraphBuilder({ opset: 15 });
  const x = g.input('features', type, shape);
  const values = Float32Array.from({ length: columns }, (_, at) => WEIGHTS[at] ?? 0);
  if (last === 'linear') {
    const attributes = {
      coefficients: floats(Array.from(values)),
      intercepts: floats([0]),
      classlabels_ints: [0, 1],
      post_transform: 'LOGISTIC',
    };
    const [, scores] = g.ops('LinearClassifier', [x], ['label', 'scores'], attributes, 'ai.onnx.ml');
    g.output(scores!, DataType.float, ['batch', 2]);
    return g.build();
  }
  let inside = type === DataType.float ? x : g.op('Cast', [x], { to: DataType.float });
  if (last === 'mean') inside = g.op('Sub', [inside, g.op('ReduceMean', [inside], { axes: [0], keepdims: 1 })]);
  const z = g.op('MatMul', [inside, g.initializer('weights', [columns, 1], values)]);
  g.output(g.op('Sigmoid', [z]), DataType.float, ['batch', 1]);
  return g.build();
}

/** The same input, looked up: a graph of ids, as Keras exports them. */
function lookup(): Uint8Array {
  const g = new GraphBuilder({ opset: 15 });
  const ids = g.op('Cast', [g.input('features', DataType.float, ['batch', 4])], { to: DataType.int32 });
  const rows = g.op('Gather', [g.initializer('table', [4, 1], Float32Array.from(WEIGHTS)), ids]);
  const z = g.op('ReduceSum', [rows, g.ints([1])], { keepdims: 0 });
  g.output(g.op('Sigmoid', [z]), DataType.float, ['batch', 1]);
  return g.build();
}

const counts = { kind: 'counts', vocabulary: 'words.json' };
const files = (input: object, graph: Dense = {}) => ({
  'model.onnx': dense(graph),
  'robust.json': { labels: ['no', 'yes'], input },
  'words.json': VOCABULARY,
  'idf.json': [1, 2, 1, 1],
});

async function load(content: Parameters<typeof folder>[0], options = {}): Promise<LoadedModel> {
  const model = await loadModel(folder(content), { workers: 1, ...options });
  onTestFinished(() => model.close());
  return model;
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

describe('graphs of features', () => {
  test.each<[string, Dense]>([
    ['single precision', {}],
    ['double precision', { type: DataType.double }],
    ['any number of columns', { shape: ['batch', 'features'] }],
    ['a batch of 3', { shape: [3, 4] }],
    ["scikit-learn's LinearClassifier", { last: 'linear' }],
  ])('counts, %s', async (_, graph) => {
    const model = await load(files(counts, graph));
    const rows = await model.classify(['Good film', 'bad, BAD film!', 'nothing known', '']);
    [3.1, -5.9, 0, 0].forEach((z, at) => {
      expect(rows[at]![1]).toBeCloseTo(sigmoid(z), 5);
      expect(rows[at]![0]).toBeCloseTo(1 - sigmoid(z), 5);
    });
    // "nothing known" and the empty text are the same row, which is run once.
    expect(model.figures().computed).toBe(3);
  });

  test('tf-idf', async () => {
    const model = await load(files({ kind: 'tfidf', vocabulary: 'words.json', idf: 'idf.json' }));
    const [row] = await model.classify(['good film']);
    expect(row![1]).toBeCloseTo(sigmoid((3 * 1 + 0.1 * 2) / Math.sqrt(5)), 5);
  });

  test('hashing', async () => {
    const hashed = { kind: 'hashing', function: 'murmur3', buckets: 4, norm: 'none' };
    const model = await load(files({ ...hashed, alternateSign: false }));
    const [row] = await model.classify(['good film']);
    expect(row![1]).toBeCloseTo(
      sigmoid(WEIGHTS[Math.abs(murmur3('good')) % 4]! + WEIGHTS[Math.abs(murmur3('film')) % 4]!),
      5,
    );
  });

  test('a text gets the same bytes in any company', async () => {
    const words = ['good', 'bad', 'film', 'the', 'unknown'];
    const texts = Array.from({ length: 200 }, (_, at) =>
      Array.from({ length: at % 7 }, (_, word) => words[(at * 3 + word * word) % 5]).join(' '),
    );
    const alone = await load(files(counts), { batchSize: 1 });
    const together = await load(files(counts), { workers: 2, batchSize: 16, cacheEntries: 0 });
    const expected = [];
    for (const text of texts) expected.push((await alone.classify([text]))[0]);
    expect(await together.classify(texts)).toEqual(expected);
  });

  test('a graph whose rows depend on each other runs each text alone', async () => {
    const warnings: string[] = [];
    const model = await load(files(counts, { last: 'mean' }), {
      onWarning: (message: string) => warnings.push(message),
    });
    expect(warnings[0]).toMatch(/depends on the others in its batch/);
    await model.classify(['good', 'bad', 'film']);
    expect(model.figures().meanBatch).toBe(1);
  });
});

const cases: [name: string, content: () => Parameters<typeof folder>[0], code: string][] = [
  [
    'word ids fed to a graph of counts',
    () => files({ kind: 'word-index', vocabulary: 'words.json', length: 4 }),
    'MODEL_INPUT_MISMATCH',
  ],
  ['counts fed to a graph of ids', () => ({ ...files(counts), 'model.onnx': lookup() }), 'MODEL_INPUT_MISMATCH'],
  ['too few columns', () => files(counts, { shape: ['batch', 5], columns: 5 }), 'MODEL_INPUT_MISMATCH'],
  [
    'too few columns for its weights',
    () => files(counts, { shape: ['batch', 'n'], columns: 5 }),
    'MODEL_INPUT_MISMATCH',
  ],
  [
    'too few columns for a LinearClassifier',
    () => files(counts, { shape: ['batch', 'n'], columns: 5, last: 'linear' }),
    'MODEL_INPUT_MISMATCH',
  ],
  [
    'weights that are not there',
    () => files({ kind: 'tfidf', vocabulary: 'words.json', idf: 'none.json' }),
    'MODEL_DAMAGED',
  ],
  [
    'a vocabulary with a column twice',
    () => ({ ...files(counts), 'words.json': { a: 0, b: 0, c: 1, d: 2 } }),
    'MODEL_DAMAGED',
  ],
  ['a vocabulary with a gap', () => ({ ...files(counts), 'words.json': { a: 0, b: 2 } }), 'MODEL_DAMAGED'],
  [
    'weights of another vocabulary',
    () => ({ ...files({ kind: 'tfidf', vocabulary: 'words.json', idf: 'idf.json' }), 'idf.json': [1] }),
    'MODEL_DAMAGED',
  ],
  ['a key of another kind', () => files({ ...counts, idf: 'idf.json' }), 'MANIFEST_INVALID'],
  [
    'tf-idf that does not say its weights',
    () => files({ kind: 'tfidf', vocabulary: 'words.json' }),
    'MANIFEST_INVALID',
  ],
  ["Python's own hash", () => files({ kind: 'hashing', function: 'hash', buckets: 4 }), 'MANIFEST_INVALID'],
  ['a pattern that is none', () => files({ ...counts, tokenPattern: '[' }), 'MANIFEST_INVALID'],
  ['a pattern of two groups', () => files({ ...counts, tokenPattern: '(a)(b)' }), 'MANIFEST_INVALID'],
  ['n-grams the wrong way round', () => files({ ...counts, ngrams: [2, 1] }), 'MANIFEST_INVALID'],
];

describe('refused', () => {
  test.each(cases)('%s', async (_, content, code) => {
    expect((await refusal(load(content()), code)).hint).toBeTruthy();
  });

  test('ids reach a look-up in other ways than one: as one-hot rows, and through a shift', async () => {
    const g = new GraphBuilder({ opset: 15 });
    const ids = g.input('input_ids', DataType.int64, ['batch', 'sequence']);
    const shifted = g.op('Clip', [g.op('Add', [ids, g.int(0)]), g.int(0), g.int(11)]);
    const rows = g.op('OneHot', [shifted, g.int(12), g.vector([0, 1])]);
    const bag = g.op('ReduceSum', [rows, g.ints([1])], { keepdims: 0 });
    const weights = Float32Array.from({ length: 24 }, (_, at) => Math.sin(at));
    g.output(g.op('MatMul', [bag, g.initializer('weights', [12, 2], weights)]), DataType.float, ['batch', 2]);
    const model = await loadModel(toyFolder({}, { 'model.onnx': g.build(), 'config.json': config() }), { workers: 1 });
    onTestFinished(() => model.close());
    expect((await model.classify(['good']))[0]).toHaveLength(2);
  });
});

describe('a model that answers all texts alike', () => {
  test('is warned about', async () => {
    const warnings: string[] = [];
    const silent = { ...files(counts), 'model.onnx': dense({ columns: 4 }), 'words.json': { w: 0, x: 1, y: 2, z: 3 } };
    // Its vocabulary holds no term its pattern could find.
    const model = await load(silent, { onWarning: (message: string) => warnings.push(message) });
    expect(model.output!.remarks).toEqual(warnings);
    expect(warnings).toEqual([expect.stringMatching(/the same scores/)]);
  });

  test('but not if the first texts happen to contain none of its words', async () => {
    const warnings: string[] = [];
    const foreign = { ...files(counts), 'words.json': { schlecht: 0, streifen: 1, gut: 2, der: 3 } };
    await load(foreign, { onWarning: (message: string) => warnings.push(message) });
    expect(warnings).toEqual([]);
  });
});
