/** @file Passes of the training graph: forward, backward, and into the gradients of the step. */
import { sigmoid, softmax } from '../core/softmax.js';
import { type Engine, gradientOf, type Runner } from '../gradient/white-box/engine.js';
import { tokenValues } from '../model/feeds.js';
import { DataType } from '../onnx/data-type.js';
import type { Feed } from '../onnx/tensor.js';
import { DELTA, type Perturbable } from './adversarial/perturbable.js';
import { inputFeeds, type PaddedBatch } from './batch-feeds.js';
import type { Gradients } from './gradients.js';
import type { Lesson } from './lessons.js';
import { TARGETS } from './loss.js';
import type { Trainee } from './trainee.js';

/** What differs from the lesson. */
export interface Change {
  /** Added to the embeddings, row-major [texts, tokens, hidden]. */
  readonly delta?: Float32Array;
  /** Other tokens in the same places. */
  readonly tokens?: PaddedBatch;
  /** Other targets, row-major [texts, columns]. */
  readonly targets?: Float32Array;
}

/** The caller's to keep. */
export interface Answer {
  /** Weighted by the importance of its texts. */
  readonly loss: number;
  /** What the loss's columns are taken for, row-major [texts, columns]: the shape of targets. */
  readonly probabilities: Float32Array;
  /** d(loss)/d(embeddings), row-major [texts, tokens, hidden]. */
  readonly slope: Float32Array;
}

type Weights = Iterable<readonly [string, Feed]>;

export class Passes {
  readonly #engine: Engine;
  readonly #trainee: Trainee;
  readonly #perturbable: Perturbable | undefined;
  readonly #backward: Runner;
  /** Gives the gradient of the embeddings alone. */
  #light: Runner | undefined;

  private constructor(engine: Engine, trainee: Trainee, perturbable: Perturbable | undefined, backward: Runner) {
    this.#engine = engine;
    this.#trainee = trainee;
    this.#perturbable = perturbable;
    this.#backward = backward;
  }

  /** With `perturbable`, lessons can be changed. Throws UnsupportedOpError, ModelError. */
  static async open(engine: Engine, plain: Trainee, perturbable?: Perturbable): Promise<Passes> {
    const trainee = perturbable?.trainee ?? plain;
    const weights = namesOf(trainee);
    const rows = new Map(trainee.lookups.map((lookup) => [lookup.table, lookup.rows]));
    const wrt = new Set(weights.map((name) => rows.get(name) ?? name));
    if (perturbable) wrt.add(perturbable.rows);
    const outputs = perturbable ? [trainee.loss, trainee.logits] : [trainee.loss];
    const backward = await engine.backward(trainee.graph, outputs, weights, trainee.loss, [...wrt]);
    return new Passes(engine, trainee, perturbable, backward);
  }

  /** A lesson as it is: adds `share` of its gradients and gives its whole loss. */
  async plain(lesson: Lesson, share: number, weights: Weights, gradients: Gradients): Promise<number> {
    if (this.#perturbable) return (await this.changed(lesson, {}, share, weights, gradients)).loss;
    const out = await this.#backward.run(new Map([...weights, ...lesson.feeds]));
    this.#add(out, lesson.tokens, gradients, share);
    return out.get(this.#trainee.loss)?.[0] as number;
  }

  /** A changed lesson: adds `share` of its gradients, where that is more than none, to `gradients`. Only with `perturbable`. */
  async changed(
    lesson: Lesson,
    change: Change,
    share: number,
    weights: Weights,
    gradients?: Gradients,
  ): Promise<Answer> {
    const { rows, hidden } = this.#perturbable as Perturbable;
    const tokens = change.tokens ?? lesson.tokens;
    const dims = [tokens.texts, tokens.length, hidden];
    const data = change.delta ?? new Float32Array(tokens.ids.length * hidden);
    const targets = lesson.feeds.get(TARGETS) as Feed;
    const feeds = new Map<string, Feed>([
      ...weights,
      ...lesson.feeds,
      ...(change.tokens ? inputFeeds(this.#trainee, tokens) : []),
      [TARGETS, change.targets ? { ...targets, data: change.targets } : targets],
      [DELTA, { type: DataType.float, dims, data }],
    ]);
    const out = await (share > 0 ? this.#backward : await this.#lightly(rows)).run(feeds);
    if (share > 0 && gradients) this.#add(out, tokens, gradients, share);
    return {
      loss: out.get(this.#trainee.loss)?.[0] as number,
      probabilities: probabilities(out.get(this.#trainee.logits) as Float32Array, this.#trainee),
      slope: (out.get(gradientOf(rows)) as Float32Array).slice(),
    };
  }

  async release(): Promise<void> {
    await this.#backward.release();
    await this.#light?.release();
  }

  async #lightly(rows: string): Promise<Runner> {
    const { graph, loss, logits } = this.#trainee;
    this.#light ??= await this.#engine.backward(graph, [loss, logits], namesOf(this.#trainee), loss, [rows]);
    return this.#light;
  }

  #add(out: ReadonlyMap<string, Float32Array>, tokens: PaddedBatch, gradients: Gradients, share: number): void {
    for (const { name, table } of this.#trainee.parameters) {
      if (!table) gradients.add(name, out.get(gradientOf(name)) as Float32Array, share);
    }
    for (const { table, role, rows } of this.#trainee.lookups) {
      gradients.scatter(table, tokenValues(role, tokens, tokens), out.get(gradientOf(rows)) as Float32Array, share);
    }
  }
}

const namesOf = ({ parameters }: Trainee): string[] => parameters.map(({ name }) => name);

function probabilities(logits: Float32Array, { head, columns }: Trainee): Float32Array {
  if (head === 'sigmoid') return logits.map(sigmoid);
  const all = logits.slice();
  for (let from = 0; from < all.length; from += columns) softmax(all.subarray(from, from + columns));
  return all;
}
