/** @file Graph models, run by TF.js: whole models, their gradients, refusals, damage. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { Feed } from '../../packages/onnx/src/graph/tensor.js';
import { ModelError } from '../../src/core/errors.js';
import { openWhiteBox } from '../../src/gradient/white-box/white-box.js';
import { type LoadedModel, loadModel } from '../../src/model/load.js';
import { TfjsSession } from '../../src/model/workers/tfjs-session.js';
import { refusal } from '../refusal.js';
import { attr, type Fed, GraphModel } from './graph-models.js';
import { describeWords, expectSlope, numbers } from './layers-models.js';

const root = mkdtempSync(join(tmpdir(), 'robust-graph-model-'));
const fresh = (): string => mkdtempSync(join(root, 'x-'));

/** The answers of a folder's model, by what its inputs are fed, as a worker asks for them. */
async function answers(folder: string, feeds: Readonly<Record<string, Fed>>, output?: string): Promise<Fed> {
  const session = await TfjsSession.open(join(folder, 'model.json'));
  try {
    const fed = session.ports.inputs.map(({ name, type }): [string, Feed] => {
      const { dims, values } = feeds[name] as Fed;
      if (type === 'int32') return [name, { type: DataType.int32, dims, data: Int32Array.from(values) }];
      return [name, { type: DataType.float, dims, data: Float32Array.from(values) }];
    });
    const wanted = output ?? session.ports.outputs[0]!.name;
    const found = (await session.run(new Map(fed), [wanted])).get(wanted);
    return { dims: [...(found?.dims ?? [])], values: Array.from(found?.data as Float32Array, Number) };
  } finally {
    await session.release();
  }
}

async function withModel(folder: string, ask: (model: LoadedModel) => Promise<void>): Promise<void> {
  const model = await loadModel(folder, { workers: 1 });
  try {
    await ask(model);
  } finally {
    await model.close();
  }
}

async function slope(model: LoadedModel, text: string, label: number): Promise<void> {
  const box = await openWhiteBox(model, { workers: 1 });
  try {
    await expectSlope(box, text, label);
  } finally {
    await box.close();
  }
}

async function expectSame(model: GraphModel, output: string, feeds: Readonly<Record<string, Fed>>): Promise<void> {
  const folder = fresh();
  model.write(folder, output);
  const found = await answers(folder, feeds);
  const wanted = await model.reference(output, feeds);
  expect(found.dims).toEqual(wanted.dims);
  expect(found.values).toHaveLength(wanted.values.length);
  for (const [at, value] of found.values.entries()) {
    const other = wanted.values[at] as number;
    expect(Math.abs(value - other), `place ${at}: ${value}, not ${other}`).toBeLessThan(1e-5 * (1 + Math.abs(other)));
  }
}

const sizeOf = (m: GraphModel, x: string, at: number) =>
  m.op('StridedSlice', [m.op('Shape', [x]), m.ints(at), m.ints(at + 1), m.ints(1)], { shrink_axis_mask: attr.i(1) });

/** A transformer of one layer as an export of BERT spells it out, in the operators that TensorFlow has for it. */
function transformer(): { readonly m: GraphModel; readonly logits: string } {
  const m = new GraphModel();
  const [width, heads, places] = [8, 2, 128];
  const ids = m.input('input_ids', [-1, -1]);
  const mask = m.input('attention_mask', [-1, -1]);
  const types = m.input('token_type_ids', [-1, -1]);
  let seed = 1;
  const weight = (...dims: number[]) => {
    const size = dims.reduce((a, b) => a * b, 1);
    return m.constant(
      dims,
      numbers(size, seed++).map((value) => value * 0.8),
    );
  };
  const batch = sizeOf(m, ids, 0);
  const length = sizeOf(m, ids, 1);
  const norm = (x: string) => {
    const keep = { keep_dims: attr.b(true) };
    const mean = m.op('Mean', [x, m.ints(-1)], keep);
    const variance = m.op('Mean', [m.op('SquaredDifference', [x, m.op('StopGradient', [mean])]), m.ints(-1)], keep);
    const inverse = m.op('Rsqrt', [m.op('AddV2', [variance, m.constant([], [1e-5])])]);
    const factor = m.op('Mul', [inverse, weight(width)]);
    const shift = m.op('Sub', [weight(width), m.op('Mul', [mean, factor])]);
    return m.op('AddV2', [m.op('Mul', [x, factor]), shift]);
  };
  const dense = (x: string, from: number, to: number) => {
    const rows = m.op('MatMul', [m.op('Reshape', [x, m.ints(-1, from)]), weight(from, to)]);
    const biased = m.op('BiasAdd', [rows, weight(to)]);
    return m.op('Reshape', [biased, m.op('Pack', [batch, length, m.int(to)])]);
  };
  const split = (x: string) =>
    m.op('Transpose', [
      m.op('Reshape', [x, m.op('Pack', [batch, m.int(-1), m.int(heads), m.int(width / heads)])]),
      m.ints(0, 2, 1, 3),
    ]);
  const words = m.op('GatherV2', [weight(5, width), ids, m.int(0)]);
  const segments = m.op(
    'Einsum',
    [
      m.op('OneHot', [types, m.int(2), m.constant([], [1]), m.constant([], [0])], { axis: attr.i(-1) }),
      weight(2, width),
    ],
    { equation: attr.s('abc,cd->abd') },
  );
  const positions = m.op('StridedSlice', [weight(places, width), m.ints(0), m.op('Pack', [length]), m.ints(1)], {
    begin_mask: attr.i(1),
  });
  let x = norm(m.op('AddV2', [m.op('AddV2', [words, segments]), m.op('ExpandDims', [positions, m.int(0)])]));
  const floats = m.op(
    'Cast',
    [
      m.op('StridedSlice', [mask, m.ints(0, 0, 0, 0), m.ints(0, 0, 0, 0), m.ints(1, 1, 1, 1)], {
        begin_mask: attr.i(9),
        end_mask: attr.i(9),
        new_axis_mask: attr.i(6),
      }),
    ],
    { DstT: attr.type('float32') },
  );
  const bias = m.op('Mul', [m.op('Sub', [m.constant([], [1]), floats]), m.constant([], [-10000])]);
  const [q, k, v] = [
    split(dense(x, width, width)),
    split(dense(x, width, width)),
    split(dense(x, width, width)),
  ] as const;
  const scores = m.op('RealDiv', [m.op('BatchMatMulV2', [q, k], { adj_y: attr.b(true) }), m.constant([], [2])]);
  const seen = m.op('BatchMatMulV2', [m.op('Softmax', [m.op('AddV2', [scores, bias])]), v]);
  const joined = m.op('Reshape', [
    m.op('Transpose', [seen, m.ints(0, 2, 1, 3)]),
    m.op('Pack', [batch, length, m.int(width)]),
  ]);
  x = norm(m.op('AddV2', [x, dense(joined, width, width)]));
  const inner = dense(x, width, 12);
  const erf = m.op('Erf', [m.op('RealDiv', [inner, m.constant([], [Math.SQRT2])])]);
  const gelu = m.op('Mul', [m.op('Mul', [inner, m.constant([], [0.5])]), m.op('AddV2', [erf, m.constant([], [1])])]);
  x = norm(m.op('AddV2', [x, dense(gelu, 12, width)]));
  const first = m.op('StridedSlice', [x, m.ints(0, 0), m.ints(0, 1), m.ints(1, 1)], {
    begin_mask: attr.i(1),
    end_mask: attr.i(1),
    shrink_axis_mask: attr.i(2),
  });
  const fused = { fused_ops: attr.texts(['BiasAdd']), num_args: attr.i(1) };
  return { m, logits: m.op('_FusedMatMul', [first, weight(width, 3), weight(3)], fused) };
}

test('a transformer as exports of BERT spell it: answers, padding and types, a folder with a word index, its gradients', async () => {
  const { m, logits } = transformer();
  const dims = [2, 5];
  await expectSame(m, logits, {
    input_ids: { dims, values: [1, 2, 3, 4, 0, 2, 2, 1, 0, 0] },
    attention_mask: { dims, values: [1, 1, 1, 1, 1, 1, 1, 1, 0, 0] },
    token_type_ids: { dims, values: [0, 0, 0, 1, 1, 0, 0, 1, 1, 0] },
  });

  const folder = join(fresh(), 'mine');
  m.write(folder, logits);
  const input = { kind: 'word-index', name: 'input_ids', vocabulary: 'words.json' };
  describeWords(folder, 'good bad film the', ['a', 'b', 'c'], { input });
  await withModel(folder, async (model) => {
    const [row] = await model.classify(['the good film']);
    const one = { dims: [1, 3], values: [4, 1, 3] };
    const same = (value: number) => ({ dims: [1, 3], values: [value, value, value] });
    const wanted = await m.reference(logits, { input_ids: one, attention_mask: same(1), token_type_ids: same(0) });
    const powers = wanted.values.map(Math.exp);
    const sum = powers.reduce((all, power) => all + power, 0);
    for (const [at, power] of powers.entries()) expect(row?.[at]).toBeCloseTo(power / sum, 5);

    await slope(model, 'the good film', 1);
  });
});

/** The Universal Sentence Encoder in small: ids of texts of several lengths in one row, and the place of each. */
function ragged(): { readonly m: GraphModel; readonly scores: string } {
  const m = new GraphModel();
  const [indices, values] = [m.input('indices', [-1, 2]), m.input('values', [-1])];
  const rows = m.op('GatherV2', [m.constant([6, 3], numbers(18, 2)), values, m.int(0)]);
  // Scattered into [texts, tokens, 3]: the shape is one more than the last place.
  const last = m.op('AddV2', [m.op('Max', [indices, m.ints(0)], { keep_dims: attr.b(false) }), m.ints(1, 1)]);
  const number = m.op('Range', [m.int(0), sizeOf(m, values, 0), m.int(1)]);
  const places = m.op('SparseToDense', [indices, last, number, m.int(0)]);
  const dense = m.op('Tanh', [m.op('GatherV2', [rows, places, m.int(0)])]);
  return { m, scores: m.op('Sigmoid', [m.op('Mean', [dense, m.ints(1)])]) };
}

test('texts of several lengths in one row, as the Universal Sentence Encoder takes them, come as ids [texts, tokens]; its gradients', async () => {
  const { m, scores } = ragged();
  const folder = join(fresh(), 'toxicity');
  m.write(folder, scores);
  const ids = [3, 1, 2, 5, 0, 4];
  const found = await answers(folder, { input_ids: { dims: [2, 3], values: ids } });
  const wanted = await m.reference(scores, {
    indices: { dims: [6, 2], values: [0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2] },
    values: { dims: [6], values: ids },
  });
  expect(found.dims).toEqual([2, 3]);
  for (const [at, value] of found.values.entries()) expect(value).toBeCloseTo(wanted.values[at] as number, 5);

  const decision = { kind: 'multi-label' };
  describeWords(folder, 'you are good bad film', ['insult', 'threat', 'toxic'], { decision });
  await withModel(folder, (model) => slope(model, 'you are bad', 2));
});

test('several outputs keep the names of the signature; ids that Keras declares as numbers come as whole numbers', async () => {
  const m = new GraphModel();
  const ids = m.op('Cast', [m.input('dense_input', [-1, 4], 'float32')], { DstT: attr.type('int32') });
  const mean = m.op('Mean', [m.op('GatherV2', [m.constant([3, 2], [0, 1, 2, 3, 4, 5]), ids, m.int(0)]), m.ints(1)]);
  const folder = fresh();
  m.write(folder, mean, m.op('Sigmoid', [mean]));
  const session = await TfjsSession.open(join(folder, 'model.json'));
  expect(session.ports.outputs.map(({ name }) => name)).toEqual(['out_0', 'out_1']);
  expect(session.ports.heads.out_1).toMatchObject({ scores: 'probabilities', activation: 'sigmoid' });
  expect(session.ports.inputs).toMatchObject([{ name: 'dense_input', type: 'int32', shape: ['batch', 4] }]);
  await session.release();
  const feeds = { dense_input: { dims: [1, 4], values: [0, 1, 2, 2] } };
  expect((await answers(folder, feeds, 'out_0')).values).toEqual([2.5, 3.5]);
});

test('gradients go through Einsum, as Keras writes attention, and through slices of any step', async () => {
  const m = new GraphModel();
  const rows = m.op('GatherV2', [m.constant([4, 3], numbers(12, 4)), m.input('ids', [-1, 6]), m.int(0)]);
  const mixed = m.op('Einsum', [rows, m.constant([3, 4], numbers(12, 5))], { equation: attr.s('abc,cd->abd') });
  const scores = m.op('Softmax', [
    m.op('Einsum', [mixed, m.op('Tanh', [mixed])], { equation: attr.s('abd,acd->abc') }),
  ]);
  const seen = m.op('Einsum', [scores, mixed], { equation: attr.s('abc,acd->abd') });
  const bounds = [m.ints(0, -1, 1), m.ints(0, -7, 3), m.ints(1, -2, 1)];
  const cut = m.op('StridedSlice', [seen, ...bounds], { begin_mask: attr.i(1), end_mask: attr.i(1) });
  const folder = join(fresh(), 'attention');
  m.write(folder, m.op('Softmax', [m.op('Mean', [cut, m.ints(1)])]));
  describeWords(folder, 'good bad film', ['a', 'b']);
  await withModel(folder, (model) => slope(model, 'good bad film good', 1));
});

test('a graph whose sizes only a run knows is run step by step; gradients of it are refused by name', async () => {
  const m = new GraphModel();
  const ids = m.input('ids', [-1, -1]);
  const rows = m.op('GatherV2', [m.constant([6, 2], numbers(12, 3)), ids, m.int(0)]);
  const words = m.op('Cast', [m.op('Where', [m.op('Greater', [ids, m.int(0)])])], { DstT: attr.type('float32') });
  const nothing = m.op('Mul', [m.op('Sum', [words, m.ints(0, 1)]), m.constant([], [0])]);
  const last = m.op('Softmax', [m.op('AddV2', [m.op('Mean', [rows, m.ints(1)]), nothing])]);
  const folder = join(fresh(), 'open');
  m.write(folder, last);
  describeWords(folder, 'good bad film', ['a', 'b']);
  await withModel(folder, async (model) => {
    const [row] = await model.classify(['bad film good bad']);
    const wanted = await m.reference(last, { ids: { dims: [1, 4], values: [2, 3, 1, 2] } });
    for (const [at, value] of [...row!].entries()) expect(value).toBeCloseTo(wanted.values[at] as number, 5);
    await refusal(openWhiteBox(model, { workers: 1 }), 'GRADIENTS_UNSUPPORTED');
  });
});

test.each<[string, (m: GraphModel, x: string) => string]>([
  ['an operator', (m, x) => m.op('FFTN', [m.op('Relu', [x])])],
  ['a layout with channels first', (m, x) => m.op('LRN', [m.op('Transpose', [x, m.ints(0, 2)])])],
  ['an input that is not there', (m) => m.op('Relu', ['gone'])],
  ['a cycle', (m, x) => m.op('Add', [x, `Add_${m.node.length}`])],
])('refused by name: %s', async (_, draw) => {
  const m = new GraphModel();
  const folder = fresh();
  m.write(folder, draw(m, m.input('x', [-1, -1, 4], 'float32')));
  await refusal(TfjsSession.open(join(folder, 'model.json')), 'MODEL_DAMAGED');
});

test('damaged files are refused in words, or run: never another error', async () => {
  const { m, logits } = transformer();
  const folder = fresh();
  m.write(folder, logits);
  const text = readFileSync(join(folder, 'model.json'), 'utf8');
  const junk: readonly unknown[] = [null, -1, 3, 1e300, '', 'x', [], {}, [null], { i: 'x' }, { shape: 3 }, true];
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat(junk.length - 1), fc.nat(3), async (place, which, way) => {
      const json = JSON.parse(text);
      const places: [Record<string, unknown>, string][] = [];
      const walk = (value: unknown): void => {
        if (typeof value !== 'object' || value === null) return;
        for (const [key, child] of Object.entries(value)) {
          places.push([value as Record<string, unknown>, key]);
          walk(child);
        }
      };
      walk(json);
      const [holder, key] = places[place % places.length] as (typeof places)[number];
      const [, other] = places[(place * 7 + which) % places.length] as (typeof places)[number];
      if (way === 0) delete holder[key];
      else if (way === 1) holder[key] = junk[which];
      else if (way === 2) holder[key] = holder[other] ?? other;
      else if (Array.isArray(holder)) holder.splice(Number(key), 1);
      writeFileSync(join(folder, 'model.json'), JSON.stringify(json));
      try {
        await (await TfjsSession.open(join(folder, 'model.json'))).release();
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
      }
    }),
    { numRuns: 100, seed: 16 },
  );
});
