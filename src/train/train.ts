/**
 * @file The training loop. Everything random is a pure function of the seed and a counter (epoch, step), so that a
 * training resumed from a checkpoint ends in the same bytes as one that was never interrupted.
 */
import { ModelError, must } from '../core/errors.js';
import { random } from '../core/random.js';
import { forwardGraph } from '../gradient/white-box/onnx-engine.js';
import { openRunner } from '../gradient/white-box/open-session.js';
import { withPrunedRows } from '../model/graph/row-pruning.js';
import { AdamW } from './adamw.js';
import { Adversary } from './adversarial/adversary.js';
import { moves } from './adversarial/options.js';
import { perturbable } from './adversarial/perturbable.js';
import { epochBatches } from './batches.js';
import { loadCheckpoint, type SavedProgress, saveCheckpoint, type TrainingState, weightsIn } from './checkpoint.js';
import { Evaluation } from './evaluation.js';
import type { History } from './history.js';
import { Replicas } from './replicas.js';
import { schedule } from './schedule.js';
import { mostParts, Steps } from './steps.js';
import { fingerprintOf, type Training } from './training.js';
import { TrainingGraph } from './training-graph.js';

/** Throws ModelError where nothing can be trained, RobustError for a checkpoint of another training. */
export async function train(training: Training): Promise<History> {
  const { trainable, options, checkpoint, threads = 1 } = training;
  const { adversarial } = options;
  if (trainable.parameters.length === 0) throw untrainable();
  // At alpha = 1 nothing adversarial counts: plain training, to the bit.
  const adverse = adversarial && adversarial.alpha < 1 ? adversarial : undefined;
  const moving = adversarial && moves(adversarial) ? perturbable(trainable) : undefined;
  const weights = trainable.parameters.map(({ name }) => name);
  // An adversary moves one batch at a time, so there the threads share each pass; else each learns texts of its own.
  const inPass = { threads: moving ? threads : 1 };
  const plain = withPrunedRows(trainable.plain) ?? trainable.plain;
  const forward = await openRunner(forwardGraph(plain, [trainable.logits], weights), inPass);
  let trainingGraph: TrainingGraph | undefined;
  let replicas: Replicas | undefined;
  try {
    trainingGraph = await TrainingGraph.open(trainable, moving, inPass);
    const learner: TrainingState = {
      parameters: trainable.parameters,
      optimiser: new AdamW(trainable.parameters, options.weightDecay),
    };
    const fingerprint = fingerprintOf(training);
    const resumed = training.resume ? await loadCheckpoint(checkpoint, fingerprint, learner) : undefined;
    const progress = resumed ?? { step: 0, firstLoss: 0, lossSum: 0, lossCount: 0, sinceBest: 0, points: [] };
    const adversary = adverse && moving && new Adversary(adverse, moving, training);
    const count = Math.min(threads, mostParts(training));
    if (count > 1 && !moving) {
      const { file: graph, runner } = trainingGraph;
      const { seed, weightDecay } = options;
      const { optimiser } = learner;
      replicas = await Replicas.open({ trainable, seed, graph, runner, count, optimiser, weightDecay });
    }
    const steps = new Steps(training, learner, trainingGraph, adversary, replicas);
    const evaluation = new Evaluation(training, forward, trainingGraph, adversary);
    return await new Loop(training, learner, progress, steps, evaluation, fingerprint).run();
  } finally {
    await forward.release();
    await replicas?.release();
    await trainingGraph?.release();
  }
}

const untrainable = (): ModelError =>
  new ModelError('training: expected weights that the loss depends on, got none', {
    code: 'TRAINING_UNSUPPORTED',
    hint: 'Choose other parts of the model to train.',
  });

/** From here on a loss says that the steps were too large. */
const TIMES_CHANCE = 2;

interface Epoch {
  readonly number: number;
  readonly batches: readonly Uint32Array[];
}

class Loop {
  readonly #stepsPerEpoch: number;
  readonly #count: number;
  readonly #rate: (step: number) => number;
  readonly #from: number;

  constructor(
    readonly training: Training,
    readonly learner: TrainingState,
    readonly progress: SavedProgress,
    readonly steps: Steps,
    readonly evaluation: Evaluation,
    readonly fingerprint: string,
  ) {
    const { options, train } = training;
    this.#from = progress.step;
    this.#stepsPerEpoch = Math.ceil(train.size / options.batchSize);
    this.#count = this.#stepsPerEpoch * options.epochs;
    this.#rate = schedule({ rate: options.rate, steps: this.#count, warmup: Math.floor(this.#count * options.warmup) });
  }

  async run(): Promise<History> {
    const { progress, steps } = this;
    let epoch: Epoch | undefined;
    while (progress.step < this.#count) {
      const end = this.#earlyEnd();
      if (end === 'interrupted') await this.#save();
      if (end !== undefined) return this.#history(end);
      const number = Math.floor(progress.step / this.#stepsPerEpoch);
      if (epoch?.number !== number) {
        epoch = await this.#begin(number);
        continue;
      }
      const batch = must(epoch.batches[progress.step % this.#stepsPerEpoch]);
      const loss = await steps.take(batch, progress.step, this.#rate(progress.step));
      if (!Number.isFinite(loss)) return this.#history('diverged');
      await this.#advance(loss);
    }
    return this.#history(this.#worseThanChance() ? 'worse than chance' : 'finished');
  }

  /** The loss on the training texts rose, to far above that of guessing among labels. */
  #worseThanChance(): boolean {
    const { options, trainable } = this.training;
    if (options.thresholds || options.numbers || options.tags || options.classWeights) return false;
    const guessing = Math.log(Math.max(2, trainable.columns));
    const last = this.progress.points.at(-1)?.loss ?? 0;
    return last > this.progress.firstLoss && last > TIMES_CHANCE * guessing;
  }

  #earlyEnd(): 'interrupted' | 'stopped early' | undefined {
    const { options, signal } = this.training;
    if (signal?.aborted) return 'interrupted';
    return options.patience > 0 && this.progress.sinceBest >= options.patience ? 'stopped early' : undefined;
  }

  async #begin(number: number): Promise<Epoch> {
    const { options, train } = this.training;
    const order = random(options.seed, 'order', String(number));
    const batches = epochBatches(train.lengths, options.batchSize, order);
    await this.steps.rewrite(number);
    return { number, batches };
  }

  /** Counts a step; measures and saves when it is time. */
  async #advance(loss: number): Promise<void> {
    const { progress } = this;
    const { options } = this.training;
    const evaluateEvery = options.evaluateEvery || this.#stepsPerEpoch;
    if (progress.step++ === 0) progress.firstLoss = loss;
    progress.lossSum += loss;
    progress.lossCount++;
    this.#report(loss);
    const measures = progress.step % evaluateEvery === 0 || progress.step === this.#count;
    if (measures) await this.#measure();
    if (measures || progress.step % options.checkpointEvery === 0) await this.#save();
  }

  async #save(): Promise<void> {
    await this.steps.gather();
    saveCheckpoint(this.training.checkpoint, this.fingerprint, this.learner, this.progress);
  }

  #history(end: History['end']): History {
    const { points, step } = this.progress;
    return { points, steps: step, end };
  }

  async #measure(): Promise<void> {
    const { training, progress, learner, evaluation } = this;
    const weights = weightsIn(learner);
    const mark = await evaluation.take(weights);
    const past = progress.points.findLast((point) => point.best);
    const [score, before] = [evaluation.score(mark), past ? evaluation.score(past) : Number.NEGATIVE_INFINITY];
    // Of equal scores the smaller loss: the earlier weights are often undertrained.
    const best = score > before || (score === before && mark.validation.loss < must(past).validation.loss);
    progress.points.push({
      step: progress.step,
      epoch: progress.step / this.#stepsPerEpoch,
      loss: progress.lossSum / progress.lossCount,
      ...mark,
      best,
    });
    progress.lossSum = 0;
    progress.lossCount = 0;
    progress.sinceBest = best ? 0 : progress.sinceBest + 1;
    if (best) await training.keep(weights);
    await training.onMeasured?.(progress.points);
    this.#report(progress.points.at(-1)?.loss as number);
  }

  #report(loss: number): void {
    const { progress } = this;
    const latest = progress.points.at(-1);
    this.training.onProgress?.({
      step: progress.step,
      steps: this.#count,
      from: this.#from,
      epoch: progress.step / this.#stepsPerEpoch,
      loss,
      rate: this.#rate(Math.max(0, progress.step - 1)),
      tokens: this.steps.tokens,
      latest,
    });
  }
}
