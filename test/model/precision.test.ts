/** Models asked in 8 bits: which can be, and what they then answer. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { weightBits } from '../../src/model/int8-weights.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
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

test('a graph without large products, and a module, are refused', async () => {
  await expect(loadModel(toyFolder(), { precision: 'int8' })).rejects.toMatchObject({ code: 'PRECISION_UNAVAILABLE' });
  const module = join(packageRoot, 'test', 'commands', 'toy-classifier.mjs');
  await expect(loadModel(module, { precision: 'int8' })).rejects.toMatchObject({ code: 'PRECISION_UNAVAILABLE' });
});
