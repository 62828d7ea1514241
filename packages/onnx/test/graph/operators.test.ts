/** The table of operators and all that is keyed by it agree: gradient rules, lowerings, surrogates, TF.js kernels and shape rules. */
import { expect, test } from 'vitest';
import { ops } from '../../../../src/gradient/tfjs/ops/index.js';
import { rowInputs } from '../../../../src/model/graph/row-rules.js';
import { OrtSession } from '../../../../src/model/workers/session.js';
import { tfjsBackend } from '../../../../src/tfjs/backend.js';
import { LOWERINGS } from '../../src/autodiff/lower/index.js';
import { RULES } from '../../src/autodiff/rules/index.js';
import { withGraph, withOutputs } from '../../src/graph/edit.js';
import { node } from '../../src/graph/model.js';
import { OPERATORS } from '../../src/graph/operators/index.js';
import { NodeView, type Operator } from '../../src/graph/operators/operator.js';
import { symbolicShapes } from '../../src/graph/symbolic-shapes.js';
import { writeModel } from '../../src/graph/write.js';
import { LOWERING_CASES } from '../autodiff/lowering-cases.js';
import { type Case, feedsOf, forwardModel, SIZES } from '../autodiff/numeric.js';
import { RULE_CASES } from '../autodiff/rule-cases.js';

const rows = Object.entries(OPERATORS).flatMap(([domain, table]) =>
  Object.entries<Operator>(table).map(([op, row]) => ({ domain, op, row })),
);
const named = (domain: string, gradient: Operator['gradient']): string[] =>
  rows.flatMap((each) => (each.domain === domain && each.row.gradient === gradient ? [each.op] : [])).sort();

test('every operator with a gradient has a shape rule, and so has every elementwise one', () => {
  const shapeless = rows.filter(({ row }) => row.shape === undefined && (row.gradient ?? row.elementwise));
  expect(shapeless.map(({ op }) => op)).toEqual([]);
});

test('rules, lowerings and kernels are exactly those that the table names', async () => {
  expect(Object.keys(RULES).sort()).toEqual(named('', 'rule'));
  expect(Object.keys(LOWERINGS['']!).sort()).toEqual(named('', 'lowering'));
  expect(Object.keys(LOWERINGS['com.microsoft']!).sort()).toEqual(named('com.microsoft', 'lowering'));
  expect(Object.keys(ops((await tfjsBackend()).tf)).sort()).toEqual(named('', 'rule'));
});

test('no rule fails where nothing is known of the inputs, or there are none', () => {
  const unknown = { shape: () => undefined, values: () => undefined };
  const row = { axis: 1, index: 0 };
  for (const { op, domain, row: operator } of rows) {
    for (const inputs of [[], ['a'], ['a', 'b', 'c', 'd', 'e']]) {
      const at = new NodeView({ ...node(op, inputs, 'y'), domain }, unknown);
      expect(() => operator.shape?.(at), op).not.toThrow();
      expect(() => operator.values?.(at), op).not.toThrow();
      expect(() => rowInputs(at, { row, output: ['texts', 'tokens'], opset: 17 }), op).not.toThrow();
    }
  }
});

/** The shapes found for a case's graph, and those that onnxruntime computes, by tensor. */
async function shapesOf(one: Case, run: number) {
  const model = forwardModel(one);
  const inputs = Object.entries(one.inputs).map(([name, { dims }]) => [name, dims] as const);
  const found = symbolicShapes(model.graph, new Map(inputs));
  const names = model.graph.nodes.map(({ outputs }) => outputs[0] as string).filter((name) => found.shape(name));
  if (names.length === 0) return [];
  const session = await OrtSession.open({
    source: writeModel(withGraph(model, withOutputs(model.graph, [...new Set(names)]))),
    optimise: false,
  });
  const sizes = SIZES[run] as Readonly<Record<string, number>>;
  const evaluated = (size: number | string): number =>
    String(size)
      .split('*')
      .reduce((all, factor) => {
        const [, symbol, less] = /^\(?(\w+)(-1)?\)?$/.exec(factor) as unknown as [string, string, string?];
        return all * ((sizes[symbol] ?? Number(symbol)) - (less === undefined ? 0 : 1));
      }, 1);
  const computed = await session.run(feedsOf(one.inputs, run));
  await session.release();
  return names.map((name) => ({
    name,
    dims: computed.get(name)?.dims,
    found: found.shape(name)?.map((size) => (size === undefined ? expect.any(Number) : evaluated(size))),
  }));
}

test.each(Object.entries({ ...RULE_CASES, ...LOWERING_CASES }))(
  'the shapes found in the cases of %s are those that onnxruntime computes',
  async (_, cases) => {
    const tensors = (await Promise.all(cases.map((one) => shapesOf(one, 2)))).flat();
    expect(tensors.length).toBeGreaterThan(0);
    for (const { name, dims, found } of tensors) expect({ name, dims }).toEqual({ name, dims: found });
  },
);
