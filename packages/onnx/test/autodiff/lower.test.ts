/** Lowered compound operators compute the same values and gradients as the operators themselves. */
import { expect, test } from 'vitest';
import { LOWERINGS } from '../../src/autodiff/lower/index.js';
import type { GraphBuilder } from '../../src/graph/builder.js';
import { LOWERING_CASES } from './lowering-cases.js';
import { expectGradients, type Operand } from './numeric.js';

const x: Operand = { dims: ['B', 'S', 4] };

test('every compound operator has a case', () => {
  const names = Object.entries(LOWERINGS).flatMap(([from, table]) => Object.keys(table).map((op) => `${from}.${op}`));
  expect(names.filter((name) => LOWERING_CASES[name] === undefined)).toEqual([]);
});

test.each(Object.entries(LOWERING_CASES).flatMap(([op, cases]) => cases.map((one, i) => [op, i, one] as const)))(
  '%s %i',
  async (_, __, one) => {
    expect(await expectGradients(one)).toBeGreaterThan(0);
  },
);

test.each([
  ['half last', (g: GraphBuilder, s: string) => g.op('Mul', [g.op('Mul', ['x', s]), g.float(0.5)])],
  ['half first', (g: GraphBuilder, s: string) => g.op('Mul', [g.op('Mul', ['x', g.float(0.5)]), s])],
  ['half in the middle', (g: GraphBuilder, s: string) => g.op('Mul', ['x', g.op('Mul', [s, g.float(0.5)])])],
] as const)('a spelt-out Gelu, %s', async (_, end) => {
  const graph = (g: GraphBuilder) => {
    const erf = g.op('Erf', [g.op('Div', ['x', g.float(Math.SQRT2)])]);
    return end(g, g.op('Add', [erf, g.float(1)]));
  };
  expect(await expectGradients({ inputs: { x }, graph })).toBe(32);
});
