/** @file A classifier from its embeddings on: its answers and its gradients, as a worker answers with them. */
import { gradientOf } from '../../../packages/onnx/src/autodiff/gradient-graph.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { readModelOutline } from '../../../packages/onnx/src/graph/load.js';
import type { Model } from '../../../packages/onnx/src/graph/model.js';
import { type Feed, Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { ModelError, must, UnsupportedOpError } from '../../core/errors.js';
import { withDirectLookup } from '../../model/graph/direct-lookup.js';
import { withPrunedRows } from '../../model/graph/row-pruning.js';
import type { OutputRule } from '../../model/output/activation.js';
import { type TokenBatch, tokenFeeds, type Wiring } from '../../model/workers/feeds.js';
import type { Served } from '../../model/workers/messages.js';
import type { Engine, Runner } from './engine.js';
import { fromEmbeddings, lookupOf } from './lookup.js';
import { appendLoss, TARGET } from './loss.js';
import { loweredGraph, onnxEngine } from './onnx-engine.js';

/** Description of the model; it can be sent to a worker. */
export interface EmbeddingPlan {
  /** The .onnx file. */
  readonly file: string;
  readonly wiring: Wiring;
  readonly rule: OutputRule;
  readonly engine: Engine['name'];
  /** Whether the embedding table is wanted. */
  readonly table: boolean;
}

/** Figures of a plan once its model is open. */
export interface EmbeddingSummary {
  /** The name of the loss. */
  readonly loss: string;
  readonly hidden: number;
  /** Row-major [vocabulary, hidden], in memory that threads share; empty where it was not wanted. */
  readonly table: Float32Array;
}

/** Texts of equal token count. */
export interface EmbeddingBatch extends TokenBatch {
  /** Row-major [texts, tokens, hidden]. */
  readonly embeddings: Float32Array;
  /** Row-major [texts, width]: see TARGET. Absent where only answers are wanted. */
  readonly targets?: Float32Array;
}

export interface EmbeddingAnswer {
  /** The graph's output, row-major [texts, width]. */
  readonly raw: Float32Array;
  /** [texts]. */
  readonly losses?: Float32Array;
  /** d(loss)/d(embeddings), row-major [texts, tokens, hidden]. */
  readonly gradients?: Float32Array;
}

interface EmbeddingModelParts {
  readonly rows: string;
  readonly losses: string;
  readonly loss: string;
  readonly hidden: number;
  readonly weights: ReadonlyMap<string, Feed>;
  /** Opens the graph of the answers alone. */
  readonly openForward: () => Promise<Runner>;
  readonly backward: Runner;
}

/** Weights beyond this are kept once for all sessions of a thread, fed at each run (5-8 % slower), instead of once a session. */
const SHARED_WEIGHTS_BYTES = 64 * 2 ** 20;
/** Elements from which on a weight is worth feeding. */
const FED_WEIGHT_ELEMENTS = 1024;

class EmbeddingModel {
  /** The name of the loss. */
  readonly loss: string;
  readonly hidden: number;
  readonly #plan: EmbeddingPlan;
  readonly #names: { readonly rows: string; readonly losses: string };
  readonly #weights: ReadonlyMap<string, Feed>;
  readonly #openForward: () => Promise<Runner>;
  /** Opened when it is first wanted: whoever ranks by gradients never asks for it. */
  #forward: Promise<Runner> | undefined;
  readonly #backward: Runner;

  private constructor(plan: EmbeddingPlan, parts: EmbeddingModelParts) {
    this.#plan = plan;
    this.#names = parts;
    this.#weights = parts.weights;
    this.#openForward = parts.openForward;
    this.#backward = parts.backward;
    this.loss = parts.loss;
    this.hidden = parts.hidden;
  }

  /**
   * The model, and its embedding table, row-major [vocabulary, hidden], in memory that threads can share. Nothing of the
   * file stays in memory beyond what runs. Throws ModelError, UnsupportedOpError.
   */
  static async open(plan: EmbeddingPlan): Promise<{ model: EmbeddingModel; table: Float32Array }> {
    const { file, wiring, rule } = plan;
    const ids = wiring.inputs.find(({ role }) => role === 'ids')?.name;
    if (ids === undefined) {
      const message = `${file}: expected a model of token ids for gradients, got one that takes ${wiring.features === undefined ? 'the text itself' : 'features of a text'}`;
      throw new UnsupportedOpError(message, {
        code: 'EMBEDDINGS_UNSUPPORTED',
        hint: 'Attacks that need no gradients run on it.',
      });
    }
    const read = await readModelOutline(file);
    const spelled = withDirectLookup(await loweredGraph(withPrunedRows(read) ?? read), ids);
    const { table, rows } = lookupOf(spelled.graph, ids);
    const batch = wiring.fixedBatch ?? 'batch';
    const cut = fromEmbeddings(spelled, { table, rows }, batch, wiring.fixedLength ?? 'sequence');
    const { model, losses, name } = appendLoss(cut, wiring.output, rule, batch);
    const shared = sharedTable(table);
    const weights = sharedWeights(cut);
    checkNumbers(file, [Tensor.of(table.name, table.dims, shared), ...cut.graph.initializers.values()]);
    const engine = plan.engine === 'onnx' ? onnxEngine() : await (await import('../tfjs/engine.js')).tfjsEngine();
    const fed = [...weights.keys()];
    const backward = await engine.backward(model, [wiring.output, losses], fed, losses, [rows]);
    const forwardOf = () => engine.forward(model, [wiring.output], fed);
    // Nothing of a large model may stay in memory beyond what runs.
    const forward = fed.length > 0 ? await forwardOf() : undefined;
    const openForward = forward ? async () => forward : forwardOf;
    const parts = { rows, losses, loss: name, hidden: must(table.dims[1]), weights, openForward, backward };
    return { model: new EmbeddingModel(plan, parts), table: shared };
  }

  /** Answers, and gradients where the batch has targets. */
  async run(batch: EmbeddingBatch): Promise<EmbeddingAnswer> {
    const { output } = this.#plan.wiring;
    const { losses, rows } = this.#names;
    const graded = batch.targets !== undefined;
    if (!graded) this.#forward ??= this.#openForward();
    const results = await (graded ? this.#backward : must(await this.#forward)).run(this.#feeds(batch));
    // A runner may reuse its memory.
    const of = (name: string) => must(results.get(name)).slice();
    return { raw: of(output), ...(graded && { losses: of(losses), gradients: of(gradientOf(rows)) }) };
  }

  async release(): Promise<void> {
    await Promise.all([this.#backward.release(), (await this.#forward)?.release()]);
  }

  #feeds({ embeddings, targets, ...batch }: EmbeddingBatch): Map<string, Feed> {
    const { wiring, rule } = this.#plan;
    const feeds = new Map<string, Feed>([...this.#weights, ...tokenFeeds(wiring.inputs, batch, wiring)]);
    const { texts, length } = batch;
    feeds.set(this.#names.rows, { type: DataType.float, dims: [texts, length, this.hidden], data: embeddings });
    if (targets) feeds.set(TARGET, { type: DataType.float, dims: [texts, rule.width], data: targets });
    return feeds;
  }
}

/** Gradients and answers in a worker: see worker.ts. */
export async function serve(plan: EmbeddingPlan): Promise<Served<EmbeddingSummary, EmbeddingBatch, EmbeddingAnswer>> {
  const { model, table } = await EmbeddingModel.open(plan);
  return {
    ready: { loss: model.loss, hidden: model.hidden, table: plan.table ? table : new Float32Array() },
    answer: (batch) => model.run(batch),
    release: () => model.release(),
  };
}

/** The weights to feed: the large ones of a large model, none of a small one. */
function sharedWeights({ graph }: Model): Map<string, Feed> {
  const floats = Array.from(graph.initializers.values()).filter(({ type }) => type === DataType.float);
  const bytes = floats.reduce((sum, { size }) => sum + 4 * size, 0);
  if (bytes < SHARED_WEIGHTS_BYTES) return new Map();
  const large = floats.filter(({ size }) => size >= FED_WEIGHT_ELEMENTS);
  return new Map(large.map((t) => [t.name, { type: t.type, dims: t.dims, data: t.floats() }]));
}

/** A tensor's values in memory that threads can share. Read for this alone, so that no second copy stays behind. */
function sharedTable(table: Tensor): Float32Array {
  const values = table.withName(table.name).floats();
  const shared = new Float32Array(new SharedArrayBuffer(values.byteLength));
  shared.set(values);
  return shared;
}

/** Throws ModelError (MODEL_DAMAGED) where a weight is no number: no gradient would be one. (Masks may be infinite.) */
function checkNumbers(file: string, tensors: readonly Tensor[]): void {
  for (const { name, type, data } of tensors) {
    if (type !== DataType.float) continue;
    for (let at = 0; at < data.length; at++) {
      if (!Number.isNaN(data[at] as number)) continue;
      throw new ModelError(`${file}: weight "${name}" is NaN at element ${at}`, {
        code: 'MODEL_DAMAGED',
        hint: 'Its training diverged, or the file is damaged: export it again.',
      });
    }
  }
}
