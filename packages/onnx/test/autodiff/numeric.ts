/**
 * @file Gradients against central differences, on graphs built in the test. The loss weights every element of the output
 * differently, so that no element's gradient is hidden by another's.
 */
import { expect } from 'vitest';
import { random } from '../../../../src/core/random.js';
import { tfjsEngine } from '../../../../src/gradient/tfjs/engine.js';
import { backwardGraph, forwardGraph, loweredGraph } from '../../../../src/gradient/white-box/onnx-engine.js';
import { OrtSession } from '../../../../src/model/workers/session.js';
import { gradientOf } from '../../src/autodiff/gradient-graph.js';
import { simplify } from '../../src/autodiff/simplify/index.js';
import { GraphBuilder } from '../../src/graph/builder.js';
import { DataType } from '../../src/graph/data-type.js';
import type { Model } from '../../src/graph/model.js';
import type { Feed } from '../../src/graph/tensor.js';

/** An input: dimensions, a letter standing for one that differs from run to run. */
export interface Operand {
  readonly dims: readonly (number | string)[];
  /** Values, given a source of normal numbers and the element's index. @default normal numbers */
  readonly value?: (normal: () => number, index: number) => number;
  /** Integers are not differentiated. @default DataType.float */
  readonly type?: number;
}

export interface Case {
  readonly opset?: number;
  readonly inputs: Readonly<Record<string, Operand>>;
  /** Writes the graph and returns the name of its output. */
  readonly graph: (g: GraphBuilder) => string;
  /** A quarter of the width of the difference; smaller where there are kinks. @default 0.02 */
  readonly step?: number;
  readonly rtol?: number;
  readonly atol?: number;
}

/** A graph on these inputs. */
export const on = (inputs: Case['inputs'], graph: Case['graph'], more: Partial<Case> = {}): Case => ({
  ...{ inputs, graph, ...more },
});
/** One operator on all of these inputs. */
export const op = (
  name: string,
  inputs: Case['inputs'],
  attributes: Parameters<GraphBuilder['op']>[2] = {},
  more: Partial<Case> = {},
): Case => on(inputs, (g) => g.op(name, Object.keys(inputs), attributes), more);

/** Sizes of the letters: two probes to observe shapes, then the run that is checked. */
export const SIZES: readonly Readonly<Record<string, number>>[] = [
  { B: 2, S: 5, T: 7 },
  { B: 3, S: 6, T: 9 },
  { B: 2, S: 4, T: 8 },
];

export function feedsOf(inputs: Case['inputs'], run: number): Map<string, Feed> {
  return new Map(
    Object.entries(inputs).map(([name, { dims, value, type = DataType.float }]) => {
      const sizes = dims.map((d) => (typeof d === 'number' ? d : (SIZES[run]![d] as number)));
      const stream = random(run, name);
      const draw = value ?? ((normal: () => number) => normal());
      const size = sizes.reduce((product, d) => product * d, 1);
      const values = Array.from({ length: size }, (_, i) => draw(() => stream.normal(), i));
      return [name, { type, dims: sizes, data: typed(type, values) }];
    }),
  );
}

function typed(type: number, values: readonly number[]): Feed['data'] {
  if (type === DataType.int64) return BigInt64Array.from(values, BigInt);
  if (type === DataType.int32) return Int32Array.from(values);
  if (type === DataType.bool) return Uint8Array.from(values);
  return Float32Array.from(values);
}

/** The case's graph with its output named `output`. */
export function forwardModel({ opset = 17, inputs, graph }: Case): Model {
  const g = new GraphBuilder({ opset });
  for (const [name, { dims, type }] of Object.entries(inputs)) g.input(name, type ?? DataType.float, dims);
  g.output(g.ops('Identity', [graph(g)], ['output'])[0]!);
  return g.model();
}

/** The model with `loss`: each element of the output times another number. */
function withLoss(model: Model): Model {
  const g = new GraphBuilder({ base: model });
  const places = g.op('Range', [g.int(0), g.op('Size', ['output']), g.int(1)]);
  const angles = g.op('Mul', [g.op('Cast', [places], { to: DataType.float }), g.float(1.7)]);
  const weights = g.op('Reshape', [g.op('Cos', [angles]), g.op('Shape', ['output'])]);
  g.output(g.ops('Mul', ['output', weights], ['loss'])[0]!);
  return g.model();
}

const lossOf = (output: Float32Array): number =>
  output.reduce((sum, value, i) => sum + value * Math.cos(Math.fround(i * Math.fround(1.7))), 0);

/** Checks the gradients of every float input; returns how many numbers were compared. */
export async function expectGradients(test: Case): Promise<number> {
  const original = forwardModel(test);
  const names = Object.entries(test.inputs).flatMap(([name, { type }]) =>
    (type ?? 1) === DataType.float ? [name] : [],
  );
  const probes = [feedsOf(test.inputs, 0), feedsOf(test.inputs, 1)] as const;
  const model = withLoss(simplify(original));
  const backward = await OrtSession.open({ source: await backwardGraph(model, ['output'], [], 'loss', names, probes) });
  // The original graph, not the simplified one, says what the function is.
  const forward = await OrtSession.open({ source: forwardGraph(original, ['output'], []) });
  const feeds = feedsOf(test.inputs, 2);
  const computed = await backward.run(feeds);
  const own = (await forward.run(feeds)).get('output')!;
  const spelled = computed.get('output')!;
  expect(spelled.dims).toEqual(own.dims);
  own.data.forEach((value, i) => {
    const difference = Math.abs((spelled.data[i] as number) - (value as number));
    expect(difference, `output ${i}`).toBeLessThan(1e-5 + 1e-4 * Math.abs(value as number));
  });
  const lossAt = async (name: string, at: number, by: number) => {
    const feed = feeds.get(name) as Feed;
    const data = Float32Array.from(feed.data as Float32Array);
    data[at]! += by;
    const results = await forward.run(new Map([...feeds, [name, { ...feed, data }]]));
    return lossOf(results.get('output')!.data as Float32Array);
  };
  const h = test.step ?? 0.02;
  let compared = 0;
  for (const name of names) {
    const { data, dims } = feeds.get(name) as Feed;
    const gradient = computed.get(gradientOf(name))!;
    expect(gradient.dims, `gradient of ${name}`).toEqual(dims);
    for (let at = 0; at < data.length; at++) {
      const difference = async (by: number) => (await lossAt(name, at, by)) - (await lossAt(name, at, -by));
      // Fourth order: its error is h^4 f'''''/30.
      const expected = (8 * (await difference(h)) - (await difference(2 * h))) / (12 * h);
      const actual = gradient.data[at] as number;
      const tolerance = (test.atol ?? 1e-3) + (test.rtol ?? 1e-3) * Math.abs(expected);
      expect(Math.abs(actual - expected), `d/d${name}[${at}]: expected ${expected}, got ${actual}`).toBeLessThan(
        tolerance,
      );
      compared++;
    }
  }
  await backward.release();
  await forward.release();
  await expectSame(await loweredGraph(withLoss(original), probes), names, feeds, computed);
  return compared;
}

/** The other engine, which shares no rule with the first, gives the same outputs and gradients. */
async function expectSame(
  model: Model,
  names: readonly string[],
  feeds: ReadonlyMap<string, Feed>,
  expected: Awaited<ReturnType<OrtSession['run']>>,
): Promise<void> {
  const runner = await (await tfjsEngine()).backward(model, ['output'], [], 'loss', names);
  const results = await runner.run(feeds);
  for (const name of ['output', ...names.map(gradientOf)]) {
    const [own, other] = [results.get(name)!, expected.get(name)!.data as Float32Array];
    expect(own.length, `tfjs: elements of ${name}`).toBe(other.length);
    // Relative to the whole tensor, as rounding is. A tensor of rounding errors alone has no scale.
    const difference = Math.hypot(...own.map((value, i) => value - other[i]!));
    expect(difference, `tfjs: ${name} = ${own.slice(0, 8)}, onnx: ${other.slice(0, 8)}`).toBeLessThan(
      1e-5 * Math.hypot(...other) + 1e-6,
    );
  }
  await runner.release();
}
