import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { loadModel } from '../../packages/onnx/src/graph/load.js';
import type { Dataset } from '../../src/core/dataset.js';
import { random } from '../../src/core/random.js';
import { type FreshStart, type TrainingPlan, trainModel } from '../../src/train/index.js';
import { openModelFile } from '../../src/train/model-file.js';
import { refusal } from '../refusal.js';
import { folder, OPTIONS } from './toy.js';

/** Reviews of the toy task, as text; labels in a cycle unless given. */
function reviews(count: number, labels = ['bad', 'good'], only?: number): Dataset {
  return {
    name: 'toy reviews',
    labels,
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      const draw = random(1, 'reviews', String(count));
      for (let row = 0; row < count; row++) {
        const label = only ?? draw.int(labels.length);
        const filler = Array.from({ length: 1 + draw.int(5) }, () => draw.pick(['a', 'film', 'about', 'the', 'sea']));
        yield {
          id: String(row),
          text: [...filler, `so ${label === 0 ? 'dull' : `fun${label}`}`, '!'].join(' '),
          label,
        };
      }
    },
  };
}

const start: FreshStart = {
  kind: 'fresh',
  architecture: 'distilbert',
  size: { vocabulary: 60, maxTokens: 16, dim: 16, layers: 1, heads: 2, feedForward: 32 },
  dropout: { embedding: 0, hidden: 0.1 },
  half: true,
};

const plan = (changes: Partial<TrainingPlan> = {}): TrainingPlan => {
  const output = folder();
  return {
    start,
    train: reviews(96),
    validation: reviews(40),
    options: { ...OPTIONS, epochs: 6, rate: 1e-2, tokenDropout: 0.05 },
    output,
    folder: join(output, 'training'),
    resume: false,
    ...changes,
  };
};
const bytes = (output: string) => readFileSync(join(output, 'model.onnx'));

describe('trainModel', () => {
  test('writes a folder in Hugging Face layout, the same bytes for the same seed, and cleans up after itself', async () => {
    const [first, second] = [plan(), plan()];
    const history = await trainModel(first);
    await trainModel(second);
    expect(history.end).toBe('finished');
    expect(history.points.at(-1)?.validation.accuracy).toBeGreaterThan(0.9);
    expect(readdirSync(first.output).sort()).toEqual(
      ['config.json', 'model.onnx', 'tokenizer.json', 'tokenizer_config.json', 'training'].sort(),
    );
    expect(readdirSync(first.folder).sort()).toEqual(['history.json']);
    expect(bytes(second.output).equals(bytes(first.output))).toBe(true);
    const { graph } = await loadModel(join(first.output, 'model.onnx'));
    expect(graph.inputs.map(({ name }) => name)).toEqual(['input_ids', 'attention_mask']);
    expect(graph.outputs.map(({ name }) => name)).toEqual(['logits']);
    const halves = Array.from(graph.initializers.values()).filter(({ type }) => type === DataType.float16);
    expect(halves.length).toBeGreaterThan(5);
  });

  test('interrupted, it keeps its checkpoint; resumed, it writes the bytes of an uninterrupted training', async () => {
    const [whole, cut] = [plan(), plan()];
    await trainModel(whole);
    const stop = new AbortController();
    const progress = ({ step }: { step: number }) => step === 20 && stop.abort();
    expect((await trainModel(cut, { signal: stop.signal, progress: (at) => void progress(at) })).end).toBe(
      'interrupted',
    );
    expect(existsSync(join(cut.folder, 'checkpoint.bin'))).toBe(true);
    await trainModel({ ...cut, resume: true });
    expect(bytes(cut.output).equals(bytes(whole.output))).toBe(true);
    expect(readFileSync(join(cut.folder, 'history.json'))).toEqual(readFileSync(join(whole.folder, 'history.json')));
  });

  test('continues a model that it wrote: half precision stays half, the other files are copied', async () => {
    const first = plan();
    await trainModel(first);
    const second = plan({ start: { kind: 'existing', model: first.output, part: 'all' } });
    const history = await trainModel(second);
    expect(history.points[0]?.validation.accuracy).toBeGreaterThan(0.9);
    expect(bytes(second.output).length).toBe(bytes(first.output).length);
    expect(bytes(second.output).equals(bytes(first.output))).toBe(false);
    expect(readFileSync(join(second.output, 'tokenizer.json'))).toEqual(
      readFileSync(join(first.output, 'tokenizer.json')),
    );
  });

  test('the part head changes nothing else', async () => {
    const first = plan();
    await trainModel(first);
    const second = plan({ start: { kind: 'existing', model: first.output, part: 'head' } });
    await trainModel(second);
    const [before, after] = await Promise.all(
      [first, second].map(
        async ({ output }) => (await openModelFile(join(output, 'model.onnx'))).model.graph.initializers,
      ),
    );
    const different = Array.from(before.values()).filter(({ name, data }) => !same(data, after.get(name)?.data));
    expect(different.map(({ name }) => name).sort()).toEqual(['classifier.bias', 'classifier.weight']);
  });

  test('learns and measures what stands between text and model leaves of the texts', async () => {
    const alike = (text: string) => text.replace(/fun1|dull/g, 'so');
    const told: string[][] = [];
    const reading = async (words: readonly string[]) => {
      told.push([...words]);
      return alike;
    };
    const blind = await trainModel(plan({ reading }));
    expect(blind.points.at(-1)?.validation.accuracy).toBeLessThan(0.75);
    expect(told[0]).toContain('film');
  });

  test.each<[string, Partial<TrainingPlan>]>([
    ['one class', { train: reviews(20, ['bad', 'good'], 0) }],
    ['an empty class', { train: empty(reviews(20), ['bad', 'good', 'never']) }],
    ['no examples', { train: reviews(0) }],
    ['a vocabulary too small for the characters', { start: { ...start, size: { ...start.size, vocabulary: 6 } } }],
  ])('refuses %s', async (_, changes) => {
    await refusal(trainModel(plan(changes)));
  });

  test('labels beyond the head are refused', async () => {
    const first = plan();
    await trainModel(first);
    const more = reviews(30, ['bad', 'good', 'great']);
    await refusal(trainModel(plan({ start: { kind: 'existing', model: first.output, part: 'all' }, train: more })));
  });

  test('a model written to an unwritable folder is an error, and the run can go on elsewhere', async () => {
    const first = plan();
    const history = trainModel(first, {
      // The output vanishes under the training, as on a lost mount.
      progress: ({ step }) => step === 2 && rmSync(first.output, { recursive: true, force: true }),
    });
    await refusal(history);
  });
});

function empty(data: Dataset, labels: string[]): Dataset {
  return { ...data, labels };
}

const same = (a: ArrayLike<unknown>, b: ArrayLike<unknown> | undefined): boolean =>
  b !== undefined && Array.from(a).every((value, at) => value === b[at]);
