/**
 * @file The training loop. Everything random is a pure function of the seed and a counter (epoch, step), so that a
 * training resumed from a checkpoint ends in the same bytes as one that was never interrupted.
 */
import { createHash } from 'node:crypto';
import { ModelError } from '../core/errors.js';
import { type Random, random } from '../core/random.js';
import type { Engine, Feed, Runner } from '../gradient/engine.js';
import { AdamW } from './adamw.js';
import { Adversary, shareOf } from './adversarial/adversary.js';
import type { Copies } from './adversarial/copies.js';
import { isAugment } from './adversarial/options.js';
import { perturbable } from './adversarial/perturbable.js';
import { underAttack } from './adversarial/under-attack.js';
import type { Neighbours } from './adversarial/words.js';
import { byLength, epochBatches } from './batches.js';
import { type Learner, loadCheckpoint, type Progress, saveCheckpoint } from './checkpoint.js';
import type { ExampleStore } from './example-store.js';
import { Gradients } from './gradients.js';
import type { History, Point } from './history.js';
import { type Lesson, Lessons, type Material } from './lessons.js';
import { type Change, Passes } from './passes.js';
import { schedule } from './schedule.js';
import type { Scores } from './scores.js';
import { measure } from './validation.js';
import { WeightAverage } from './weight-average.js';

export interface Training extends Material {
  readonly engine: Engine;
  readonly validation: ExampleStore;
  /** The graph has no mask: texts of different lengths must not meet in a run. */
  readonly unpadded: boolean;
  /** Ids of tokens such as [CLS] and [SEP], which adversarial training leaves alone. @default none */
  readonly special?: readonly number[];
  /** Words that could stand for others, for the methods that swap them. @default none */
  readonly neighbours?: Neighbours;
  /** Rewritten copies to learn beside the texts, where a method of adversarial training wants some. */
  readonly copies?: Copies;
  /** File the state is kept in. */
  readonly checkpoint: string;
  /** Go on from the checkpoint, if there is one. */
  readonly resume: boolean;
  /** Stop after the step at hand, write a checkpoint. */
  readonly signal?: AbortSignal;
  /** Called with the best weights so far; resolves when they are safe. */
  readonly keep: (weights: ReadonlyMap<string, Float32Array>) => Promise<void>;
  /** Called after each measurement with all so far. */
  readonly onMeasured?: (points: readonly Point[]) => Promise<void>;
  /** Called after each step and each measurement. */
  readonly onProgress?: (at: Standing) => void;
}

/** What a live line shows. */
export interface Standing {
  readonly step: number;
  readonly steps: number;
  /** Step this session began at: 0 unless it was resumed. */
  readonly from: number;
  readonly epoch: number;
  readonly loss: number;
  readonly rate: number;
  /** Tokens learnt from in this session, padding not counted. */
  readonly tokens: number;
  readonly latest?: Point;
}

/** Throws ModelError where nothing can be trained, UsageError for a checkpoint of another training. */
export async function train(training: Training): Promise<History> {
  const { trainee, engine, options, checkpoint } = training;
  const { adversarial } = options;
  if (trainee.parameters.length === 0) throw untrainable();
  // At alpha = 1 nothing adversarial counts: plain training, to the bit.
  const adverse = adversarial && adversarial.alpha < 1 ? adversarial : undefined;
  const moving = adverse?.methods.some((method) => !isAugment(method)) ? perturbable(trainee) : undefined;
  const weights = trainee.parameters.map(({ name }) => name);
  const forward = await engine.forward(trainee.plain, [trainee.logits], weights);
  let passes: Passes | undefined;
  try {
    passes = await Passes.open(engine, trainee, moving);
    const learner: Learner = {
      parameters: trainee.parameters,
      optimiser: new AdamW(trainee.parameters, options),
      ...(options.average > 0 && { average: new WeightAverage(trainee.parameters, options.average) }),
    };
    const fingerprint = fingerprintOf(training);
    const resumed = training.resume ? await loadCheckpoint(checkpoint, fingerprint, learner) : undefined;
    const progress = resumed ?? { step: 0, lossSum: 0, lossCount: 0, sinceBest: 0, points: [] };
    const adversary = adverse && moving && new Adversary(adverse, moving, training);
    return await new Loop(training, learner, progress, forward, passes, adversary, fingerprint).run();
  } finally {
    await forward.release();
    await passes?.release();
  }
}

const untrainable = (): ModelError =>
  new ModelError('training: expected weights that the loss depends on, got none', {
    code: 'NOTHING_TO_TRAIN',
    hint: 'Choose other parts of the model to train.',
  });

class Loop {
  readonly #gradients: Gradients;
  readonly #lessons: Lessons;
  readonly #stepsPerEpoch: number;
  readonly #steps: number;
  readonly #rate: (step: number) => number;
  readonly #from: number;
  /** Shares of the untouched texts and of each adversarial method in the loss. */
  readonly #alpha: number;
  readonly #share: number;
  #copies: readonly ExampleStore[] = [];
  #tokens = 0;

  constructor(
    readonly training: Training,
    readonly learner: Learner,
    readonly progress: Progress,
    readonly forward: Runner,
    readonly passes: Passes,
    readonly adversary: Adversary | undefined,
    readonly fingerprint: string,
  ) {
    const { options, train } = training;
    this.#from = progress.step;
    this.#gradients = new Gradients(
      learner.parameters,
      training.unpadded || options.adversarial ? Number.POSITIVE_INFINITY : options.accumulate,
    );
    this.#lessons = new Lessons(training);
    this.#alpha = options.adversarial?.alpha ?? 1;
    this.#share = options.adversarial ? shareOf(options.adversarial) : 0;
    this.#stepsPerEpoch = Math.ceil(Math.ceil(train.size / options.batchSize) / options.accumulate);
    this.#steps = this.#stepsPerEpoch * options.epochs;
    this.#rate = schedule({
      rate: options.rate,
      steps: this.#steps,
      warmup: Math.floor(this.#steps * options.warmup),
      decay: options.decay,
    });
  }

  async run(): Promise<History> {
    const { options, checkpoint, signal } = this.training;
    const { progress } = this;
    const evaluateEvery = options.evaluateEvery || this.#stepsPerEpoch;
    const checkpointEvery = options.checkpointEvery || evaluateEvery;
    const save = () => saveCheckpoint(checkpoint, this.fingerprint, this.learner, progress);
    let batches: Uint32Array[] = [];
    let epochOfBatches = -1;
    while (progress.step < this.#steps) {
      if (signal?.aborted) {
        await save();
        return this.#history('interrupted');
      }
      if (options.patience > 0 && progress.sinceBest >= options.patience) {
        return this.#history('stopped early');
      }
      const epoch = Math.floor(progress.step / this.#stepsPerEpoch);
      if (epoch !== epochOfBatches) {
        const order = random(options.seed, 'order', String(epoch));
        batches = epochBatches(this.training.train.lengths, options.batchSize, order);
        epochOfBatches = epoch;
        await this.#rewrite(epoch);
        if (signal?.aborted) continue;
      }
      const first = (progress.step % this.#stepsPerEpoch) * options.accumulate;
      const loss = await this.#step(batches.slice(first, first + options.accumulate));
      if (!Number.isFinite(loss)) return this.#history('diverged');
      progress.step++;
      progress.lossSum += loss;
      progress.lossCount++;
      this.#report(loss);
      const last = progress.step === this.#steps;
      if (progress.step % evaluateEvery === 0 || last) await this.#evaluate();
      if (progress.step % checkpointEvery === 0 || last) await save();
    }
    return this.#history('finished');
  }

  #history(end: History['end']): History {
    const { points, step } = this.progress;
    return { points, steps: step, end };
  }

  /** One optimiser step; the mean loss of its texts. NaN or infinite where it diverged: the weights are then unchanged. */
  async #step(batches: readonly Uint32Array[]): Promise<number> {
    const { options, unpadded, train } = this.training;
    const { step } = this.progress;
    this.#gradients.clear();
    const weight = this.#lessons.weight(batches);
    let loss = 0;
    const runs = unpadded ? batches.flatMap((batch) => byLength(batch, train.lengths)) : batches;
    for (const [part, batch] of runs.entries()) {
      const lesson = this.#lessons.of(batch, weight, random(options.seed, 'noise', `${step}.${part}`));
      this.#tokens += lesson.size;
      loss += await this.#learn(lesson, random(options.seed, 'adversary', `${step}.${part}`));
    }
    for (const [at, copies] of this.#copies.entries()) {
      const parts = unpadded ? batches.flatMap((batch) => byLength(batch, copies.lengths)) : batches;
      for (const [part, batch] of parts.entries()) {
        const noise = random(options.seed, 'noise', `${step}.${part}`, `copies ${at}`);
        const lesson = this.#lessons.of(batch, weight, noise, copies);
        this.#tokens += lesson.size;
        loss += this.#share * (await this.passes.plain(lesson, this.#share, this.#weightFeeds(), this.#gradients));
      }
    }
    const norm = this.#gradients.norm();
    if (!Number.isFinite(loss) || !Number.isFinite(norm)) return Number.NaN;
    const scale = options.clip > 0 && norm > options.clip ? options.clip / norm : 1;
    this.learner.optimiser.step(this.#gradients, this.#rate(step), scale);
    this.learner.average?.update();
    return loss;
  }

  /** The copies of an epoch, unless the training is stopped meanwhile. */
  async #rewrite(epoch: number): Promise<void> {
    const { copies, signal } = this.training;
    if (!copies || this.#alpha === 1) return;
    this.#copies = await copies.train(epoch).catch((error) => {
      if (!signal?.aborted) throw error;
      return [];
    });
  }

  /** The loss of a lesson; its gradients are added to the step's. */
  async #learn(lesson: Lesson, adversarial: Random): Promise<number> {
    const { passes, adversary } = this;
    const weights = this.#weightFeeds();
    if (!adversary) return this.#alpha * (await passes.plain(lesson, this.#alpha, weights, this.#gradients));
    return adversary.learn(lesson.tokens, adversarial, (change, share) =>
      passes.changed(lesson, change, share, weights, this.#gradients),
    );
  }

  #weightFeeds(values?: ReadonlyMap<string, Float32Array>): [string, Feed][] {
    return this.training.trainee.parameters.map((parameter) => [
      parameter.name,
      { type: 1, dims: parameter.dims, data: values?.get(parameter.name) ?? parameter.values },
    ]);
  }

  async #evaluate(): Promise<void> {
    const { training, progress, learner } = this;
    const weights = learner.average?.values ?? new Map(learner.parameters.map(({ name, values }) => [name, values]));
    const validation = await measure(
      this.forward,
      training.trainee,
      training.validation,
      training,
      this.#weightFeeds(weights),
    );
    const attacked = await this.#underAttack(weights);
    const score = this.#score(validation, attacked);
    const past = Math.max(-1, ...progress.points.map((point) => this.#score(point.validation, point.underAttack)));
    const best = score > past;
    progress.points.push({
      step: progress.step,
      epoch: progress.step / this.#stepsPerEpoch,
      loss: progress.lossSum / progress.lossCount,
      validation,
      ...(attacked !== undefined && { underAttack: attacked }),
      best,
    });
    progress.lossSum = 0;
    progress.lossCount = 0;
    progress.sinceBest = best ? 0 : progress.sinceBest + 1;
    if (best) await training.keep(weights);
    await training.onMeasured?.(progress.points);
    this.#report(progress.points.at(-1)?.loss as number);
  }

  /** In adversarial training: accuracy on validation texts that the methods perturb. The noise is the same each time. */
  async #underAttack(values: ReadonlyMap<string, Float32Array>): Promise<number | undefined> {
    const { training, passes, adversary } = this;
    const { options, trainee, copies } = training;
    if (this.#alpha === 1 || !options.adversarial) return undefined;
    const weights = this.#weightFeeds(values);
    const pass = (lesson: Lesson) => (change: Change) => passes.changed(lesson, change, 0, weights, this.#gradients);
    const draw = random(options.seed, 'under attack');
    const accuracies = adversary ? await underAttack(adversary, training, draw, pass) : [];
    for (const store of (await copies?.validation()) ?? []) {
      accuracies.push((await measure(this.forward, trainee, store, training, weights)).accuracy);
    }
    return accuracies.reduce((sum, accuracy) => sum + accuracy, 0) / accuracies.length;
  }

  /** What chooses the weights to keep. */
  #score(validation: Scores, attacked: number | undefined): number {
    const { metric, adversarial } = this.training.options;
    if (!adversarial || attacked === undefined) return validation[metric];
    return adversarial.alpha * validation[metric] + (1 - adversarial.alpha) * attacked;
  }

  #report(loss: number): void {
    const { progress } = this;
    const latest = progress.points.at(-1);
    this.training.onProgress?.({
      step: progress.step,
      steps: this.#steps,
      from: this.#from,
      epoch: progress.step / this.#stepsPerEpoch,
      loss,
      rate: this.#rate(Math.max(0, progress.step - 1)),
      tokens: this.#tokens,
      ...(latest && { latest }),
    });
  }
}

/** Of everything the result depends on: data, options, first weights, what teachers said. */
function fingerprintOf({ train, validation, options, trainee, teacher }: Training): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([train.sha256, validation.sha256, options]));
  for (const { name, dims, values } of trainee.parameters) {
    hash.update(`${name} ${dims}`).update(bytesOf(values));
  }
  if (teacher) hash.update(bytesOf(teacher));
  return hash.digest('hex');
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
