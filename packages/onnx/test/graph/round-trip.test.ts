/** An unchanged graph is written byte for byte, and a change affects nothing else. */
import { existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../../test/refusal.js';
import { float, GraphBuilder, graph, strings } from '../../src/graph/builder.js';
import { DataType, type TypedArray } from '../../src/graph/data-type.js';
import { renameTensors, withGraph, withInitializers, withOutputs } from '../../src/graph/edit.js';
import { loadModel, readModelOutline } from '../../src/graph/load.js';
import type { Model, Node } from '../../src/graph/model.js';
import { readModel } from '../../src/graph/read.js';
import { Tensor } from '../../src/graph/tensor.js';
import { Message } from '../../src/graph/wire.js';
import { writeModel } from '../../src/graph/write.js';

const shared = new URL('../../../../../shared/', import.meta.url).pathname;
const files = [
  'models/berttiny-sst2/model.onnx',
  'models/distilbert-small/model.onnx',
  'models/imdb-wordcnn/model.onnx',
  'models/sms-tfidf/model.onnx',
  'goldens/exp_bert_11.onnx',
  'goldens/exp_distil_17.onnx',
];

const folder = mkdtempSync(join(tmpdir(), 'onnx-'));

/** The same values in new objects: nothing is copied from the source but what we do not model. */
const touched = (model: Model): Model =>
  withGraph(
    { ...model },
    {
      ...model.graph,
      nodes: model.graph.nodes.map((node) => ({ ...node, attributes: new Map(node.attributes) })),
      inputs: model.graph.inputs.map((info) => ({ ...info })),
    },
  );

const facts = ({ op, domain, name, inputs, outputs, attributes }: Node) =>
  [op, domain, name, ...inputs, '->', ...outputs, ...attributes.keys()].join(' ');

const bytesOf = ({ buffer, byteOffset, byteLength }: TypedArray) => Buffer.from(buffer, byteOffset, byteLength);

describe.skipIf(!existsSync(shared))('real models', () => {
  test.each(files)('%s', async (file) => {
    const bytes = readFileSync(join(shared, file));
    const model = await loadModel(join(shared, file));
    expect(Buffer.compare(writeModel(model), bytes)).toBe(0);
    // A graph in a new object is written part by part; no part differs.
    expect(Buffer.compare(writeModel(withGraph(model, { ...model.graph })), bytes)).toBe(0);
    const again = readModel(writeModel(touched(model)));
    expect(again.graph.nodes.map(facts)).toEqual(model.graph.nodes.map(facts));
  });

  test.each(files)('%s, as an outline, says the same', async (file) => {
    const [whole, outline] = [await loadModel(join(shared, file)), await readModelOutline(join(shared, file))];
    expect(outline.graph.nodes.map(facts)).toEqual(whole.graph.nodes.map(facts));
    expect([...outline.graph.initializers.keys()]).toEqual([...whole.graph.initializers.keys()]);
    for (const [name, tensor] of whole.graph.initializers) {
      const other = outline.graph.initializers.get(name)!;
      expect(other.dims).toEqual(tensor.dims);
      expect(Buffer.compare(bytesOf(other.data), bytesOf(tensor.data)), name).toBe(0);
    }
  });

  test('a changed weight changes its own bytes only', async () => {
    const path = join(shared, 'goldens/exp_distil_17.onnx');
    const bytes = readFileSync(path);
    const model = await loadModel(path);
    const first = Array.from(model.graph.initializers.values()).find((t) => t.type === DataType.float && t.size > 1000);
    const values = first!.floats().slice();
    values[5]! += 1;
    const changed = writeModel(
      withGraph(model, withInitializers(model.graph, [Tensor.of(first!.name, first!.dims, values)])),
    );
    expect(changed.length).toBe(bytes.length);
    const different = Array.from(bytes.keys()).filter((i) => bytes[i] !== changed[i]);
    expect(different.length).toBeGreaterThan(0);
    expect(different.at(-1)! - different[0]!).toBeLessThan(4);
  });
});

const small = (): GraphBuilder => {
  const g = new GraphBuilder({ opset: 17 });
  g.input('x', DataType.float, ['batch', null, 3]);
  const w = g.initializer('w', [3, 2], Float32Array.of(1, 2, 3, 4, 5, 6));
  g.output(g.ops('MatMul', ['x', w], ['y'])[0]!, DataType.float, ['batch', null, 2]);
  return g;
};

test('a built graph reads back as it was written', () => {
  const g = small();
  const body = new GraphBuilder();
  body.output(body.ops('Identity', ['y'], ['inner'])[0]!);
  g.ops(
    'Custom',
    ['y', '', 'w'],
    ['', 'z'],
    {
      whole: 3,
      real: float(2),
      name: 'café',
      list: [1, -2, 2 ** 40],
      names: strings(['a', '']),
      body: graph(body.graph()),
      constant: Tensor.of('', [2], BigInt64Array.of(-1n, 5n)),
    },
    'example.org',
  );
  const model = readModel(g.build());
  expect(model.opsets).toEqual(
    new Map([
      ['', 17],
      ['example.org', 1],
    ]),
  );
  expect(model.graph.inputs[0]).toMatchObject({ name: 'x', type: DataType.float, dims: ['batch', null, 3] });
  const node = model.graph.nodes[1]!;
  expect(node).toMatchObject({ op: 'Custom', inputs: ['y', '', 'w'], outputs: ['', 'z'], name: 'z' });
  expect(node.attributes.get('whole')).toEqual({ kind: 'int', value: 3 });
  expect(node.attributes.get('real')).toEqual({ kind: 'float', value: 2 });
  expect(node.attributes.get('name')).toEqual({ kind: 'string', value: 'café' });
  expect(node.attributes.get('list')).toEqual({ kind: 'ints', value: [1, -2, 2 ** 40] });
  expect(node.attributes.get('names')).toEqual({ kind: 'strings', value: ['a', ''] });
  const constant = node.attributes.get('constant');
  expect(constant?.kind === 'tensor' && constant.value.data).toEqual(BigInt64Array.of(-1n, 5n));
  const inner = node.attributes.get('body');
  expect(inner?.kind === 'graph' && inner.value.nodes[0]?.inputs).toEqual(['y']);
  expect(model.graph.initializers.get('w')!.floats()).toEqual(Float32Array.of(1, 2, 3, 4, 5, 6));
});

test('renaming reaches into subgraphs, but not behind a name they define', () => {
  const g = small();
  const branch = (name: string) => {
    const body = new GraphBuilder();
    body.output(body.ops('Identity', [name], [`${name}_inner`])[0]!);
    return graph(body.graph());
  };
  const hiding = new GraphBuilder();
  hiding.ops('Constant', [], ['y']);
  hiding.output(hiding.ops('Identity', ['y'], ['hidden'])[0]!);
  g.ops('If', ['y'], ['z'], { then_branch: branch('y'), else_branch: graph(hiding.graph()) });
  const renamed = renameTensors(readModel(g.build()).graph, new Map([['y', 'logits']]));
  const [matmul, branchNode] = renamed.nodes;
  expect(matmul!.outputs).toEqual(['logits']);
  expect(renamed.outputs[0]).toMatchObject({ name: 'logits', dims: ['batch', null, 2] });
  const body = (key: string) => {
    const attribute = branchNode!.attributes.get(key);
    return attribute?.kind === 'graph' ? attribute.value.nodes.at(-1)!.inputs : undefined;
  };
  expect(body('then_branch')).toEqual(['logits']);
  expect(body('else_branch')).toEqual(['y']);
});

test('fields we do not model survive a rewrite', () => {
  const model = readModel(Buffer.concat([small().build(), new Message().string(6, 'doc').int(99, 7).build()]));
  const rewritten = Buffer.from(writeModel(withGraph(model, withOutputs(model.graph, ['w']))));
  expect(rewritten.includes(Buffer.from(new Message().string(6, 'doc').int(99, 7).build()))).toBe(true);
});

test('a model newer than we know is read and written back, but not rewritten', async () => {
  const newer = readModel(new GraphBuilder({ opset: 40, irVersion: 30 }).model() && newerBytes());
  expect(newer.opsets.get('')).toBe(40);
  expect(writeModel(newer)).toEqual(newerBytes());
  await refusal(() => writeModel({ ...newer }));
});

const newerBytes = (): Uint8Array =>
  new Message().int(1, 30).message(7, new Message().string(2, 'main')).message(8, new Message().int(2, 40)).build();

describe('external data', () => {
  const externalModel = (location: string, length?: number): Uint8Array => {
    const entry = (key: string, value: string) => new Message().string(1, key).string(2, value);
    const tensor = new Message().int(1, 2).int(2, DataType.float).string(8, 'w');
    tensor.message(13, entry('location', location)).message(13, entry('offset', '4'));
    if (length !== undefined) tensor.message(13, entry('length', String(length)));
    return new Message()
      .int(1, 8)
      .message(7, new Message().message(5, tensor.int(14, 1)))
      .build();
  };
  const weight = async (location: string, length?: number) => {
    writeFileSync(join(folder, 'model.onnx'), externalModel(location, length));
    return (await loadModel(join(folder, 'model.onnx'))).graph.initializers.get('w')!;
  };

  test('is read from the file beside the model', async () => {
    writeFileSync(join(folder, 'weights.bin'), new Uint8Array(Float32Array.of(9, 1, 2, 3).buffer));
    expect((await weight('weights.bin', 8)).floats()).toEqual(Float32Array.of(1, 2));
  });

  test.each([
    ['../weights.bin', /out of its folder/],
    ['/etc/passwd', /out of its folder/],
    ['a/../../x', /out of its folder/],
    ['C:\\x', /out of its folder/],
    ['missing.bin', /no such file/],
    ['link.bin', /a link out of its folder/],
    ['weights.bin', /expected 80 bytes at 4/],
  ])('%s is refused', async (location, message) => {
    if (location === 'link.bin') symlinkSync('/etc/hostname', join(folder, location));
    const tensor = await weight(location, 80);
    expect(() => tensor.data).toThrow(message);
  });
});
