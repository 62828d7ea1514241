/** PyTorch's loss, logits and gradients of whole transformers, exported at several opsets. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tfjsEngine } from '../../../../src/gradient/tfjs/engine.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import { splitShared } from '../../../../src/train/split-shared.js';
import { gradientOf } from '../../src/autodiff/gradient-graph.js';
import { simplify } from '../../src/autodiff/simplify/index.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import { users, withGraph } from '../../src/graph/edit.js';
import { loadModel } from '../../src/graph/load.js';
import { feeds, type Graph } from '../../src/graph/model.js';
import type { Feed } from '../../src/graph/tensor.js';

const goldens = new URL('../../../../../shared/goldens/', import.meta.url).pathname;

interface Golden {
  readonly ids: readonly (readonly number[])[];
  readonly am: readonly (readonly number[])[];
  readonly y: readonly number[];
  /** Summed over the batch, as the gradients are. */
  readonly loss: number;
  readonly logits: readonly (readonly number[])[];
  /** By PyTorch's name: the first 5,000 elements. */
  readonly grads: Readonly<Record<string, readonly number[]>>;
}

/** PyTorch's name of a weight -> ours, and whether ours is its transpose: the exporter renames what it transposes. */
function weightNames(graph: Graph): Map<string, { name: string; transposed: boolean }> {
  const readers = users(graph);
  const names = new Map<string, { name: string; transposed: boolean }>();
  for (const name of graph.initializers.keys()) {
    const product = readers.get(name)?.[0];
    if (product?.op !== 'MatMul') names.set(name, { name, transposed: false });
    else {
      const bias = readers.get(product.outputs[0]!)![0]!.inputs.find((input) => input.endsWith('.bias'))!;
      names.set(bias.replace(/bias$/, 'weight'), { name, transposed: true });
    }
  }
  return names;
}

function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let difference = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i++) {
    difference += (actual[i]! - expected[i]!) ** 2;
    size += expected[i]! ** 2;
  }
  // A key's bias shifts all scores alike: its gradient is 0, and the stored values are rounding errors.
  return size < 1e-14 ? Math.sqrt(difference) : Math.sqrt(difference / size);
}

function transpose(values: Float32Array, [rows, columns]: readonly number[]): Float32Array {
  return Float32Array.from(values, (_, i) => values[(i % rows!) * columns! + Math.floor(i / rows!)]!);
}

describe.skipIf(!existsSync(goldens)).each([
  ['onnx', async () => onnxEngine()],
  ['tfjs', tfjsEngine],
] as const)('the %s engine and PyTorch', (_engine, open) => {
  test.each(['distil_11', 'distil_14', 'distil_17', 'bert_11', 'bert_17'])('%s', async (name) => {
    const engine = await open();
    const golden = JSON.parse(readFileSync(join(goldens, `exp_${name.split('_')[0]}.json`), 'utf8')) as Golden;
    const simple = simplify(await loadModel(join(goldens, `exp_${name}.onnx`)));
    const model = withGraph(simple, splitShared(simple.graph));
    const names = weightNames(model.graph);
    const table = 'embeddings.word_embeddings.weight';
    const lookup = model.graph.nodes.find((node) => node.inputs[0] === table)!.outputs[0]!;

    const g = new GraphBuilder({ base: model });
    const logs = g.op('LogSoftmax', ['logits'], { axis: -1 });
    g.input('targets', DataType.float, ['batch', 3]);
    g.output(g.ops('Neg', [g.op('Mul', [logs, 'targets'])], ['losses'])[0]!);

    const wanted = Object.keys(golden.grads).map((key) => names.get(key)!);
    const wrt = [...wanted.map((weight) => weight.name), lookup];
    const runner = await engine.backward(g.model(), ['logits', 'losses'], [], 'losses', wrt);
    const batch = golden.ids.length;
    const length = golden.ids[0]!.length;
    const tokens = (values: readonly (readonly number[])[]): Feed => ({
      type: DataType.int64,
      dims: [batch, length],
      data: BigInt64Array.from(values.flat(), BigInt),
    });
    const targets = golden.y.flatMap((label) => [0, 1, 2].map((column) => (column === label ? 1 : 0)));
    const given: Record<string, Feed> = {
      input_ids: tokens(golden.ids),
      attention_mask: tokens(golden.am),
      token_type_ids: tokens(golden.ids.map((row) => row.map(() => 0))),
      targets: { type: DataType.float, dims: [batch, 3], data: Float32Array.from(targets) },
    };
    const result = await runner.run(new Map(feeds(g.graph()).map((input) => [input.name, given[input.name]!])));

    expect(relativeError(result.get('logits')!, golden.logits.flat())).toBeLessThan(1e-5);
    expect(result.get('losses')!.reduce((a, b) => a + b)).toBeCloseTo(golden.loss, 5);
    for (const [key, expected] of Object.entries(golden.grads)) {
      const { name: ours, transposed } = names.get(key)!;
      const gradient = result.get(gradientOf(ours))!;
      const dims = model.graph.initializers.get(ours)!.dims;
      const error = relativeError(transposed ? transpose(gradient, dims) : gradient, expected);
      expect(error, key).toBeLessThan(1e-5);
    }
    // The rows' gradients, scattered into the table, are the table's.
    const rows = result.get(gradientOf(lookup))!;
    const width = rows.length / (batch * length);
    const scattered = new Float32Array(golden.grads[table]!.length);
    golden.ids.flat().forEach((id, at) => {
      for (let k = 0; k < width; k++) scattered[id * width + k]! += rows[at * width + k]!;
    });
    expect(relativeError(scattered.slice(0, golden.grads[table]!.length), golden.grads[table]!)).toBeLessThan(1e-5);
    await runner.release();
  });
});
