import { describe, expect, test } from 'vitest';
import { AdamW } from '../../src/train/adamw.js';
import { GradientSums } from '../../src/train/gradients.js';
import type { Parameter } from '../../src/train/parameter.js';

const parameter = (name: string, values: number[], rest: Partial<Parameter> = {}): Parameter => ({
  name,
  dims: [values.length],
  values: Float32Array.from(values),
  decays: false,
  table: false,
  ...rest,
});

function take(optimiser: AdamW, parameters: readonly Parameter[], gradient: number[], rate: number, scale = 1): void {
  const gradients = new GradientSums(parameters);
  gradients.add(parameters[0].name, Float32Array.from(gradient));
  optimiser.step(gradients, rate, scale);
}

describe('AdamW', () => {
  test('two steps equal the hand-computed ones', () => {
    const w = parameter('w', [1], { decays: true });
    const optimiser = new AdamW([w], 0.1);
    take(optimiser, [w], [0.5], 0.01);
    // m = 0.05, v = 0.00025; m^ = 0.5, v^ = 0.25; 1 (1 - 0.01 x 0.1) - 0.01 x 0.5 / 0.5 = 0.989
    expect(w.values[0]).toBeCloseTo(0.989, 6);
    take(optimiser, [w], [-0.25], 0.02);
    // m = 0.9 x 0.05 - 0.1 x 0.25 = 0.02; v = 0.999 x 0.00025 + 0.001 x 0.0625 = 0.00031225
    // m^ = 0.02 / 0.19 = 0.1052632; v^ = 0.00031225 / 0.001999 = 0.1562031, root 0.3952254
    // 0.989 (1 - 0.02 x 0.1) - 0.02 x 0.1052632 / 0.3952254 = 0.987022 - 0.005327 = 0.981695
    expect(w.values[0]).toBeCloseTo(0.981695, 6);
  });

  test('a step is the same for gradient x scale as for the scaled gradient', () => {
    const [a, b] = [parameter('w', [1, 2]), parameter('w', [1, 2])];
    take(new AdamW([a]), [a], [3, -4], 0.1, 0.25);
    take(new AdamW([b]), [b], [0.75, -1], 0.1);
    for (const at of [0, 1]) expect(a.values[at]).toBeCloseTo(b.values[at] as number, 6);
  });

  test('biases do not decay', () => {
    const bias = parameter('b', [1]);
    take(new AdamW([bias], 0.5), [bias], [0], 1);
    expect(bias.values[0]).toBe(1);
  });

  test('table rows without a gradient so far stay; a row seen once moves on with its moments', () => {
    const table = parameter('t', [1, 1, 2, 2], { dims: [2, 2], table: true, decays: true });
    const optimiser = new AdamW([table], 0.1);
    const gradients = new GradientSums([table]);
    gradients.scatter('t', [1], Float32Array.of(1, 1));
    optimiser.step(gradients, 0.1, 1);
    const [, , moved] = table.values;
    expect(table.values.slice(0, 2)).toEqual(Float32Array.of(1, 1));
    expect(moved).toBeLessThan(2);
    gradients.clear();
    optimiser.step(gradients, 0.1, 1);
    expect(table.values[2]).toBeLessThan(moved);
    expect(table.values.slice(0, 2)).toEqual(Float32Array.of(1, 1));
  });

  test('restored from its state it goes on as if it had never stopped', () => {
    const [a, b] = [parameter('w', [1, 2]), parameter('w', [1, 2])];
    const first = new AdamW([a]);
    take(first, [a], [1, 2], 0.1);
    const second = new AdamW([b]);
    b.values.set(a.values);
    second.restore(first.steps, new Map(Array.from(first.state, ([name, values]) => [name, values.slice()])));
    take(first, [a], [0.5, 0.1], 0.1);
    take(second, [b], [0.5, 0.1], 0.1);
    expect(b.values).toEqual(a.values);
  });
});

describe('Gradients', () => {
  const table = parameter('t', new Array(6).fill(0), { dims: [3, 2], table: true });
  const dense = parameter('w', [0, 0, 0]);

  test('sums micro-batches and repeated ids, and measures the norm over everything', () => {
    const gradients = new GradientSums([table, dense], 2);
    const first = Float32Array.of(1, 0, 0);
    gradients.scatter('t', [2, 0, 2], Float32Array.of(1, 2, 3, 4, 5, 6));
    gradients.add('w', first);
    gradients.add('w', Float32Array.of(1, 2, 0));
    expect(gradients.of('t').values).toEqual(Float32Array.of(3, 4, 0, 0, 6, 8));
    expect(gradients.of('w').values).toEqual(Float32Array.of(2, 2, 0));
    expect(first).toEqual(Float32Array.of(1, 0, 0));
    expect(gradients.norm()).toBeCloseTo(Math.sqrt(9 + 16 + 36 + 64 + 4 + 4), 6);
  });

  test('after clear() nothing is left', () => {
    const gradients = new GradientSums([table]);
    gradients.scatter('t', [1], Float32Array.of(1, 1));
    gradients.clear();
    expect(gradients.norm()).toBe(0);
    expect(gradients.of('t').values).toEqual(new Float32Array(6));
  });
});
