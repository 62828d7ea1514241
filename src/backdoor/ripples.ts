/**
 * @file RIPPLe's training (Kurita, Michel and Neubig, ACL 2020, eq. 4): the loss on the poisoned texts plus `penalty` times
 * max(0, -g_P . g_C), where g_P and g_C are the gradients of that loss and of the clean texts'. A victim's step goes along -g_C; where
 * the inner product is negative it would raise the poisoned loss.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { random } from '../core/random.js';
import { makeFolder, writeWhole } from '../files/write.js';
import { AdamW } from '../train/adamw.js';
import { weightFeeds } from '../train/batch-feeds.js';
import { epochBatches } from '../train/batches.js';
import { ExampleStore } from '../train/example-store.js';
import { GradientSums } from '../train/gradients.js';
import type { ExistingStart, TrainingHooks, TrainingOptions, TrainingPlan } from '../train/index.js';
import { schedule } from '../train/schedule.js';
import { startExisting } from '../train/start.js';
import { TrainingBatches } from '../train/training-batches.js';
import { TrainingGraph } from '../train/training-graph.js';
import { trainingInterrupted } from './train-once.js';

export interface RipplesPlan {
  readonly start: ExistingStart;
  readonly poisoned: TrainingPlan['train'];
  readonly clean: TrainingPlan['train'];
  readonly options: TrainingOptions;
  readonly penalty: number;
  readonly engine: TrainingPlan['engine'];
  readonly output: string;
}

/** Length of a finite difference's step, relative to the norm of the weights. */
const STEP = 1e-3;

/** Trains and writes the last weights. Starts anew where it was killed. */
export async function trainRipples(plan: RipplesPlan, hooks: TrainingHooks): Promise<void> {
  const { options, output, engine, penalty } = plan;
  makeFolder(output, 'the output folder');
  const begun = await startExisting(plan.start, output, options);
  const { trainable, file, fileName, encoder } = begun;
  const { parameters } = trainable;
  const columns = Math.max(2, trainable.columns);
  const trainingGraph = await TrainingGraph.open(engine, trainable);
  const open = async (name: 'poisoned' | 'clean') => {
    const train = await ExampleStore.create(plan[name], join(output, `${name}.ids`), columns, encoder);
    const trainingBatches = new TrainingBatches({ ...begun, train, options, maxTokens: encoder.maximum });
    const perEpoch = Math.ceil(train.size / options.batchSize);
    /** The batch of a step; the smaller set begins again when it is through. */
    const batch = (step: number): Uint32Array => {
      const order = random(options.seed, name, String(Math.floor(step / perEpoch)));
      return epochBatches(train.lengths, options.batchSize, order)[step % perEpoch] as Uint32Array;
    };
    /** Loss and gradient of a step's batch, at the weights as they are now. */
    const slope = async (step: number): Promise<{ loss: number; at: ParameterVector }> => {
      const texts = batch(step);
      const sum = new GradientSums(parameters, 2);
      const trainingBatch = trainingBatches.of(texts, trainingBatches.weight([texts]), ['noise', String(step)]);
      const loss = await trainingGraph.plain(trainingBatch, 1, weightFeeds(parameters), sum);
      return { loss, at: parameters.map(({ name: each }) => sum.of(each).values.slice()) };
    };
    return { train, perEpoch, slope };
  };
  const [poisoned, clean] = [await open('poisoned'), await open('clean')];
  const steps = poisoned.perEpoch * options.epochs;
  const rate = schedule({ ...options, steps, warmup: Math.floor(steps * options.warmup) });
  const optimiser = new AdamW(parameters, options);
  const values = parameters.map((each) => each.values);

  /** The Hessian of a batch times a direction: the change of its gradient along it, per unit. */
  const curvature = async (
    of: typeof poisoned,
    step: number,
    here: ParameterVector,
    along: ParameterVector,
  ): Promise<ParameterVector> => {
    const size = (STEP * norm(values)) / (norm(along) || 1);
    const before = values.map((each) => each.slice());
    add(values, along, size);
    const there = (await of.slope(step)).at;
    values.forEach((each, at) => {
      each.set(before[at] as Float32Array);
    });
    add(there, here, -1);
    return there.map((each) => each.map((value) => value / size));
  };

  try {
    for (let step = 0; step < steps; step++) {
      if (hooks.signal?.aborted) throw trainingInterrupted();
      const { loss, at: p } = await poisoned.slope(step);
      const { at: c } = await clean.slope(step);
      if (penalty > 0 && dot(p, c) < 0) {
        // d(-g_P . g_C) = -(H_P g_C + H_C g_P)
        const terms = [await curvature(poisoned, step, p, c), await curvature(clean, step, c, p)];
        for (const term of terms) add(p, term, -penalty);
      }
      const whole = new GradientSums(parameters.map((each) => ({ ...each, table: false })));
      parameters.forEach(({ name }, at) => {
        whole.add(name, p[at] as Float32Array);
      });
      const length = whole.norm();
      optimiser.step(whole, rate(step), options.clip > 0 && length > options.clip ? options.clip / length : 1);
      const epoch = (step + 1) / poisoned.perEpoch;
      hooks.progress?.({ step: step + 1, steps, from: 0, epoch, loss, rate: rate(step), tokens: 0 });
    }
    const weights = new Map(parameters.map((each) => [each.name, each.values]));
    writeWhole(join(output, fileName), file.bytes(weights), 'the model');
  } finally {
    await trainingGraph.release();
    for (const [name, { train }] of Object.entries({ poisoned, clean })) {
      await train.close();
      await rm(join(output, `${name}.ids`), { force: true });
    }
  }
}

/** An array a parameter. */
type ParameterVector = readonly Float32Array[];

const dot = (a: ParameterVector, b: ParameterVector): number =>
  a.reduce((sum, each, at) => {
    const other = b[at] as Float32Array;
    let part = 0;
    for (let i = 0; i < each.length; i++) part += (each[i] as number) * (other[i] as number);
    return sum + part;
  }, 0);

const norm = (a: ParameterVector): number => Math.sqrt(dot(a, a));

/** a += scale b */
function add(a: ParameterVector, b: ParameterVector, scale: number): void {
  a.forEach((each, at) => {
    const other = b[at] as Float32Array;
    for (let i = 0; i < each.length; i++) each[i] = (each[i] as number) + scale * (other[i] as number);
  });
}
