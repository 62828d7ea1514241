/** The last block computed for the row that is read: the same answers, fewer products; and the shapes this rests on. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { withGraph, withOutputs } from '../../../packages/onnx/src/graph/edit.js';
import { loadModel } from '../../../packages/onnx/src/graph/load.js';
import { type Graph, type Model, node } from '../../../packages/onnx/src/graph/model.js';
import { symbolicShapes } from '../../../packages/onnx/src/graph/symbolic-shapes.js';
import { Tensor } from '../../../packages/onnx/src/graph/tensor.js';
import { writeModel } from '../../../packages/onnx/src/graph/write.js';
import { packageRoot } from '../../../src/core/package-root.js';
import { withPrunedRows } from '../../../src/model/graph/row-pruning.js';
import { OrtSession } from '../../../src/model/workers/session.js';

const goldens = join(packageRoot, '..', 'shared', 'goldens', 'transformers');
const exportsOf = (family: string): string[] =>
  readdirSync(join(goldens, family))
    .filter((file) => file.endsWith('.onnx'))
    .map((file) => join(goldens, family, file));
const bundled = ['bert-mini', 'distilbert'].map((name) => join(packageRoot, 'models', name, 'model.onnx'));
/** Families whose heads read one token. */
const READ_ONE =
  'albert bert bert-multilabel deberta-v2 distilbert dynamo-bert electra mobilebert mpnet roberta squeezebert xlm-roberta'.split(
    ' ',
  );

/** Heads that read all tokens, or a row that is not known before; or blocks of another make: left as they are. */
const READ_ALL = ['bert-mlm', 'gpt2-lm', 'modernbert', 'xlnet'];
const berttiny = join(packageRoot, '..', 'shared', 'models', 'berttiny-sst2', 'model.onnx');
const some = (families: readonly string[]): string[] => (existsSync(goldens) ? families.flatMap(exportsOf) : []);

const batches = [
  { texts: 1, tokens: 6 },
  { texts: 3, tokens: 9 },
] as const;

/** Every input by its name: ids below 90, all tokens read, one type. */
function feeds({ graph }: Model, { texts, tokens }: { texts: number; tokens: number }) {
  const size = texts * tokens;
  const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  return new Map(
    inputs.map(({ name, type }) => {
      const value = (at: number): number =>
        /mask/.test(name) ? 1 : /type/.test(name) ? 0 : /position/.test(name) ? at % tokens : 5 + ((at * 7) % 80);
      const values = Array.from({ length: size }, (_, at) => value(at));
      const data = type === DataType.int64 ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
      return [name, { name, type, dims: [texts, tokens], data }] as const;
    }),
  );
}

const opened = (model: Model): Promise<OrtSession> => OrtSession.open({ source: writeModel(model), optimise: false });

describe.each([...bundled, ...[berttiny].filter(existsSync), ...some(READ_ONE)])('%s', (path) => {
  test('answers as it did, from fewer products', async () => {
    const model = await loadModel(path);
    const pruned = withPrunedRows(model) as Model;
    expect(pruned).toBeDefined();
    const [before, after] = [await opened(model), await opened(pruned)];
    for (const batch of batches) {
      const given = feeds(model, batch);
      const [whole, row] = [await before.run(given), await after.run(given)];
      for (const [name, { dims, data }] of whole) {
        expect(row.get(name)?.dims).toEqual(dims);
        const other = row.get(name)?.data as Float32Array;
        const furthest = (data as Float32Array).reduce(
          (most, value, at) => Math.max(most, Math.abs(value - (other[at] as number))),
          0,
        );
        expect(furthest).toBeLessThan(2e-6);
      }
    }
    await Promise.all([before.release(), after.release()]);
  });
});

// Its convolutions give other bits in company as they are, too, at opset 14.
const keeping = [...bundled, ...[berttiny].filter(existsSync), ...some(READ_ONE)].filter(
  (path) => !path.includes('squeezebert/model.onnx'),
);

test.each(keeping)('%s gives a text the same bits alone and in company', async (path) => {
  const model = await loadModel(path);
  const session = await OrtSession.open({ source: writeModel(withPrunedRows(model) as Model) });
  const company = await session.run(feeds(model, { texts: 5, tokens: 9 }));
  // The first text of five is the one of one.
  for (const [name, { data }] of await session.run(feeds(model, { texts: 1, tokens: 9 }))) {
    expect(company.get(name)?.data.slice(0, data.length)).toEqual(data);
  }
  await session.release();
});

test.skipIf(!existsSync(goldens)).each(some(READ_ALL))('%s is left as it is', async (path) => {
  expect(withPrunedRows(await loadModel(path))).toBeUndefined();
});

test.each([...bundled, ...some([...READ_ONE, 'dynamo-gpt2', 'dynamo-modernbert', 'gpt2', 'modernbert', 'xlnet'])])(
  'the shapes found in %s are those it has',
  async (path) => {
    const model = await loadModel(path);
    const { graph } = model;
    const inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
    const found = symbolicShapes(graph, new Map(inputs.map(({ name }) => [name, ['texts', 'tokens']])));
    const names = graph.nodes
      .flatMap(({ outputs }) => outputs.slice(0, 1))
      .filter((name) => found.shape(name) !== undefined);
    expect(names.length).toBeGreaterThan(20);
    const session = await opened(withGraph(model, withOutputs(graph, [...new Set(names)])));
    for (const batch of batches) {
      const sizes: Record<string, number> = { ...batch, '(tokens-1)': batch.tokens - 1 };
      const real = (size: number | string | undefined): unknown =>
        typeof size === 'string'
          ? size.split('*').reduce((all, factor) => all * (sizes[factor] ?? Number(factor)), 1)
          : (size ?? expect.any(Number));
      for (const [name, { dims, data }] of await session.run(feeds(model, batch))) {
        expect({ name, dims }).toEqual({ name, dims: found.shape(name)?.map(real) });
        const values = found.values(name);
        if (values !== undefined)
          expect({ name, values: Array.from(data as BigInt64Array, Number) }).toEqual({
            name,
            values: values.map(real),
          });
      }
    }
    await session.release();
  },
);

test('sizes that a file claims are not believed with memory, and operators of strangers not at all', () => {
  const constant = (name: string, values: readonly number[]) =>
    [name, Tensor.of(name, [values.length], BigInt64Array.from(values, BigInt))] as const;
  const graph: Graph = {
    name: 'claims',
    nodes: [
      node('ConstantOfShape', ['minus'], 'negative'),
      node('ConstantOfShape', ['many'], 'huge'),
      node('Concat', ['huge', 'huge'], 'joined', { axis: { kind: 'int', value: 0 } }),
      node('Slice', ['huge', 'one', 'many'], 'cut'),
      { ...node('Identity', ['texts'], 'strange'), domain: 'example.org' },
    ],
    initializers: new Map([constant('minus', [-1]), constant('many', [2 ** 40]), constant('one', [1])]),
    inputs: [],
    outputs: [],
    valueInfos: [],
  };
  const found = symbolicShapes(graph, new Map([['texts', ['texts', 'tokens']]]));
  expect(found.values('negative')).toBeUndefined();
  expect(found.values('joined')).toBeUndefined();
  expect(found.shape('cut')).toEqual([2 ** 40 - 1]);
  expect(found.shape('strange')).toBeUndefined();
});
