/** @file A loaded model whose graph can be differentiated: what gradient attacks are given. */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { EmbeddingGradient, Token, WhiteBox } from '../../core/classifier.js';
import { closingOnError } from '../../core/closing-stack.js';
import { ModelError, must, UnsupportedOpError } from '../../core/errors.js';
import { queryParts } from '../../core/pair.js';
import type { GraphParts, LoadedModel } from '../../model/loaded-model.js';
import { activate } from '../../model/output/activation.js';
import { idsOf } from '../../model/tokens/encoder.js';
import { WorkerPool } from '../../model/workers/pool.js';
import { checkGradients } from './check-gradients.js';
import type { EmbeddingAnswer, EmbeddingPlan, EmbeddingSummary } from './embedding-model.js';
import type { Engine } from './engine.js';
import { type GradientPool, type GradientQuestion, type GradientQueue, gradientQueue } from './gradient-queue.js';
import type { ProductAnswer, ProductQuestion, TablePlan } from './table-products.js';

export interface WhiteBoxOptions {
  /** @default 'onnx' */
  readonly engine?: Engine['name'];
  /** Workers, at least 1. @default the cores this process may use, 1 for a model beyond 100 MB */
  readonly workers?: number;
}

export interface OpenWhiteBox extends WhiteBox {
  /** Ends the workers. Questions still waiting are rejected. */
  close(): Promise<void>;
}

/** Bytes of model files beyond which one copy of the weights, and so one worker, is enough unless more are asked for. */
const SINGLE_WORKER_BYTES = 100e6;

/**
 * Prepares gradients of a loaded model. Throws UnsupportedOpError where it has no local graph, or its embeddings or operators
 * cannot be differentiated: it is then a black box; ModelError where its file has changed since it was loaded or holds NaN.
 */
export async function openWhiteBox(model: LoadedModel, options: WhiteBoxOptions = {}): Promise<OpenWhiteBox> {
  const { tfjs, inside } = model;
  const parts = model.onnx ?? tfjs;
  if (inside !== undefined) return (await import('./module-white-box.js')).openModuleWhiteBox(model, inside);
  if (parts === undefined)
    throw new UnsupportedOpError(
      `${model.name}: expected a local ONNX model, or one of TF.js, for gradients, got one without a graph`,
      { code: 'GRADIENTS_UNSUPPORTED', hint: 'Attacks that need no gradients run on it.' },
    );
  const plan: EmbeddingPlan = {
    file: parts.file,
    wiring: parts.wiring,
    rule: parts.rule,
    engine: options.engine ?? 'onnx',
    table: false,
  };
  const sizes = await Promise.all(
    model.paths.map((path) =>
      stat(path).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const large = sizes.reduce((sum, size) => sum + size, 0) > SINGLE_WORKER_BYTES;
  const size = options.workers ?? (large ? 1 : availableParallelism());
  const { isolate, check } = parts;
  const module = `gradient/white-box/${tfjs ? 'tfjs-model' : 'embedding-model'}.js`;
  const pool: GradientPool = new WorkerPool({ module, plan, model: parts.file, size, isolate, check });
  return closingOnError(pool, async () => {
    const summary = await pool.open({ ...plan, table: true } satisfies EmbeddingPlan);
    // The queue opens the others when there is work for them.
    const { independent, flat } = await checkGradients(pool, parts.encoder, plan, summary);
    if (flat) throw noGradient(model);
    const queue = gradientQueue(pool, { alone: !independent, fixed: plan.wiring.fixedBatch });
    return new DifferentiableModel(model, parts, summary, queue, pool);
  });
}

const noGradient = (model: LoadedModel): UnsupportedOpError =>
  new UnsupportedOpError(`${model.name}: its answers do not depend on its embeddings in a way that has a gradient`, {
    code: 'GRADIENTS_UNSUPPORTED',
    hint: 'What lies between them is flat, such as rounding or a cast to integers. Attacks that need no gradients run on it.',
  });

class DifferentiableModel implements OpenWhiteBox {
  readonly labels: readonly string[];
  readonly hidden: number;
  readonly loss: string;
  readonly #model: LoadedModel;
  readonly #parts: GraphParts;
  readonly #table: Float32Array;
  readonly #queue: GradientQueue;
  readonly #pool: GradientPool;
  /** One thread that multiplies, once somebody asks it to. */
  #products: WorkerPool<null, ProductQuestion, ProductAnswer> | undefined;
  #opened: Promise<unknown> | undefined;

  constructor(
    model: LoadedModel,
    parts: GraphParts,
    summary: EmbeddingSummary,
    queue: GradientQueue,
    pool: GradientPool,
  ) {
    this.labels = model.labels;
    this.hidden = summary.hidden;
    this.loss = summary.loss;
    this.#model = model;
    this.#parts = parts;
    this.#table = summary.table;
    this.#queue = queue;
    this.#pool = pool;
  }

  classify(texts: readonly string[]): Promise<Float32Array[]> {
    return this.#model.classify(texts);
  }

  async gradient(text: string, label: number): Promise<EmbeddingGradient> {
    const [first, second] = queryParts(text);
    const tokens = this.#parts.encoder.tokens(first, second);
    return this.gradientAt(this.#embed(tokens), tokens, label);
  }

  async gradientAt(embeddings: Float32Array, tokens: readonly Token[], label: number): Promise<EmbeddingGradient> {
    const target = this.#target(label);
    const answer = await this.#queue.ask({ ...this.#question(embeddings, tokens), target });
    return {
      tokens,
      loss: must(answer.losses)[0]!,
      probabilities: this.#probabilities(answer),
      embeddings,
      values: must(answer.gradients),
    };
  }

  async classifyEmbeddings(batch: readonly Float32Array[], tokens: readonly Token[]): Promise<Float32Array[]> {
    const questions = batch.map((embeddings) => this.#question(embeddings, tokens));
    const answers = await Promise.all(questions.map((question) => this.#queue.ask(question)));
    return answers.map((answer) => this.#probabilities(answer));
  }

  async embeddingTable(): Promise<Float32Array> {
    return this.#table;
  }

  async tableProducts(vectors: Float32Array): Promise<Float32Array> {
    if (this.#products === undefined) {
      const plan: TablePlan = { table: this.#table, hidden: this.hidden };
      const module = 'gradient/white-box/table-products.js';
      this.#products = new WorkerPool({ module, plan, model: this.#parts.file, size: 1 });
      this.#opened = this.#products.open();
    }
    await this.#opened;
    return (await this.#products.ask({ vectors })).products;
  }

  tokenText(id: number): string | undefined {
    return this.#parts.encoder.tokenText(id);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#products?.close()]);
  }

  #question(embeddings: Float32Array, tokens: readonly Token[]): GradientQuestion {
    if (tokens.length === 0) {
      throw new ModelError('expected a text of at least one token, got none', { code: 'TEXT_UNSUPPORTED' });
    }
    if (embeddings.length !== tokens.length * this.hidden) {
      const expected = `${tokens.length} tokens x ${this.hidden}`;
      throw new RangeError(`embeddings: expected ${expected} values, got ${embeddings.length}`);
    }
    return { ...idsOf(tokens), embeddings };
  }

  /** The tokens' rows of the table, row-major [tokens, hidden]. */
  #embed(tokens: readonly Token[]): Float32Array {
    const { hidden } = this;
    const rows = new Float32Array(tokens.length * hidden);
    tokens.forEach(({ id }, at) => {
      if ((id + 1) * hidden > this.#table.length)
        throw new ModelError(`expected token ids below ${this.#table.length / hidden}, got ${id}`, {
          code: 'MODEL_INPUT_MISMATCH',
          hint: 'The tokenizer and the model do not belong together.',
        });
      rows.set(this.#table.subarray(id * hidden, (id + 1) * hidden), at * hidden);
    });
    return rows;
  }

  #target(label: number): Float32Array {
    if (!Number.isInteger(label) || label < 0 || label >= this.labels.length)
      throw new ModelError(`expected a label from 0 to ${this.labels.length - 1}, got ${label}`, {
        code: 'LABEL_NOT_FOUND',
        hint: `The model's head knows ${this.labels.join(', ')}.`,
      });
    const { width } = this.#parts.rule;
    return width === 1 ? Float32Array.of(label) : Float32Array.from({ length: width }, (_, at) => Number(at === label));
  }

  #probabilities({ raw }: EmbeddingAnswer): Float32Array {
    return activate(raw, this.#parts.rule);
  }
}
