/**
 * Every attribute of every operator an engine differentiates is honoured or refused: honoured ones have a case with a value other than the
 * default, in which both engines are compared with onnxruntime's output and with differences. Every other attribute is refused with the
 * names of engine, operator, node and attribute.
 */
import { describe, expect, test } from 'vitest';
import { UnsupportedOpError } from '../../../../src/core/errors.js';
import { tfjsEngine } from '../../../../src/gradient/tfjs/engine.js';
import { onnxEngine } from '../../../../src/gradient/white-box/onnx-engine.js';
import { refusal } from '../../../../test/refusal.js';
import { LOWERINGS } from '../../src/autodiff/lower/index.js';
import { RULES } from '../../src/autodiff/rules/index.js';
import { unsupportedAttribute } from '../../src/autodiff/unsupported.js';
import { float, GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import { node } from '../../src/graph/model.js';
import { operatorOf } from '../../src/graph/operators/index.js';
import { LOWERING_CASES } from './lowering-cases.js';
import type { Case } from './numeric.js';
import { RULE_CASES } from './rule-cases.js';

/** Supported by doing nothing: what they say has no bearing on a gradient, or only repeats what the inputs say. */
const INERT: readonly string[] = [
  'BatchNormalization.momentum', // of training
  'Cast.saturate', // of 8-bit numbers, as are the next three
  'Cast.round_mode',
  'CastLike.saturate',
  'CastLike.round_mode',
  'Dropout.ratio', // inference drops nothing
  'Dropout.seed',
  'Split.num_outputs', // the node has as many
  'MaxPool.storage_order', // of its second output, which is refused
  'TopK.sorted', // the indices say where each value stood; the tfjs engine refuses 0
  'com.microsoft.EmbedLayerNormalization.mask_index_type', // of shape inference
  'com.microsoft.FusedGemm.activation_gamma', // of Selu, which is refused
];

const differentiated = [
  ...Object.keys(RULES),
  ...Object.keys(LOWERINGS['']!),
  ...Object.keys(LOWERINGS['com.microsoft']!).map((op) => `com.microsoft.${op}`),
];
const split = (name: string): [domain: string, op: string] => [
  name.includes('.') ? 'com.microsoft' : '',
  name.slice(name.lastIndexOf('.') + 1),
];
const honoured = (name: string) => {
  const [domain, op] = split(name);
  return operatorOf({ domain, op })?.attributes ?? {};
};

/** Operator and attribute -> the values it has in some case. */
const tried = new Map<string, Set<string>>();
for (const { opset = 17, inputs, graph } of [
  ...Object.values(RULE_CASES),
  ...Object.values(LOWERING_CASES),
].flat() as Case[]) {
  const g = new GraphBuilder({ opset });
  for (const [name, { dims, type }] of Object.entries(inputs)) g.input(name, type ?? DataType.float, dims);
  graph(g);
  for (const { domain, op, attributes } of g.graph().nodes) {
    for (const [key, attribute] of attributes) {
      const name = `${domain && `${domain}.`}${op}.${key}`;
      tried.set(
        name,
        (tried.get(name) ?? new Set()).add(JSON.stringify('value' in attribute ? attribute.value : null)),
      );
    }
  }
}

test('every honoured attribute is tried at a value of its own', () => {
  const untried = differentiated.flatMap((name) =>
    Object.entries(honoured(name)).flatMap(([key, values]) => {
      const one = `${name}.${key}`;
      const seen = tried.get(one) ?? new Set();
      if (INERT.includes(one)) return [];
      if (values === 'any') return seen.size > 0 ? [] : [one];
      // All of a few values except the default, which is the first.
      return values.slice(1).flatMap((value) => (seen.has(JSON.stringify(value)) ? [] : [`${one} = ${value}`]));
    }),
  );
  expect(untried).toEqual([]);
});

test('every other attribute, and every other value, is refused', () => {
  const passed = differentiated.flatMap((name) => {
    const [domain, op] = split(name);
    return ['of_tomorrow', ...Object.keys(honoured(name))].flatMap((key) => {
      if (honoured(name)[key] === 'any') return [];
      const reason = unsupportedAttribute({
        ...node(op, ['x'], 'y', { [key]: { kind: 'string', value: 'other' } }),
        domain,
      });
      return reason?.includes(`attribute ${key}`) ? [] : [`${name}.${key}`];
    });
  });
  expect(passed).toEqual([]);
});

const x = { type: DataType.float, dims: [2, 3, 4], data: Float32Array.from({ length: 24 }, (_, i) => Math.sin(i)) };
const weights = (g: GraphBuilder, name: string, dims: number[]) =>
  g.initializer(
    name,
    dims,
    Float32Array.from({ length: dims.reduce((a, b) => a * b, 1) }, (_, i) => Math.cos(i)),
  );
const rnn = (g: GraphBuilder, op: string, gates: number, attributes: object) => {
  const inputs = ['x', weights(g, 'w', [1, gates * 2, 4]), weights(g, 'r', [1, gates * 2, 2])];
  return g.ops(op, inputs, ['y'], { hidden_size: 2, ...attributes })[0]!;
};

describe.each([
  ['onnx', async () => onnxEngine()],
  ['tfjs', tfjsEngine],
] as const)('the %s engine says what it refuses', (_name, open) => {
  test.each<[string, string, (g: GraphBuilder) => string]>([
    ['LSTM', 'attribute clip = 1.5', (g) => rnn(g, 'LSTM', 4, { clip: float(1.5) })],
    ['GRU', 'attribute clip = 1.5', (g) => rnn(g, 'GRU', 3, { clip: float(1.5) })],
    [
      'Pad',
      'attribute mode = edge',
      (g) => g.ops('Pad', ['x', g.ints([0, 0, 1, 0, 0, 1])], ['y'], { mode: 'edge' })[0]!,
    ],
    [
      'GatherND',
      'attribute batch_dims = 1',
      (g) => g.ops('GatherND', ['x', g.op('Reshape', [g.ints([1, 2]), g.ints([2, 1])])], ['y'], { batch_dims: 1 })[0]!,
    ],
    [
      'ScatterND',
      'attribute reduction = add',
      (g) =>
        g.ops('ScatterND', ['x', g.op('Reshape', [g.ints([0]), g.ints([1, 1])]), weights(g, 'u', [1, 3, 4])], ['y'], {
          reduction: 'add',
        })[0]!,
    ],
    [
      'AveragePool',
      'ceil_mode',
      (g) => g.ops('AveragePool', ['x'], ['y'], { kernel_shape: [3], strides: [2], ceil_mode: 1 })[0]!,
    ],
  ])('%s: %s', async (_op, _reason, graph) => {
    const g = new GraphBuilder({ opset: 17 });
    g.input('x', DataType.float, [2, 3, 4]);
    g.output(g.ops('ReduceSum', [graph(g)], ['loss'])[0]!);
    const attempt = (await open())
      .backward(g.model(), [], [], 'loss', ['x'])
      .then((runner) => runner.run(new Map([['x', x]])));
    await expect(attempt).rejects.toBeInstanceOf(UnsupportedOpError);
    await refusal(attempt);
  });
});
