import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TokenRole } from '../../src/model/workers/feeds.js';
import { biLstm } from '../../src/train/architectures/bilstm.js';
import { charBiLstm } from '../../src/train/architectures/char-bilstm.js';
import { bert } from '../../src/train/architectures/encoder.js';
import { wordCnn } from '../../src/train/architectures/word-cnn.js';
import { openModelFile } from '../../src/train/model-file.js';
import { existing } from '../../src/train/trainable-model.js';
import { refusal } from '../refusal.js';
import { folder, toyTrainable, toyTraining, VOCABULARY } from './toy.js';

const GOLDENS = '../shared/goldens';
const size = { vocabulary: VOCABULARY.length, dim: 16, maxTokens: 16 };
const CHARACTERS = charBiLstm({ ...size, characterDim: 16, filters: 32, width: 3, hidden: 16 });
const ARCHITECTURES = [
  bert({ ...size, layers: 1, heads: 2, feedForward: 32 }),
  wordCnn({ ...size, filters: 8, widths: [1, 3] }),
  biLstm({ ...size, hidden: 8 }),
  CHARACTERS,
];

describe('training', () => {
  test.each(ARCHITECTURES)('$name learns the toy task', async (architecture) => {
    const trainable = toyTrainable(architecture);
    const { history } = await toyTraining({ epochs: 8, rate: 1e-2 }, { trainable });
    expect(history.points.at(-1)?.loss).toBeLessThan(0.5 * (history.points[0]?.loss as number));
    expect(history.points.at(-1)?.validation.accuracy).toBeGreaterThan(0.9);
  });

  test('with every regulariser on it still learns, and twice gives identical bytes', async () => {
    const options = {
      epochs: 10,
      rate: 1e-2,
      batchSize: 4,
      smoothing: 0.1,
      tokenDropout: 0.1,
      classWeights: 'balanced',
    } as const;
    const run = () => toyTraining(options, { trainable: toyTrainable(undefined, 0.1) });
    const [first, second] = [await run(), await run()];
    expect(first.history.points.at(-1)?.validation.accuracy).toBeGreaterThan(0.9);
    expect(second.history).toEqual(first.history);
    expect(second.final).toEqual(first.final);
  });

  test('another seed gives other weights', async () => {
    const [a, b] = [await toyTraining({ epochs: 1 }), await toyTraining({ epochs: 1, seed: 8 })];
    expect(a.final).not.toEqual(b.final);
  });

  test.each([
    ['an encoder', undefined],
    ['characters', CHARACTERS],
  ])(
    'interrupted at any step and resumed, it ends in the same bytes as without interruption: %s',
    async (_, architecture) => {
      const options = { epochs: 2, tokenDropout: 0.2, checkpointEvery: 3 };
      const rest = () => ({ trainable: toyTrainable(architecture, 0.2) });
      const whole = await toyTraining(options, rest());
      for (const stopAt of [1, 7, 11]) {
        const stop = new AbortController();
        const first = await toyTraining(options, {
          ...rest(),
          signal: stop.signal,
          onProgress: ({ step }) => step === stopAt && stop.abort(),
        });
        expect(first.history.end).toBe('interrupted');
        const second = await toyTraining(options, {
          ...rest(),
          checkpoint: first.training.checkpoint,
          resume: true,
        });
        expect(second.history).toEqual(whole.history);
        expect(second.final).toEqual(whole.final);
      }
    },
  );

  test('killed between two checkpoints, it repeats the steps since the last one to the same bytes', async () => {
    const options = { epochs: 2, checkpointEvery: 5 };
    const whole = await toyTraining(options);
    const checkpoint = join(folder(), 'checkpoint.bin');
    const killed = toyTraining(options, {
      checkpoint,
      onProgress: ({ step }) => {
        if (step === 13) throw new Error('killed');
      },
    });
    await expect(killed).rejects.toThrow('killed');
    const resumed = await toyTraining(options, { checkpoint, resume: true });
    expect(resumed.history).toEqual(whole.history);
    expect(resumed.final).toEqual(whole.final);
  });

  test('a checkpoint of other options is refused', async () => {
    const first = await toyTraining({ epochs: 1 });
    const { checkpoint } = first.training;
    await refusal(toyTraining({ epochs: 1, rate: 1e-4 }, { checkpoint, resume: true }));
  });

  test('a loss of NaN stops the training at that step and keeps the best weights', async () => {
    const { history, kept, training } = await toyTraining({
      epochs: 5,
      rate: 1e30,
      clip: 0,
      warmup: 0,
      evaluateEvery: 1,
    });
    expect(history.end).toBe('diverged');
    expect(history.steps).toBe(history.points.length);
    expect(history.steps).toBeLessThan(40);
    for (const values of kept.values()) expect(values.every(Number.isFinite)).toBe(true);
    expect(training.trainable.parameters.length).toBeGreaterThan(0);
  });

  test('early stopping ends after a number of measurements without a better score', async () => {
    const { history } = await toyTraining({ epochs: 40, rate: 1e-2, patience: 2 });
    expect(history.end).toBe('stopped early');
    const last = history.points.findLastIndex(({ best }) => best);
    expect(history.points.length - 1 - last).toBe(2);
  });

  test('what is kept are the weights of the best measurement', async () => {
    const scores: number[] = [];
    let best = 0;
    const { history } = await toyTraining(
      { epochs: 6, rate: 1e-2 },
      {
        keep: async () => {
          best++;
        },
      },
    );
    for (const { validation } of history.points) scores.push(validation.accuracy as number);
    expect(best).toBe(history.points.filter((point) => point.best).length);
    expect(history.points.findLast((point) => point.best)?.validation.accuracy).toBe(Math.max(...scores));
  });
});

describe.skipIf(!existsSync(GOLDENS))('an export of PyTorch (../shared/goldens)', () => {
  test.each([
    ['exp_distil_11', 'exp_distil'],
    ['exp_distil_14', 'exp_distil'],
    ['exp_bert_17', 'exp_bert'],
  ])('%s: every weight is found, and the loss falls', async (name, golden) => {
    const { model } = await openModelFile(`${GOLDENS}/${name}.onnx`);
    const { grads } = JSON.parse(readFileSync(`${GOLDENS}/${golden}.json`, 'utf8'));
    const roles: Record<string, TokenRole> = { input_ids: 'ids', attention_mask: 'mask', token_type_ids: 'types' };
    const inputs = model.graph.inputs.map((input) => ({ ...input, role: roles[input.name] ?? 'ids' }));
    const logits = { output: 'logits', activation: 'softmax', columns: 3 } as const;
    const trainable = existing(model, { inputs, ...logits, part: 'all' });
    expect(trainable.parameters.length).toBe(Object.keys(grads).length);
    const { history } = await toyTraining({ epochs: 3 }, { trainable });
    expect(history.points.at(-1)?.loss).toBeLessThan(0.6 * (history.points[0]?.loss as number));
  });
});
