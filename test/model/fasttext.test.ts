/** fastText's supervised models: rows and scores against a calculation of its own in another language, and damaged files. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ModelError } from '../../src/core/errors.js';
import { bagOf, fastTextHash, subwordsOf } from '../../src/model/classifiers/fasttext/bag.js';
import { pathsOf, predictor } from '../../src/model/classifiers/fasttext/predict.js';
import { readFastText } from '../../src/model/classifiers/fasttext/read.js';
import { loadModel } from '../../src/model/load.js';

interface Golden {
  readonly hashes: readonly (readonly [text: string, hash: number])[];
  readonly models: readonly {
    readonly name: string;
    /** base64. */
    readonly file: string;
    readonly cases: readonly (readonly [text: string, rows: readonly number[], scores: readonly number[]])[];
  }[];
}
const golden: Golden = JSON.parse(readFileSync(new URL('fasttext.json', import.meta.url), 'utf8'));

const root = mkdtempSync(join(tmpdir(), 'robust-fasttext-'));

let files = 0;
function written(bytes: Uint8Array, ending = 'bin'): string {
  const path = join(root, `model-${files++}.${ending}`);
  writeFileSync(path, bytes);
  return path;
}
const bytesOf = (at: number): Buffer => Buffer.from(golden.models[at]!.file, 'base64');

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

test.each(golden.hashes)('the hash of "%s"', (text, hash) => expect(fastTextHash(latin1(text))).toBe(hash));

test('ASCII has the published values of FNV-1a', () => {
  expect(fastTextHash('a')).toBe(0xe40c292c);
  expect(fastTextHash('foobar')).toBe(0xbf9cf968);
});

test('subwords are n-grams of characters, without the marks alone', () => {
  expect(subwordsOf('<ab>', [1, 3])).toEqual(['<a', '<ab', 'a', 'ab', 'ab>', 'b', 'b>']);
  expect(subwordsOf(latin1('<é👍>'), [2, 2])).toEqual(['<é', 'é👍', '👍>'].map(latin1));
  expect(subwordsOf('<ab>', [3, 0])).toEqual([]);
});

test('rare labels lie deep in the tree of a hierarchical softmax', () => {
  expect(pathsOf([9, 7, 4, 1]).map((path) => path.length)).toEqual([1, 2, 3, 3]);
});

test.each(golden.models.map((model, at) => [model.name, at] as const))('%s', async (_, at) => {
  const path = written(bytesOf(at));
  const model = readFastText(path);
  const predict = predictor(model);
  const loaded = await loadModel(path);
  expect(loaded.labels).toEqual(['neg', 'pos', 'né', 'x']);
  for (const [text, rows, scores] of golden.models[at]!.cases) {
    expect(bagOf(text, model), text).toEqual(rows);
    const own = predict(rows);
    own.forEach((score, label) => {
      expect(score).toBeCloseTo(scores[label]!, 6);
    });
    const [answer] = await loaded.classify([text]);
    const sum = model.loss === 'independent' ? own.reduce((a, b) => a + b, 0) : 1;
    answer!.forEach((score, label) => {
      expect(score).toBeCloseTo(own[label]! / sum, 6);
    });
  }
  await loaded.close();
});

test('a folder stands for the model in it, unless there is another kind of model', async () => {
  const holding = (...files: string[]): string => {
    const folder = mkdtempSync(join(root, 'folder-'));
    for (const file of files) writeFileSync(join(folder, file), bytesOf(1));
    return folder;
  };
  const alone = await loadModel(join(holding('model.bin'), 'model.bin'));
  for (const folder of [
    holding('model.bin', 'model_v2.bin', 'README.md'),
    holding('lid.bin', 'lid.ftz', 'training_args.bin'),
  ]) {
    const loaded = await loadModel(folder);
    expect(loaded.name).toBe(basename(folder));
    expect(await loaded.classify(['good film'])).toEqual(await alone.classify(['good film']));
  }
  await expect(loadModel(holding('lid.ftz'))).rejects.toMatchObject({ code: 'MODEL_UNSUPPORTED' });
  for (const files of [
    ['a.bin', 'b.bin'],
    ['model.bin', 'model.onnx'],
    ['model.bin', 'model.safetensors'],
    ['pytorch_model.bin'],
  ])
    await expect(loadModel(holding(...files))).rejects.not.toThrow(/fastText/);
});

test('scores of one-vs-all stay as they are where labels are decided one by one', async () => {
  const loaded = await loadModel(written(bytesOf(2)), { decision: 'multi-label' });
  expect(loaded.output).toMatchObject({ activation: 'sigmoid', normalised: false });
  const [text, , scores] = golden.models[2]!.cases[0]!;
  expect(Array.from((await loaded.classify([text]))[0]!, (p) => p.toFixed(6))).toEqual(scores.map((p) => p.toFixed(6)));
  await loaded.close();
});

test('a softmax has one label, and is refused where any number may hold', async () => {
  await expect(loadModel(written(bytesOf(1)), { decision: 'multi-label' })).rejects.toMatchObject({
    code: 'TASK_MISMATCH',
    exit: 2,
  });
});

test('a line break is a space', () => {
  const model = readFastText(written(bytesOf(1)));
  expect(bagOf('good\nfilm', model)).toEqual(bagOf('good film', model));
});

describe('refused', () => {
  const edited = (edit: (bytes: Buffer) => void): Buffer => {
    const bytes = bytesOf(1);
    edit(bytes);
    return bytes;
  };
  // The head: magic, version, then dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn.
  test.each([
    ['another file', Buffer.from('no model at all'), /does not begin as one/],
    ['an empty file', Buffer.alloc(0), /does not begin/],
    ['a later version', edited((bytes) => bytes.writeInt32LE(13, 4)), /got version 13/],
    ['word vectors', edited((bytes) => bytes.writeInt32LE(1, 36)), /word vectors/],
    ['no buckets', edited((bytes) => bytes.writeInt32LE(0, 40)), /bucket 0/],
    ['more buckets than rows', edited((bytes) => bytes.writeInt32LE(2_000_000_000, 40)), /a row each/],
    ['endless subwords', edited((bytes) => bytes.writeInt32LE(1e9, 48)), /maxn 1000000000/],
    ['more words than the file holds', edited((bytes) => bytes.writeInt32LE(2e9, 64)), /expected words/],
    ['a file that breaks off', bytesOf(1).subarray(0, 300), /./],
  ])('%s', async (_, bytes, message) => {
    const error = await loadModel(written(bytes)).catch((cause) => cause);
    expect(error).toBeInstanceOf(ModelError);
    expect(error.message).toMatch(message);
  });

  test('a quantised model, by name', async () => {
    await expect(loadModel(written(bytesOf(1), 'ftz'))).rejects.toThrow(/got quantised weights/);
  });

  test('whatever the bytes, the file is read or refused', () => {
    const good = bytesOf(4);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(good.length),
        (edits, length) => {
          const bytes = Buffer.from(length % 3 === 0 ? good.subarray(0, length) : good);
          for (const [at, value] of edits) if (at < bytes.length) bytes[at] = value;
          const path = join(root, 'any.bin');
          writeFileSync(path, bytes);
          try {
            const model = readFastText(path);
            expect(bagOf('good film', model).every((row) => row < model.input.rows)).toBe(true);
          } catch (error) {
            expect(error).toBeInstanceOf(ModelError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
