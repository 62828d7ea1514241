/** Models queried in 8 bits: supported models, and their answers. */
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decoderShapes, writeCheckpoint } from '../../bench/random-checkpoint.js';
import { packageRoot } from '../../src/core/package-root.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { weightBits } from '../../src/model/workers/int8-weights.js';
import { loadModel as loadGraph } from '../../src/onnx/load.js';
import { writeModel } from '../../src/onnx/write.js';
import { quantised } from '../onnx/quantised.js';
import { toyFolder, wordPiece } from './toy.js';

const TEXTS = ['the film is good', 'not so bad', 'a dull and tedious film', 'the film is good'];

async function asked(isolate: boolean): Promise<readonly Float32Array[][]> {
  const model = await loadModel('bert-mini', { precision: 'int8', isolate, workers: 1 });
  try {
    const approximation = model.approximation as NonNullable<LoadedModel['approximation']>;
    expect(approximation.precision).toBe((await weightBits()) === 8 ? 'int8' : 'int8, weights of 7 bits');
    expect(approximation.labels).toEqual(model.labels);
    return [await model.classify(TEXTS), await approximation.classify(TEXTS)];
  } finally {
    await model.close();
  }
}

test('a model answers as itself and, close to that, in 8 bits; in a process of its own the same bits', async () => {
  const [exact = [], rough = []] = await asked(false);
  const plain = await loadModel('bert-mini', { workers: 1 });
  expect(plain.approximation).toBeUndefined();
  expect(await plain.classify(TEXTS)).toEqual(exact);
  await plain.close();
  rough.forEach((row, at) => {
    expect(row).not.toEqual(exact[at]);
    expect(row[0]).toBeCloseTo(exact[at]?.[0] as number, 1);
  });
  expect(rough[3]).toEqual(rough[0]);
  expect(await asked(true)).toEqual([exact, rough]);
});

test.each(['int8', 'int4'] as const)('a graph without large products is refused in %s', async (precision) => {
  await expect(loadModel(toyFolder(), { precision })).rejects.toMatchObject({ code: 'PRECISION_UNAVAILABLE' });
});

describe('weights of 4 bits', () => {
  const home = mkdtempSync(join(tmpdir(), 'robust-int4-'));
  const hub = { cache: join(home, 'hub') };
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Answers of the model and of its approximation, and every note and warning. */
  async function answered(path: string, options: Parameters<typeof loadModel>[1] = {}) {
    const said: string[] = [];
    const say = { onNote: (line: string) => said.push(line), onWarning: (line: string) => said.push(line) };
    const model = await loadModel(path, { workers: 1, hub, ...say, ...options });
    try {
      const rough = model.approximation;
      const batched = await rough?.classify(TEXTS);
      return { said, exact: await model.classify(TEXTS), rough: batched, precision: rough?.precision, model };
    } finally {
      await model.close();
    }
  }

  test('are an approximation beside the model, which gives the same answers; their file is written once', async () => {
    const plain = await answered('bert-mini');
    const first = await answered('bert-mini', { precision: 'int4' });
    expect(first.said).toEqual([expect.stringMatching(/in 4 bits in .* and are kept in/)]);
    expect(first.precision).toBe('int4');
    expect(first.exact).toEqual(plain.exact);
    expect(first.model.sha256).toBe(plain.model.sha256);
    expect(first.rough).not.toEqual(first.exact);
    for (const [at, row] of first.rough!.entries()) expect(Math.abs(row[0]! - first.exact[at]![0]!)).toBeLessThan(0.2);
    const again = await answered('bert-mini', { precision: 'int4', isolate: true });
    expect([again.said, again.rough]).toEqual([[], first.rough]);
  });

  test('of a decoder share a file with the graph that continues texts; the weights of the model stay in theirs', async () => {
    const sizes = { vocabulary: 600, width: 128, inner: 256, layers: 2, keys: 128 };
    const config = {
      ...{ model_type: 'llama', architectures: ['LlamaForSequenceClassification'], pad_token_id: 0, num_labels: 2 },
      ...{ vocab_size: 600, hidden_size: 128, intermediate_size: 256, num_hidden_layers: 2, num_attention_heads: 2 },
      ...{ max_position_embeddings: 64, id2label: { 0: 'no', 1: 'yes' } },
    };
    const path = mkdtempSync(join(home, 'decoder-'));
    writeCheckpoint(path, config, decoderShapes({ ...sizes, labels: 2 }));
    writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(wordPiece()));
    const plain = await answered(path);
    const lean = await answered(path, { precision: 'int4' });
    // Products that are not packed may end in other bits.
    for (const [at, row] of lean.exact.entries()) expect(Math.abs(row[0]! - plain.exact[at]![0]!)).toBeLessThan(1e-5);
    expect(lean.rough).not.toEqual(lean.exact);
    for (const [at, row] of lean.rough!.entries()) expect(Math.abs(row[0]! - lean.exact[at]![0]!)).toBeLessThan(0.3);
    expect(lean.rough![3]).toEqual(lean.rough![0]);
    const folder = /kept in (.*)$/.exec(lean.said.find((line) => line.includes('4 bits')) ?? '')![1]!;
    expect(readdirSync(folder).sort()).toEqual(['continued.onnx', 'model.onnx', 'model.onnx_data', 'source.json']);
    // Without the table, which lies beside it.
    expect(statSync(join(folder, 'continued.onnx')).size).toBeLessThan(2 ** 17);
  });

  test('and another device are refused together, and so are models that tag', async () => {
    const both = loadModel('bert-mini', { precision: 'int4', device: 'cuda', deviceElsewhere: true, hub });
    await expect(both).rejects.toThrow(/precision=int4 and --runtime device=cuda/);
    const tags = loadModel('bert-mini', { precision: 'int4', decision: 'tags', hub });
    await expect(tags).rejects.toMatchObject({ code: 'PRECISION_UNAVAILABLE' });
  });
});

describe('a model that is quantised by whole batches', () => {
  const bundled = join(packageRoot, 'models', 'bert-mini');
  const path = mkdtempSync(join(tmpdir(), 'robust-precision-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));

  /** Loads the model and collects its warnings. */
  async function opened(options: Parameters<typeof loadModel>[1]): Promise<readonly [LoadedModel, readonly string[]]> {
    const said: string[] = [];
    const model = await loadModel(path, { workers: 1, onWarning: (message) => said.push(message), ...options });
    return [model, said];
  }

  beforeAll(async () => {
    cpSync(bundled, path, { recursive: true });
    writeFileSync(join(path, 'model.onnx'), writeModel(quantised(await loadGraph(join(bundled, 'model.onnx')))));
  });

  test('answers searches in batches, with a scale for each row; outside searches it runs each text alone', async () => {
    const [model, said] = await opened({ precision: 'int8' });
    const [plain] = await opened({});
    try {
      expect(said).toEqual([expect.stringMatching(/each text is run alone.*searches ask it in batches/)]);
      expect(model.approximation?.precision).toBe('int8, scales by row');
      const [exact, rough] = [await model.classify(TEXTS), await model.approximation?.classify(TEXTS)];
      expect(exact).toEqual(await plain.classify(TEXTS));
      exact.forEach((row, at) => void expect(rough?.[at]?.[0]).toBeCloseTo(row[0] as number, 1));
      expect(rough).not.toEqual(exact);
      // Four texts, two of them one: three runs of the model itself.
      expect(plain.figures()).toMatchObject({ computed: 3, batches: 3 });
    } finally {
      await Promise.all([model.close(), plain.close()]);
    }
  });

  test.each([
    // Products of width 128: by row they gain nothing.
    [undefined, 'auto', undefined],
    ['fp32', 'auto', undefined],
    ['int8', 'auto', 'int8, scales by row'],
    ['int8', 'fp32', undefined],
    ['fp32', 'int8', 'int8, scales by row'],
  ] as const)('where robust.json says %s, asked for %s', async (written, asked, expected) => {
    writeFileSync(join(path, 'robust.json'), JSON.stringify({ precision: written }));
    const [model, said] = await opened({ precision: asked });
    try {
      expect(model.approximation?.precision).toBe(expected);
      expect(/searches ask it/.test(said.join())).toBe(expected !== undefined);
    } finally {
      await model.close();
      rmSync(join(path, 'robust.json'));
    }
  });
});

test('robust.json may request 8 bits, but no other precision', async () => {
  const asking = (precision: string) => toyFolder({}, { 'robust.json': { precision } });
  await expect(loadModel(asking('int8'), { precision: 'auto' })).rejects.toMatchObject({
    code: 'PRECISION_UNAVAILABLE',
  });
  await expect(loadModel(asking('int4'), { precision: 'auto' })).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  await (await loadModel(asking('int8'))).close();
});
