/**
 * @file A loaded model that has unlearnt: each weight matrix with its elements in another order. For sanity checks of explanations (Adebayo et
 * al., "Sanity Checks for Saliency Maps", 2018): what explains the model cannot stay as it was.
 */
import type { Classifier } from '../core/classifier.js';
import { ModelError } from '../core/errors.js';
import { type Random, random } from '../core/random.js';
import { forwardGraph, spelledOut } from '../gradient/white-box/onnx-engine.js';
import { openSession } from '../gradient/white-box/open-session.js';
import { tokenFeeds } from '../gradient/white-box/token-feeds.js';
import { activate } from '../model/activation.js';
import { readsIds } from '../model/input-kinds.js';
import type { LoadedModel } from '../model/loaded-model.js';
import { DataType } from '../onnx/data-type.js';
import { withGraph, withInitializers } from '../onnx/edit.js';
import { skimModel } from '../onnx/load.js';
import { Tensor } from '../onnx/tensor.js';

export interface ShuffledModel extends Classifier {
  close(): Promise<void>;
}

const BATCH = 16;

/** The model with shuffled weights, in one session. Throws ModelError where it has no local graph of token ids. */
export async function openShuffled(model: LoadedModel, seed: number): Promise<ShuffledModel> {
  const { onnx } = model;
  if (onnx === undefined || !readsIds(onnx.encoder)) {
    throw new ModelError(`${model.name}: expected a local ONNX model of token ids to shuffle, got another`, {
      code: 'NO_WEIGHTS',
    });
  }
  const { file, wiring, encoder, rule, isolate } = onnx;
  // All weights at single precision, those of quantised models too.
  const whole = await spelledOut(await skimModel(file), undefined, isolate);
  const stream = random(seed, 'shuffled weights');
  const tensors = Array.from(whole.graph.initializers.values())
    .filter(({ type, dims }) => type === DataType.float && dims.length >= 2)
    .map((tensor) => Tensor.of(tensor.name, tensor.dims, shuffled(tensor.floats(), stream.split(tensor.name))));
  const changed = withGraph(whole, withInitializers(whole.graph, tensors));
  const session = await openSession(forwardGraph(changed, [wiring.output], []), { isolate });

  const run = async (rows: readonly Int32Array[]): Promise<Float32Array[]> => {
    const tokens = (rows[0] as Int32Array).length;
    const texts = wiring.fixedBatch ?? rows.length;
    const ids = new Int32Array(texts * tokens);
    for (let at = 0; at < texts; at++) ids.set(rows[at] ?? (rows[0] as Int32Array), at * tokens);
    const output = (await session.run(tokenFeeds(wiring, ids, texts, tokens))).get(wiring.output) as Float32Array;
    const all = activate(output, rule);
    const width = all.length / texts;
    return rows.map((_, at) => all.slice(at * width, (at + 1) * width));
  };

  return {
    labels: model.labels,
    async classify(texts) {
      const encoded = texts.map((text) => encoder.encode(text).ids);
      const order = encoded
        .map((_, at) => at)
        .sort((a, b) => (encoded[a] as Int32Array).length - (encoded[b] as Int32Array).length || a - b);
      const answers: Float32Array[] = new Array(texts.length);
      const most = wiring.fixedBatch ?? BATCH;
      for (let from = 0; from < order.length; ) {
        const length = (encoded[order[from] as number] as Int32Array).length;
        let to = from;
        while (to < order.length && to - from < most && (encoded[order[to] as number] as Int32Array).length === length)
          to++;
        const places = order.slice(from, to);
        const rows = await run(places.map((at) => encoded[at] as Int32Array));
        places.forEach((at, row) => {
          answers[at] = rows[row] as Float32Array;
        });
        from = to;
      }
      return answers;
    },
    close: () => session.release(),
  };
}

/** A shuffled copy (Fisher and Yates). */
function shuffled(data: Float32Array, stream: Random): Float32Array {
  const copy = data.slice();
  for (let last = copy.length - 1; last > 0; last--) {
    const other = stream.int(last + 1);
    const kept = copy[last] as number;
    copy[last] = copy[other] as number;
    copy[other] = kept;
  }
  return copy;
}
