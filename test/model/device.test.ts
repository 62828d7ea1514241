import { expect, onTestFinished, test } from 'vitest';
import { loadModel } from '../../src/model/load.js';
import { availableDevice, deviceOf, whyNot } from '../../src/model/workers/device.js';
import { inferencePool, inferenceQueue } from '../../src/model/workers/queue.js';
import { refusal } from '../refusal.js';
import { toyFolder } from './toy.js';

/** No platform has both. */
const elsewhere = process.platform === 'win32' ? 'coreml' : 'dml';

test('a device has a kind and a number', () => {
  expect(deviceOf('cuda:1')).toEqual({ kind: 'cuda', index: 1 });
  expect(deviceOf('webgpu')).toEqual({ kind: 'webgpu', index: 0 });
  expect([deviceOf('cpu'), deviceOf('auto')]).toEqual([undefined, undefined]);
});

test('a device that is not there is an error that says what it needs, and never the processor in silence', async () => {
  expect(await whyNot({ kind: elsewhere, index: 0 })).toMatchObject({ lacking: true });
  await refusal(loadModel(toyFolder(), { device: elsewhere }), 'DEVICE_UNSUPPORTED');
  expect(await availableDevice('cpu', () => {})).toBeUndefined();
});

test('a second approximation is refused', async () => {
  const both = { device: 'cuda', deviceElsewhere: true, precision: 'int8' } as const;
  await expect(loadModel(toyFolder(), both)).rejects.toMatchObject({ code: 'PRECISION_UNSUPPORTED' });
});

test('of a device of other machines the model says what it is, and asks it nothing', async () => {
  const model = await loadModel('bert-mini', { device: 'cuda:3', deviceElsewhere: true, workers: 1 });
  onTestFinished(() => model.close());
  expect(model.approximation).toMatchObject({ precision: 'fp32 on cuda', device: 'cuda', compared: 0 });
});

test('texts of about one length share a batch, filled up behind a mask', async () => {
  const model = await loadModel('bert-mini', { workers: 1, logits: true });
  const { file, encoder, wiring, rule } = model.onnx as NonNullable<typeof model.onnx>;
  const pool = inferencePool({ file }, { size: 1 });
  await pool.open();
  onTestFinished(async () => void (await Promise.all([pool.close(), model.close()])));
  const buckets = { tokens: 8, most: encoder.maximum, padId: 0 };
  const queue = inferenceQueue(pool, { ...wiring, padId: 0 }, rule, { least: 1, most: 64 }, undefined, buckets);
  const texts = ['good', 'not so bad', 'a dull film', 'the film is good and the story is not bad'];
  const expected = await model.classify(texts);
  const rows = await Promise.all(texts.map((text) => queue.ask(encoder.encode(text))));
  rows.forEach((row, at) => {
    expect(row[0]).toBeCloseTo(expected[at]?.[0] as number, 5);
  });
  // Three of up to 8 tokens, one of up to 16.
  expect(queue.figures).toMatchObject({ computed: 4, batches: 2 });
});
