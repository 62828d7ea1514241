/** @file Reads the attention of a loaded model from its graph: its softmaxes become outputs, so nothing is recomputed. */
import { readModelOutline } from '../../packages/onnx/src/graph/load.js';
import type { Attention, AttentionSource } from '../core/attention.js';
import { ModelError, must } from '../core/errors.js';
import { queryParts } from '../core/pair.js';
import { forwardGraph, loweredGraph } from '../gradient/white-box/onnx-engine.js';
import { type OpenSession, openSession } from '../gradient/white-box/open-session.js';
import type { GraphParts, LoadedModel } from '../model/loaded-model.js';
import { readsIds } from '../model/opening/input-kinds.js';
import { idsOf } from '../model/tokens/encoder.js';
import { batchFeeds } from '../model/workers/feeds.js';
import { batchOf, type EncodedText } from '../model/workers/queue.js';

export interface OpenAttention extends AttentionSource {
  close(): Promise<void>;
}

/** A text whose token count is unlikely to equal the number of heads. */
const SAMPLE = 'This one is here to see which of them look from words to words.';

/**
 * Opens a session whose outputs are the softmaxes over tokens. Fused attention operators are expanded first. Throws ModelError LAYERS_UNSUPPORTED
 * for a model without them.
 */
export async function openAttention(model: LoadedModel): Promise<OpenAttention> {
  const { onnx, name } = model;
  if (onnx === undefined || !readsIds(onnx.encoder)) throw noAttention(name);
  const spelled = await loweredGraph(await readModelOutline(onnx.file), undefined, onnx.isolate);
  const softmaxes = spelled.graph.nodes.flatMap(({ op, outputs: [output] }) =>
    op === 'Softmax' && output ? [output] : [],
  );
  if (softmaxes.length === 0) throw noAttention(name);
  const { isolate } = onnx;
  const trial = await openSession(forwardGraph(spelled, softmaxes, []), { isolate });
  const seen = await look(trial, onnx, softmaxes, SAMPLE).catch(async (error) => {
    await trial.release();
    throw error;
  });
  const layers = seen.map(({ output }) => output);
  if (layers.length === softmaxes.length) return new AttentionSession(trial, onnx, layers);
  await trial.release();
  if (layers.length === 0) throw noAttention(name);
  return new AttentionSession(await openSession(forwardGraph(spelled, layers, []), { isolate }), onnx, layers);
}

const noAttention = (name: string): ModelError =>
  new ModelError(`${name}: expected a graph with attention, a softmax from tokens to tokens, found none`, {
    code: 'LAYERS_UNSUPPORTED',
    hint: 'Use lime, shap or integrated-gradients instead.',
  });

interface AttentionLayer {
  readonly output: string;
  readonly heads: number;
  /** Row-major [heads, to, from]. */
  readonly weights: Float32Array;
}

/** Attention of one text: all outputs of shape [heads, tokens, tokens], with or without a batch axis. */
async function look(
  session: OpenSession,
  { encoder, wiring }: GraphParts,
  outputs: readonly string[],
  text: string,
): Promise<AttentionLayer[]> {
  const [first, second] = queryParts(text);
  const tokens = encoder.tokens(first, second);
  const texts = wiring.fixedBatch ?? 1;
  const batch = batchOf(new Array<EncodedText>(texts).fill(idsOf(tokens)), false);
  const results = await session.run(batchFeeds(wiring, batch));
  return outputs.flatMap((output): AttentionLayer[] => {
    const { dims, data } = results.get(output) as { dims: readonly number[]; data: unknown };
    const [to, from] = dims.slice(-2);
    const heads = dims.length === 4 ? must(dims[1]) : must(dims[0]) / texts;
    const square = dims.length >= 3 && to === tokens.length && from === tokens.length;
    if (!square || !(data instanceof Float32Array) || !Number.isInteger(heads)) return [];
    return [{ output, heads, weights: data.slice(0, heads * tokens.length ** 2) }];
  });
}

class AttentionSession implements OpenAttention {
  readonly #session: OpenSession;
  readonly #onnx: GraphParts;
  readonly #layers: readonly string[];

  constructor(session: OpenSession, onnx: GraphParts, layers: readonly string[]) {
    this.#session = session;
    this.#onnx = onnx;
    this.#layers = layers;
  }

  async attention(text: string): Promise<Attention> {
    const [first, second] = queryParts(text);
    const tokens = this.#onnx.encoder.tokens(first, second);
    const layers = await look(this.#session, this.#onnx, this.#layers, text);
    const heads = Math.min(...layers.map((layer) => layer.heads));
    const size = heads * tokens.length ** 2;
    const weights = new Float32Array(layers.length * size);
    // Layers with different numbers of heads are unheard of; only their first heads would be kept.
    layers.forEach((layer, at) => {
      weights.set(layer.weights.subarray(0, size), at * size);
    });
    return { tokens, layers: layers.length, heads, weights };
  }

  close(): Promise<void> {
    return this.#session.release();
  }
}
