/**
 * @file Gradients against central differences, on graphs built in the test. The loss is a fixed random weighting of the
 * output, so that no element's gradient is hidden by another's.
 */
import ort from 'onnxruntime-node';
import { expect } from 'vitest';
import { random } from '../../src/core/random.js';
import { differentiate } from '../../src/gradient/differentiate.js';
import { lower } from '../../src/gradient/lower/index.js';
import { openSession } from '../../src/gradient/session.js';
import { observe } from '../../src/gradient/shapes.js';
import { GraphBuilder } from '../../src/onnx/builder.js';
import { DataType } from '../../src/onnx/data-type.js';
import { withGraph, withOutputs } from '../../src/onnx/edit.js';
import type { Model } from '../../src/onnx/model.js';
import { writeModel } from '../../src/onnx/write.js';

/** An input: dimensions, a letter standing for one that differs from run to run. */
export interface Operand {
  readonly dims: readonly (number | string)[];
  /** Values; default: normal numbers. */
  readonly value?: (random: () => number, index: number) => number;
  /** Integers are not differentiated. @default DataType.float */
  readonly type?: number;
}

export interface Case {
  readonly opset?: number;
  readonly inputs: Readonly<Record<string, Operand>>;
  /** Writes the graph and returns the name of its output. */
  readonly graph: (g: GraphBuilder) => string;
  /** Half the width of the difference; smaller where there are kinks. @default 0.02 */
  readonly step?: number;
  readonly rtol?: number;
  readonly atol?: number;
}

/** Sizes of the letters: two probes to observe shapes, then the run that is checked. */
const SIZES: readonly Readonly<Record<string, number>>[] = [
  { B: 2, S: 5, T: 7 },
  { B: 3, S: 6, T: 9 },
  { B: 2, S: 4, T: 8 },
];

function feedsOf(inputs: Case['inputs'], run: number): Record<string, ort.Tensor> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { dims, value, type }]) => {
      const sizes = dims.map((d) => (typeof d === 'number' ? d : (SIZES[run]![d] as number)));
      const stream = random(run, name);
      const draw = value ?? ((normal: () => number) => normal());
      const size = sizes.reduce((product, d) => product * d, 1);
      const values = Array.from({ length: size }, (_, i) => draw(() => stream.normal(), i));
      return [name, tensorOf(type ?? DataType.float, values, sizes)];
    }),
  );
}

function tensorOf(type: number, values: readonly number[], dims: readonly number[]): ort.Tensor {
  if (type === DataType.int64) return new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
  if (type === DataType.int32) return new ort.Tensor('int32', Int32Array.from(values), dims);
  if (type === DataType.bool) return new ort.Tensor('bool', Uint8Array.from(values), dims);
  return new ort.Tensor('float32', Float32Array.from(values), dims);
}

/** The case's graph with `loss` = sum(output * weights), `weights` an input. */
function withLoss({ opset = 17, inputs, graph }: Case): Model {
  const g = new GraphBuilder({ opset });
  for (const [name, { dims, type }] of Object.entries(inputs)) g.input(name, type ?? DataType.float, dims);
  const output = g.op('Identity', [graph(g)], { outputs: ['output'] });
  g.input('weights', DataType.float, []);
  g.output(g.op('Mul', [output, 'weights'], { outputs: ['loss'] }));
  return g.model();
}

/** Checks the gradients of every float input; returns how many numbers were compared. */
export async function expectGradients(test: Case): Promise<number> {
  const model = lower(withLoss(test));
  const names = Object.entries(test.inputs).flatMap(([name, { type }]) =>
    (type ?? 1) === DataType.float ? [name] : [],
  );
  const one = { weights: new ort.Tensor('float32', Float32Array.of(1), []) };
  const probes = [0, 1].map((run) => ({ ...feedsOf(test.inputs, run), ...one }));
  const shapes = await observe(model, probes);

  // The original graph, not the lowered one, says what the function is.
  const forward = await openSession(writeModel(withLoss(test)));
  const feeds = { ...feedsOf(test.inputs, 2), ...one };
  const output = (await forward.run(feeds)).loss as ort.Tensor;
  const stream = random(7, 'weights');
  const weights = Float32Array.from({ length: output.size }, () => stream.normal());

  // dy = weights: the loss is a sum, so feed the weights in place of the scalar.
  const whole = { ...feeds, weights: new ort.Tensor('float32', weights, output.dims) };
  const { model: backward, gradients } = differentiate(model, shapes, 'loss', names);
  const outputs = names.map((name) => gradients.get(name) as string);
  expect(outputs, 'every input has a gradient').not.toContain(undefined);
  const loose = withGraph(backward, {
    ...backward.graph,
    inputs: backward.graph.inputs.map((info) => (info.name === 'weights' ? { name: 'weights', type: 1 } : info)),
  });
  const session = await openSession(writeModel(withGraph(loose, withOutputs(loose.graph, outputs))));
  const computed = await session.run(whole);

  const lossAt = async (changed: Record<string, ort.Tensor>): Promise<number> => {
    const { data } = (await forward.run({ ...feeds, ...changed })).loss as ort.Tensor;
    return (data as Float32Array).reduce((sum, value, i) => sum + value * (weights[i] as number), 0);
  };
  const h = test.step ?? 0.02;
  let compared = 0;
  for (const [i, name] of names.entries()) {
    const { data, dims } = (feeds as Record<string, ort.Tensor>)[name]!;
    const gradient = computed[outputs[i] as string] as ort.Tensor;
    expect(gradient.dims, `gradient of ${name}`).toEqual(dims);
    for (let at = 0; at < data.length; at++) {
      const nudged = async (by: number) => {
        const values = Float32Array.from(data as Float32Array);
        values[at] = (values[at] as number) + by;
        return await lossAt({ [name]: new ort.Tensor('float32', values, dims) });
      };
      // Fourth order: its error is h^4 f'''''/30.
      const expected =
        (8 * ((await nudged(h)) - (await nudged(-h))) - ((await nudged(2 * h)) - (await nudged(-2 * h)))) / (12 * h);
      const actual = (gradient.data as Float32Array)[at] as number;
      const tolerance = (test.atol ?? 1e-3) + (test.rtol ?? 1e-3) * Math.abs(expected);
      expect(Math.abs(actual - expected), `d/d${name}[${at}]: expected ${expected}, got ${actual}`).toBeLessThan(
        tolerance,
      );
      compared++;
    }
  }
  await session.release();
  await forward.release();
  return compared;
}
