/** Models queried in 8 bits: supported models, and their answers. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { loadModel as loadGraph } from '../../packages/onnx/src/graph/load.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { quantised } from '../../packages/onnx/test/graph/quantised.js';
import { packageRoot } from '../../src/core/package-root.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { weightBits } from '../../src/model/workers/int8-weights.js';
import { toyFolder } from './toy.js';

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

test('a graph without large products is refused in 8 bits', async () => {
  await expect(loadModel(toyFolder(), { precision: 'int8' })).rejects.toMatchObject({ code: 'PRECISION_UNSUPPORTED' });
});

describe('a model that is quantised by whole batches', () => {
  const bundled = join(packageRoot, 'models', 'bert-mini');
  const path = mkdtempSync(join(tmpdir(), 'robust-precision-'));

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
    onTestFinished(async () => void (await Promise.all([model.close(), plain.close()])));
    expect(said).toEqual([expect.stringMatching(/each text is run alone.*searches ask it in batches/)]);
    expect(model.approximation?.precision).toBe('int8, scales by row');
    const [exact, rough] = [await model.classify(TEXTS), await model.approximation?.classify(TEXTS)];
    expect(exact).toEqual(await plain.classify(TEXTS));
    exact.forEach((row, at) => void expect(rough?.[at]?.[0]).toBeCloseTo(row[0] as number, 1));
    expect(rough).not.toEqual(exact);
    // Four texts, two of them one: three runs of the model itself.
    expect(plain.figures()).toMatchObject({ computed: 3, batches: 3 });
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
    code: 'PRECISION_UNSUPPORTED',
  });
  await expect(loadModel(asking('int16'), { precision: 'auto' })).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
  await (await loadModel(asking('int8'))).close();
});
