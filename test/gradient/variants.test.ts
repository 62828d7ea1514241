/**
 * Exports as users have them: optimised by onnxruntime (fused operators), at half precision, and dynamically quantised. Made here from the
 * goldens' exports, with the same expected gradients: equal for the first, and equal up to rounding for the others.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { floatToHalf } from '../../src/core/half.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { loadRuntime } from '../../src/model/workers/runtime.js';
import { DataType } from '../../src/onnx/data-type.js';
import { loadModel } from '../../src/onnx/load.js';
import type { Attribute, Model, ValueInfo } from '../../src/onnx/model.js';
import { Tensor } from '../../src/onnx/tensor.js';
import { goldens } from '../model/goldens.js';
import { quantised } from '../onnx/quantised.js';
import { answers, compare, inputGradient } from './held-against.js';

const root = mkdtempSync(join(tmpdir(), 'robust-variants-'));

/** As `optimum-cli onnxruntime optimize -O2` leaves it, as far as onnxruntime itself fuses. */
async function optimised(path: string, name: string): Promise<Model> {
  const file = join(root, `${name}.onnx`);
  const session = await loadRuntime().InferenceSession.create(path, {
    graphOptimizationLevel: 'extended',
    optimizedModelFilePath: file,
    logSeverityLevel: 3,
  });
  await session.release();
  return loadModel(file);
}

/** Constants that converters to half precision keep: minus infinity in a mask, or a norm's epsilon of 0, would give NaN. */
const [LEAST, MOST] = [1e-7, 1e4];
const toHalf = (value: number): number =>
  floatToHalf(value === 0 ? 0 : Math.sign(value) * Math.min(MOST, Math.max(LEAST, Math.abs(value))));

/** Every number at 16 bits, inputs and outputs too. */
function halved(model: Model): Model {
  const half = (tensor: Tensor): Tensor =>
    tensor.type === DataType.float
      ? Tensor.of(tensor.name, tensor.dims, Uint16Array.from(tensor.floats(), toHalf), DataType.float16)
      : tensor;
  const value = (key: string, attribute: Attribute): Attribute => {
    if (attribute.kind === 'tensor') return { kind: 'tensor', value: half(attribute.value) };
    const type = key === 'to' && attribute.kind === 'int' && attribute.value === DataType.float;
    return type ? { kind: 'int', value: DataType.float16 } : attribute;
  };
  const info = (port: ValueInfo): ValueInfo =>
    port.type === DataType.float
      ? { name: port.name, type: DataType.float16, ...(port.dims && { dims: port.dims }) }
      : port;
  const { graph } = model;
  return {
    ...model,
    graph: {
      ...graph,
      valueInfos: [],
      initializers: new Map(Array.from(graph.initializers, ([name, tensor]) => [name, half(tensor)])),
      outputs: graph.outputs.map(info),
      nodes: graph.nodes.map((node) => ({
        ...node,
        attributes: new Map(Array.from(node.attributes, ([key, attribute]) => [key, value(key, attribute)])),
      })),
    },
  };
}

/** 1 where two gradients point the same way. */
function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, one, other] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    dot += a[at]! * b[at]!;
    one += a[at]! ** 2;
    other += b[at]! ** 2;
  }
  return dot / Math.sqrt(one * other);
}

/** Each exported, or fused, in a way of its own. */
const FAMILIES = [
  'bart',
  'bert',
  'deberta-v2',
  'dynamo-bert',
  'dynamo-gpt2',
  'dynamo-modernbert',
  'gpt2',
  'mobilebert',
  'mpnet',
  'xlnet',
];
const files = goldens
  .filter(({ name }) => FAMILIES.includes(name))
  .flatMap((golden) =>
    golden.files.filter((file) => file !== 'model-17.onnx').map((file) => [golden.name, file, golden] as const),
  );

describe.skipIf(files.length === 0)('exports of transformers (absent: ../shared/goldens/transformers)', () => {
  test.each(files)(
    '%s %s, optimised by onnxruntime',
    async (name, file, golden) => {
      const model = await optimised(join(golden.folder, file), name);
      const cases = golden.cases.filter(({ name }) => name === 'batch-padded' || name === 'pair-1');
      // onnxruntime computes DeBERTa's projected positions once and for all: weights they came from have lost a part of their gradient.
      const held = name === 'deberta-v2' ? cases.map((each) => ({ ...each, grad_weights: {} })) : cases;
      await compare(onnxEngine(), golden, model, held);
    },
    120_000,
  );

  test.each(files)(
    '%s %s, at half precision and quantised',
    async (name, file, golden) => {
      const read = await loadModel(join(golden.folder, file));
      const cases = golden.cases.filter(({ name }) => name === 'batch-padded');
      const nearness = async (model: Model) =>
        cosine((await answers(onnxEngine(), golden, model, cases)).found[0]!.input, inputGradient(cases[0]!));
      // MobileBERT's ReLUs, without norms between them, turn on and off by the rounding.
      expect(await nearness(halved(read))).toBeGreaterThan(name === 'mobilebert' ? 0.98 : 0.9999);
      expect(await nearness(quantised(read))).toBeGreaterThan(0.95);
    },
    120_000,
  );
});
