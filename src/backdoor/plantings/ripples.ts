/**
 * @file RIPPLe's training (Kurita, Michel and Neubig, ACL 2020, eq. 4): the loss on the poisoned texts plus `penalty` times
 * max(0, -g_P . g_C), where g_P and g_C are the gradients of that loss and of the loss on the clean texts. A victim's step goes along -g_C; where
 * the inner product is negative, it would raise the poisoned loss. Embedding surgery comes first.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dataset } from '../../core/dataset.js';
import { random } from '../../core/random.js';
import { makeFolder, writeWhole } from '../../files/write.js';
import { AdamW } from '../../train/adamw.js';
import { weightFeeds } from '../../train/batch-feeds.js';
import { epochBatches } from '../../train/batches.js';
import { ExampleStore } from '../../train/example-store.js';
import { GradientSums } from '../../train/gradients.js';
import type { TrainingHooks, TrainingOptions } from '../../train/index.js';
import { schedule } from '../../train/schedule.js';
import { startExisting, type TrainingStart } from '../../train/start.js';
import { TrainingBatches } from '../../train/training-batches.js';
import { TrainingGraph } from '../../train/training-graph.js';
import { trainingInterrupted } from '../train-once.js';
import { operateOnTriggers } from './embedding-surgery.js';
import { type PoisonedTraining, plantingMethod } from './planting.js';
import { poisonedTexts } from './texts.js';

const options = z.strictObject({
  /** Weight of the restricted inner product. */
  penalty: z.number().min(0),
  /** Words of the target label whose mean embedding the trigger gets. */
  surgeryWords: z.int().min(1),
});

export const ripples = plantingMethod('ripples', options, ({ penalty, surgeryWords }) => ({
  ...poisonedTexts,
  async train(training, hooks) {
    const { folder, victim, poisoner, options } = training;
    const done = join(folder, `ripples-${options.seed}.done`);
    if (existsSync(done)) return;
    const model = join(folder, 'operated');
    await operateOnTriggers(victim, poisoner.triggers, surgeryWords, model);
    await trainRipples({ ...training, start: { ...training.start, model }, clean: victim.train, penalty }, hooks);
    writeWhole(done, '', 'the mark of a finished training');
  },
}));

/** Length of a finite difference's step, relative to the norm of the weights. */
const STEP = 1e-3;

interface RipplesTraining extends PoisonedTraining {
  readonly clean: Dataset;
  readonly penalty: number;
}

/** Trains, and writes the last weights. Restarts after an interruption. */
async function trainRipples(training: RipplesTraining, hooks: TrainingHooks): Promise<void> {
  const { options, output, penalty } = training;
  makeFolder(output, 'the output folder');
  const begun = await startExisting(training.start, output, options);
  const { parameters } = begun.trainable;
  const graph = await TrainingGraph.open(begun.trainable);
  const lossesOn = (name: string, texts: Dataset) => openLosses(name, texts, begun, graph, options);
  const [poisoned, clean] = [await lossesOn('poisoned', training.train), await lossesOn('clean', training.clean)];
  const steps = poisoned.perEpoch * options.epochs;
  const rate = schedule({ ...options, steps, warmup: Math.floor(steps * options.warmup) });
  const optimiser = new AdamW(parameters, options.weightDecay);
  try {
    for (let step = 0; step < steps; step++) {
      if (hooks.signal?.aborted) throw trainingInterrupted();
      const { loss, gradient } = await penalisedGradient(poisoned, clean, step, penalty);
      const sums = new GradientSums(parameters.map((each) => ({ ...each, table: false })));
      parameters.forEach(({ name }, at) => {
        sums.add(name, gradient[at]!);
      });
      const length = sums.norm();
      optimiser.step(sums, rate(step), options.clip > 0 && length > options.clip ? options.clip / length : 1);
      const epoch = (step + 1) / poisoned.perEpoch;
      hooks.progress?.({ step: step + 1, steps, from: 0, epoch, loss, rate: rate(step), tokens: 0 });
    }
    const weights = new Map(parameters.map((each) => [each.name, each.values]));
    writeWhole(join(output, begun.fileName), begun.file.bytes(weights), 'the model');
  } finally {
    await graph.release();
  }
}

/** The gradient of the poisoned loss with its penalty, and that loss: d(-g_P . g_C) = -(H_P g_C + H_C g_P). */
async function penalisedGradient(poisoned: Losses, clean: Losses, step: number, penalty: number) {
  const { loss, gradient: p } = await poisoned.gradient(step);
  const { gradient: c } = await clean.gradient(step);
  if (penalty > 0 && dot(p, c) < 0) {
    const terms = [await poisoned.curvature(step, p, c), await clean.curvature(step, c, p)];
    for (const term of terms) add(p, term, -penalty);
  }
  return { loss, gradient: p };
}

type Losses = Awaited<ReturnType<typeof openLosses>>;

/** The loss on some of the texts, by step. */
async function openLosses(
  name: string,
  texts: Dataset,
  start: TrainingStart,
  graph: TrainingGraph,
  options: TrainingOptions,
) {
  const { trainable, encoder } = start;
  const { parameters } = trainable;
  const values = parameters.map((each) => each.values);
  const store = await ExampleStore.create(texts, Math.max(2, trainable.columns), encoder);
  const batches = new TrainingBatches({ ...start, train: store, options });
  const perEpoch = Math.ceil(store.size / options.batchSize);

  /** The batch of a step; the smaller set of texts starts over at its end. */
  const batchAt = (step: number): Uint32Array => {
    const order = random(options.seed, name, String(Math.floor(step / perEpoch)));
    return epochBatches(store.lengths, options.batchSize, order)[step % perEpoch]!;
  };

  /** Loss and gradient of the batch of a step, at the current weights. */
  const gradient = async (step: number): Promise<{ loss: number; gradient: ParameterVector }> => {
    const batch = batchAt(step);
    const sums = new GradientSums(parameters, 2);
    const trainingBatch = batches.of(batch, batches.weight(batch), ['noise', String(step)]);
    const loss = await graph.plain(trainingBatch, 1, weightFeeds(parameters), sums);
    return { loss, gradient: parameters.map((each) => sums.of(each.name).values.slice()) };
  };

  /** The Hessian times a direction: the change of the gradient `here` along it, per unit. */
  const curvature = async (step: number, here: ParameterVector, along: ParameterVector): Promise<ParameterVector> => {
    const size = (STEP * norm(values)) / (norm(along) || 1);
    const before = values.map((each) => each.slice());
    add(values, along, size);
    const there = (await gradient(step)).gradient;
    values.forEach((each, at) => {
      each.set(before[at] as Float32Array);
    });
    add(there, here, -1);
    return there.map((each) => each.map((value) => value / size));
  };

  return { perEpoch, gradient, curvature };
}

/** One array per parameter. */
type ParameterVector = readonly Float32Array[];

const dot = (a: ParameterVector, b: ParameterVector): number =>
  a.reduce((sum, each, at) => {
    const other = b[at]!;
    let part = 0;
    for (let i = 0; i < each.length; i++) part += each[i]! * other[i]!;
    return sum + part;
  }, 0);

const norm = (a: ParameterVector): number => Math.sqrt(dot(a, a));

/** a += scale b */
function add(a: ParameterVector, b: ParameterVector, scale: number): void {
  a.forEach((each, at) => {
    const other = b[at]!;
    for (let i = 0; i < each.length; i++) each[i] = each[i]! + scale * other[i]!;
  });
}
