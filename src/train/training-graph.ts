/** @file Passes of the training graph: forward, backward, and into the gradients of the step. */
import { gradientOf } from '../../packages/onnx/src/autodiff/gradient-graph.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { must } from '../core/errors.js';
import { sigmoid, softmax } from '../core/statistics/softmax.js';
import type { Runner } from '../gradient/white-box/engine.js';
import { backwardGraph } from '../gradient/white-box/onnx-engine.js';
import { type OpenOptions, openRunner } from '../gradient/white-box/open-session.js';
import { tokenValues } from '../model/workers/feeds.js';
import { DELTA, type Perturbable } from './adversarial/perturbable.js';
import type { PaddedBatch } from './batch-feeds.js';
import type { GradientSums } from './gradients.js';
import { TARGETS } from './loss.js';
import type { BatchChange, PassResult } from './pass.js';
import type { TrainableModel } from './trainable-model.js';
import type { TrainingBatch } from './training-batches.js';

type WeightFeeds = Iterable<readonly [string, Feed]>;

export class TrainingGraph {
  readonly #options: OpenOptions;
  readonly #trainable: TrainableModel;
  readonly #perturbable: Perturbable | undefined;
  readonly #backward: Runner;
  /** The file that it runs. */
  readonly file: Uint8Array;
  /** Gives the gradient of the embeddings alone. */
  #light: Runner | undefined;

  private constructor(
    trainable: TrainableModel,
    perturbable: Perturbable | undefined,
    options: OpenOptions,
    backward: Runner,
    file: Uint8Array,
  ) {
    this.#options = options;
    this.#trainable = trainable;
    this.#perturbable = perturbable;
    this.#backward = backward;
    this.file = file;
  }

  get runner(): Runner {
    return this.#backward;
  }

  /** With `perturbable`, batches can be changed. Throws UnsupportedOpError, ModelError. */
  static async open(
    plain: TrainableModel,
    perturbable?: Perturbable,
    options: OpenOptions = {},
  ): Promise<TrainingGraph> {
    const trainable = perturbable?.trainable ?? plain;
    const weights = namesOf(trainable);
    const rows = new Map(trainable.lookups.map((lookup) => [lookup.table, lookup.rows]));
    const wrt = new Set(weights.map((name) => rows.get(name) ?? name));
    if (perturbable) wrt.add(perturbable.rows);
    const outputs = perturbable ? [trainable.loss, trainable.logits] : [trainable.loss];
    const file = await backwardGraph(trainable.graph, outputs, weights, trainable.loss, [...wrt]);
    return new TrainingGraph(trainable, perturbable, options, await openRunner(file, options), file);
  }

  /** A batch as it is: adds `share` of its gradients and gives its whole loss. */
  async plain(
    trainingBatch: TrainingBatch,
    share: number,
    weights: WeightFeeds,
    gradients: GradientSums,
  ): Promise<number> {
    if (this.#perturbable) return (await this.applyChange(trainingBatch, {}, share, weights, gradients)).loss;
    const out = await this.#backward.run(new Map([...weights, ...trainingBatch.feeds]));
    this.#add(out, trainingBatch.tokens, gradients, share);
    return out.get(this.#trainable.loss)?.[0] as number;
  }

  /** A changed batch: adds `share` of its gradients, where that is more than none, to `gradients`. Only with `perturbable`. */
  async applyChange(
    trainingBatch: TrainingBatch,
    change: BatchChange,
    share: number,
    weights: WeightFeeds,
    gradients?: GradientSums,
  ): Promise<PassResult> {
    const { rows, hidden } = must(this.#perturbable);
    const { tokens } = trainingBatch;
    const dims = [tokens.texts, tokens.length, hidden];
    const data = change.delta ?? new Float32Array(tokens.ids.length * hidden);
    const targets = must(trainingBatch.feeds.get(TARGETS));
    const feeds = new Map<string, Feed>([
      ...weights,
      ...trainingBatch.feeds,
      [TARGETS, change.targets ? { ...targets, data: change.targets } : targets],
      [DELTA, { type: DataType.float, dims, data }],
    ]);
    const out = await (share > 0 ? this.#backward : await this.#lightly(rows)).run(feeds);
    if (share > 0 && gradients) this.#add(out, tokens, gradients, share);
    return {
      loss: out.get(this.#trainable.loss)?.[0] as number,
      probabilities: probabilities(must(out.get(this.#trainable.logits)), this.#trainable),
      slope: must(out.get(gradientOf(rows))).slice(),
    };
  }

  async release(): Promise<void> {
    await this.#backward.release();
    await this.#light?.release();
  }

  async #lightly(rows: string): Promise<Runner> {
    const { graph, loss, logits } = this.#trainable;
    if (this.#light) return this.#light;
    const file = await backwardGraph(graph, [loss, logits], namesOf(this.#trainable), loss, [rows]);
    this.#light = await openRunner(file, this.#options);
    return this.#light;
  }

  #add(out: ReadonlyMap<string, Float32Array>, tokens: PaddedBatch, gradients: GradientSums, share: number): void {
    for (const { name, table } of this.#trainable.parameters) {
      if (!table) gradients.add(name, must(out.get(gradientOf(name))), share);
    }
    for (const { table, role, rows } of this.#trainable.lookups) {
      gradients.scatter(table, tokenValues(role, tokens, tokens), must(out.get(gradientOf(rows))), share);
    }
  }
}

const namesOf = ({ parameters }: TrainableModel): string[] => parameters.map(({ name }) => name);

function probabilities(logits: Float32Array, { head, columns }: TrainableModel): Float32Array {
  if (head === 'sigmoid') return logits.map(sigmoid);
  const all = logits.slice();
  for (let from = 0; from < all.length; from += columns) softmax(all.subarray(from, from + columns));
  return all;
}
