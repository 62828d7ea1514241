/** Inputs and outputs of the graph, and the independence of each text's answer from the others. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { withGraph } from '../../packages/onnx/src/graph/edit.js';
import { writeModel } from '../../packages/onnx/src/graph/write.js';
import { ModelError } from '../../src/core/errors.js';
import { random } from '../../src/core/random.js';
import { type LoadedModel, type LoadOptions, loadModel } from '../../src/model/load.js';
import { haveShared, rows, victims } from './shared.js';
import { config, type Toy, toyFolder, toyGraph, vocabulary } from './toy.js';

async function load(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  const model = await loadModel(spec, { workers: 2, ...options });
  onTestFinished(() => model.close());
  return model;
}

const toy = (graph: Toy, more: Parameters<typeof toyFolder>[1] = {}, options: LoadOptions = {}) =>
  load(toyFolder(graph, more), options);

/** The toy's logits by hand: the mean of the rows of [CLS], the words and [SEP], each plus `extra` of its place. */
function logits(words: readonly string[], width = 2, extra = (_at: number) => 0): number[] {
  const tokens = ['[CLS]', ...words, '[SEP]'];
  return Array.from({ length: width }, (_, column) => {
    const values = tokens.map((word, at) => {
      const meant = word === 'good' ? width - 1 : word === 'bad' ? 0 : -1;
      const id = vocabulary.indexOf(word);
      return (column === meant ? 4 : Math.fround(Math.sin(id * 7 + column) / 3)) + extra(at);
    });
    return values.reduce((a, b) => a + b, 0) / tokens.length;
  });
}

const softmax = (row: readonly number[]): number[] => {
  const powers = row.map(Math.exp);
  return powers.map((power) => power / powers.reduce((a, b) => a + b, 0));
};
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

function expectClose(row: Float32Array | undefined, expected: readonly number[]): void {
  expect(row).toHaveLength(expected.length);
  expected.forEach((value, at) => {
    expect(row?.[at]).toBeCloseTo(value, 5);
  });
}

describe('reading the output', () => {
  const words = ['good', 'film'];

  test('an output of another name', async () => {
    const model = await toy({ output: 'scores' }, { 'robust.json': { output: { name: 'scores' } } });
    expect(model.labels).toEqual(['no', 'yes']);
    expectClose((await model.classify(['Good film']))[0], softmax(logits(words)));
  });

  test('half-precision logits', async () => {
    const g = toyGraph({ output: 'full' });
    g.ops('Cast', ['full'], ['logits'], { to: DataType.float16 });
    const outputs = [{ name: 'logits', type: DataType.float16, dims: ['batch', 2] }];
    const bytes = writeModel(withGraph(g.model(), { ...g.graph(), outputs }));
    const [row] = await (await toy({}, { 'model.onnx': bytes })).classify(['good film']);
    softmax(logits(words)).forEach((p, at) => {
      expect(row?.[at]).toBeCloseTo(p, 3);
    });
  });

  test('label names given by hand win', async () => {
    expect((await toy({}, {}, { labels: ['minus', 'plus'] })).labels).toEqual(['minus', 'plus']);
    expect((await toy({}, { 'config.json': { max_position_embeddings: 16 } })).labels).toEqual(['LABEL_0', 'LABEL_1']);
  });
});

describe('feeding the input', () => {
  test.each<[string, Toy, (at: number) => number]>([
    ['int64 ids', {}, () => 0],
    ['int32 ids', { idType: DataType.int32 }, () => 0],
    ['an attention mask of ones', { inputs: ['attention_mask'] }, () => 0],
    ['token types of zero', { inputs: ['token_type_ids'] }, () => 0],
    ['positions', { inputs: ['position_ids'] }, (at) => at],
    [
      'all three, int32',
      { inputs: ['attention_mask', 'token_type_ids', 'position_ids'], idType: DataType.int32 },
      (at) => at,
    ],
  ])('%s', async (_, graph, extra) => {
    const model = await toy(graph);
    expectClose((await model.classify(['bad film !']))[0], softmax(logits(['bad', 'film', '!'], 2, extra)));
  });

  test('positions of RoBERTa and its kin begin behind the padding id', async () => {
    const more = { 'config.json': config(['no', 'yes'], { model_type: 'roberta', pad_token_id: 1 }) };
    const model = await toy({ inputs: ['position_ids'] }, more);
    // Added to both logits alike they would not show: the toy's are read one by one.
    const own = await toy({ inputs: ['position_ids'], width: 1 }, more);
    expectClose((await model.classify(['bad film !']))[0], softmax(logits(['bad', 'film', '!'])));
    const z = logits(['bad', 'film', '!'], 1, (at) => at + 2)[0]!;
    expectClose((await own.classify(['bad film !']))[0], [1 - sigmoid(z), sigmoid(z)]);
  });

  test('a graph of fixed length and batch: padding is masked and counted', async () => {
    const model = await toy({ shape: [3, 8], inputs: ['attention_mask'] });
    const [row] = await model.classify(['good film']);
    // The masked mean still divides by 8.
    expectClose(row, softmax(logits(['good', 'film']).map((logit) => (logit * 4) / 8)));
    expect(model.onnx?.encoder.tokens('good film').map(({ id }) => id)).toEqual([2, 4, 6, 3, 0, 0, 0, 0]);
    expect(model.figures().paddingWaste).toBeCloseTo(2 / 3);
  });

  test('long texts lose their end but keep [SEP], and are counted', async () => {
    const warnings: string[] = [];
    const model = await loadModel(toyFolder(), { onWarning: (warning) => warnings.push(warning), workers: 1 });
    const [long, cut] = await model.classify([`${'film '.repeat(14)}good`, 'film '.repeat(14)]);
    expect(long).toEqual(cut);
    expect(model.figures().truncated).toBe(1);
    await model.close();
    expect(warnings).toEqual([expect.stringMatching(/1 text was longer than 16 tokens/)]);
  });

  test('or lose their start, where the tokenizer says so', async () => {
    const model = await toy({}, { 'tokenizer_config.json': { truncation_side: 'left' } });
    const [long, cut] = await model.classify([`good ${'film '.repeat(20)}bad`, `${'film '.repeat(13)}bad`]);
    expect(long).toEqual(cut);
    const tokens = model.onnx!.encoder.tokens(`good ${'film '.repeat(20)}bad`);
    expect(tokens).toHaveLength(16);
    expect(tokens.at(-2)).toMatchObject({ id: vocabulary.indexOf('bad'), start: 105, end: 108 });
  });

  test('odd texts are answered, each as its tokens are', async () => {
    const model = await toy({});
    const odd = [
      '',
      ' ',
      '\u0000',
      '\ud800',
      '\udc00',
      '\ud800good',
      'good\u0000',
      'good',
      '👩‍👩‍👧',
      '\u202egood',
      '!!!',
      'a'.repeat(1_000_000),
    ];
    const answers = await model.classify(odd);
    answers.forEach((row) => {
      expect(row[0]! + row[1]!).toBeCloseTo(1);
    });
    const distinct = new Set(odd.map((text) => String(model.onnx!.encoder.encode(text).ids)));
    expect(model.figures().computed).toBe(distinct.size);
  });

  test('texts with equal tokens are run once, others are not', async () => {
    const model = await toy({});
    const [plain, shouted, other] = await model.classify(['good film', 'GOOD  film', 'film good']);
    expect(shouted).toBe(plain);
    expect(other).not.toBe(plain);
    await model.classify(['Good Film']);
    expect(model.figures().computed).toBe(2);
  });
});

describe('company', () => {
  test('bad texts fail alone: an id beyond the table, an answer that is not a number', async () => {
    const model = await toy({});
    const texts = ['good', 'beyond', 'bad', 'nan', 'film', 'the', '!'];
    const outcomes = await Promise.allSettled(texts.map((text) => model.classify([text])));
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true, true, true]);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ModelError);
    }
    expect(String((outcomes[3] as PromiseRejectedResult).reason)).toMatch(/NaN/);
    // Failures are not remembered, and the model works on.
    await expect(model.classify(['beyond'])).rejects.toThrow(ModelError);
    expectClose((await model.classify(['good']))[0], softmax(logits(['good'])));
  });

  test('good and bad texts of all lengths, many at once', async () => {
    const model = await toy({}, {}, { batchSize: 5, cacheEntries: 0 });
    const stream = random(1, 'many');
    const texts = Array.from({ length: 300 }, () =>
      Array.from({ length: 1 + stream.int(6) }, () =>
        stream.pick(['good', 'bad', 'film', 'the', '!', 'good', 'bad', 'nan', 'beyond']),
      ),
    );
    const outcomes = await Promise.allSettled(texts.map((words) => model.classify([words.join(' ')])));
    texts.forEach((words, at) => {
      const outcome = outcomes[at]!;
      if (words.includes('nan') || words.includes('beyond')) expect(outcome.status).toBe('rejected');
      else expectClose((outcome as PromiseFulfilledResult<Float32Array[]>).value[0], softmax(logits(words)));
    });
  });

  test.each<[string, Toy]>([
    ['quantises whole batches', { company: 'quantise' }],
    ['subtracts the mean of the batch', { company: 'mean' }],
  ])('a graph that %s runs each text alone, and says so', async (_, graph) => {
    const warnings: string[] = [];
    const model = await toy(graph, {}, { onWarning: (warning) => warnings.push(warning) });
    const texts = ['good', 'bad', 'film', 'the'];
    const together = await model.classify(texts);
    expect(model.figures().meanBatch).toBe(1);
    expect(warnings[0]).toMatch(/depends on the others in its batch/);
    // A lone text less its own mean is 0, whatever it says: true, and said.
    expect(warnings.slice(1)).toEqual(graph.company === 'mean' ? [expect.stringMatching(/the same scores/)] : []);
    for (const [at, text] of texts.entries()) {
      const fresh = await toy(graph);
      expect((await fresh.classify([text]))[0]).toEqual(together[at]);
    }
  });

  test('where a lone text is summed in another order, it runs beside a copy of itself', async () => {
    const texts = ['good film the', 'bad film good', 'the the bad', '! film good'];
    const together = await (await toy({})).classify(texts);
    const model = await toy({});
    for (const [at, text] of texts.entries()) expect((await model.classify([text]))[0]).toEqual(together[at]);
    expect(model.figures()).toMatchObject({ computed: 4, batches: 4, paddingWaste: 0.5 });
  });

  const real = ['distilbert', ...(haveShared ? [`${victims}berttiny-sst2`, `${victims}imdb-wordcnn`] : [])];
  test.skipIf(!haveShared).each(real)('%s answers with the same bytes however its callers interleave', async (spec) => {
    const texts = rows('sst2/dev.tsv')
      .slice(0, 240)
      .map(([text]) => text!);
    const stream = random(1, spec);
    const ask = async (options: LoadOptions, chunk: () => number) => {
      const model = await loadModel(spec, options);
      const answers = new Map<string, Float32Array>();
      const waiting: Promise<void>[] = [];
      for (let order = stream.shuffle(texts); order.length > 0; ) {
        const some = order.splice(0, chunk());
        waiting.push(
          model.classify(some).then((rows) => {
            for (const [at, text] of some.entries()) answers.set(text, rows[at]!);
          }),
        );
        if (stream.int(4) === 0) await waiting[stream.int(waiting.length)];
      }
      await Promise.all(waiting);
      await model.close();
      return texts.map((text) => answers.get(text));
    };
    const one = await ask({ workers: 1, batchSize: 1 }, () => 1);
    expect(await ask({ workers: 2 }, () => texts.length)).toEqual(one);
    expect(await ask({ workers: 2, batchSize: 32 }, () => 1 + stream.int(40))).toEqual(one);
    expect(await ask({ workers: 1, batchSize: 7, cacheEntries: 0 }, () => 1 + stream.int(9))).toEqual(one);
  });
});

test('a worker that dies costs nobody an answer; another takes its place', async () => {
  // No thread of an earlier model is left for this one.
  await Promise.all(Array.from({ length: availableParallelism() }, () => toy({}, {}, { workers: 1 })));
  const workers: Worker[] = [];
  const notice = (worker: Worker) => workers.push(worker);
  process.on('worker', notice);
  const model = await load('distilbert', { workers: 1, batchSize: 4 });
  const texts = Array.from({ length: 120 }, (_, at) => `number ${at} is good`);
  const waiting = Promise.allSettled(texts.map((text) => model.classify([text])));
  await model.classify(['the first one']);
  // A message that no pool sends kills the thread.
  workers[0]!.postMessage(null);
  const outcomes = await waiting;
  expect(workers.length).toBe(2);
  process.off('worker', notice);
  const fresh = await load('distilbert');
  const expected = await fresh.classify(texts);
  for (const [at, outcome] of outcomes.entries()) {
    expect(outcome).toEqual({ status: 'fulfilled', value: [expected[at]] });
  }
});

test('closing rejects what still waits, and later questions', async () => {
  const model = await loadModel('distilbert', { workers: 1 });
  const waiting = Promise.allSettled(Array.from({ length: 200 }, (_, at) => model.classify([`number ${at}`])));
  await model.close();
  const outcomes = await waiting;
  expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
  await expect(model.classify(['afterwards'])).rejects.toThrow(/was closed/);
});
