/** Every rule against central differences, at shapes it has not seen before. */
import { expect, test } from 'vitest';
import { Algebra } from '../../src/autodiff/algebra.js';
import { RULES } from '../../src/autodiff/rules/index.js';
import { type Case, expectGradients } from './numeric.js';
import { RULE_CASES } from './rule-cases.js';

test('every rule has a case', () => {
  expect(Object.keys(RULES).filter((op) => RULE_CASES[op] === undefined)).toEqual([]);
});

test.each(Object.entries(RULE_CASES).flatMap(([op, cases]) => cases.map((one, i) => [op, i, one] as const)))(
  '%s %i',
  async (_, __, one) => {
    expect(await expectGradients(one)).toBeGreaterThan(0);
  },
);

/** Operators whose axes moved from attributes to inputs, or whose meaning changed, between the opsets we take. */
function atOpset(opset: number): Case {
  return {
    opset,
    inputs: { x: { dims: ['B', 'S', 4] }, w: { dims: [4, 4] } },
    graph: (builder) => {
      const g = new Algebra({ ...builder.model(), opsets: new Map([['', opset]]) });
      const heads = g.unsqueeze(g.matmul('x', 'w'), [1]);
      const mixed = g.matmul(g.softmax(g.matmul(heads, g.transpose(heads, [0, 1, 3, 2]))), heads);
      const centred = g.sub(mixed, g.mean(mixed, [-1]));
      const normed = g.div(centred, g.op('Sqrt', [g.plus(g.sum(g.square(centred), [-1]), 1)]));
      const greatest = g.reduce('ReduceMax', g.squeeze(normed, [1]), [1], false);
      const parts =
        opset < 13
          ? g.ops('Split', [greatest], 2, { axis: 1 })
          : g.ops('Split', [greatest, g.ints([2, 2])], 2, { axis: 1 });
      const y = g.op('Clip', [g.mul(parts[0]!, parts[1]!), g.float(-3), g.float(3)]);
      for (const { op, inputs, outputs, attributes, domain } of g.take()) {
        builder.ops(op, inputs, outputs, Object.fromEntries(attributes), domain);
      }
      for (const tensor of g.graph().initializers.values()) builder.shared(tensor);
      return y;
    },
    step: 0.005,
    atol: 5e-3,
  };
}

test.each([11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23])('opset %i', async (opset) => {
  expect(await expectGradients(atOpset(opset))).toBe(48);
});
