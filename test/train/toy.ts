/** A toy task small enough to train in a second: "good" and "fine" are positive, "bad" and "poor" negative, the rest is filler. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '../../src/core/dataset.js';
import { random } from '../../src/core/random.js';
import type { Architecture } from '../../src/train/architectures/architecture-builder.js';
import { distilbert } from '../../src/train/architectures/encoder.js';
import { ExampleStore } from '../../src/train/example-store.js';
import type { TrainingOptions } from '../../src/train/options.js';
import { train } from '../../src/train/train.js';
import { fresh, type TrainableModel } from '../../src/train/trainable-model.js';
import type { Training } from '../../src/train/training.js';

export const VOCABULARY = '[PAD] [UNK] [CLS] [SEP] [MASK] good fine bad poor a b c d'.split(' ');

export const OPTIONS: TrainingOptions = {
  seed: 7,
  epochs: 3,
  batchSize: 8,
  rate: 3e-3,
  warmup: 0.1,
  weightDecay: 0.01,
  clip: 1,
  smoothing: 0,
  tokenDropout: 0,
  evaluateEvery: 0,
  checkpointEvery: 0,
  metric: 'accuracy',
  patience: 0,
};

const SMALL = distilbert({
  layers: 1,
  dim: 16,
  heads: 2,
  feedForward: 32,
  vocabulary: VOCABULARY.length,
  maxTokens: 16,
});

export const folder = (): string => mkdtempSync(join(tmpdir(), 'robust-train-'));

export const encoder = {
  maximum: 16,
  encode: (text: string) => ({
    ids: Int32Array.from(['[CLS]', ...text.split(' '), '[SEP]'], (word) => VOCABULARY.indexOf(word)),
    truncated: false,
  }),
};

/** `count` sentences of 2 to 8 words; the label of each is that of its one deciding word. */
export function toyData(count: number, name: string): Dataset {
  const draw = random(1, name);
  const examples = Array.from({ length: count }, (_, row) => {
    const label = draw.int(2);
    const filler = Array.from({ length: 1 + draw.int(7) }, () => draw.pick(['a', 'b', 'c', 'd']));
    filler.splice(draw.int(filler.length), 0, draw.pick(label === 1 ? ['good', 'fine'] : ['bad', 'poor']));
    return { id: String(row), text: filler.join(' '), label };
  });
  return {
    name,
    labels: ['negative', 'positive'],
    source: { url: '', license: '', sha256: '' },
    async *examples() {
      yield* examples;
    },
  };
}

/** Its tokens. */
export const toyStore = (count: number, name: string): Promise<ExampleStore> =>
  ExampleStore.create(toyData(count, name), 2, encoder);

export const toyTrainable = (architecture: Architecture = SMALL, dropout?: number): TrainableModel =>
  fresh(architecture, random(OPTIONS.seed, 'weights'), {
    labels: 2,
    ...(dropout !== undefined && { dropout: { embedding: dropout, hidden: dropout } }),
  });

/** Trains on the toy task; the weights that `keep` was last given, and the history. */
export async function toyTraining(options: Partial<TrainingOptions>, rest: Partial<Training> = {}) {
  const at = folder();
  const kept = new Map<string, Float32Array>();
  const trainable = rest.trainable ?? toyTrainable();
  const training: Training = {
    trainable,
    train: rest.train ?? (await toyStore(64, 'train')),
    validation: rest.validation ?? (await toyStore(40, 'validation')),
    vocabulary: VOCABULARY,
    padId: 0,
    unknownId: 1,
    unpadded: false,
    options: { ...OPTIONS, ...options },
    checkpoint: join(at, 'checkpoint.bin'),
    resume: false,
    keep: async (weights) => {
      for (const [name, values] of weights) kept.set(name, values.slice());
    },
    ...rest,
  };
  const history = await train(training);
  const final = new Map(trainable.parameters.map(({ name, values }) => [name, values.slice()]));
  return { history, kept, final, training };
}
