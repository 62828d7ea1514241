/** @file Graph models of TF.js written node by node, and what TF.js itself answers. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '@tensorflow/tfjs-backend-cpu';
import * as converter from '@tensorflow/tfjs-converter';
import * as tf from '@tensorflow/tfjs-core';

type Kind = 'float32' | 'int32';
const TYPES = { float32: 'DT_FLOAT', int32: 'DT_INT32' } as const;

export interface Fed {
  readonly dims: readonly number[];
  readonly values: readonly number[];
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Attributes as GraphDef's JSON has them. */
export const attr = {
  type: (kind: Kind) => ({ type: TYPES[kind] }),
  i: (value: number) => ({ i: String(value) }),
  b: (value: boolean) => ({ b: value }),
  s: (value: string) => ({ s: base64(value) }),
  ints: (values: readonly number[]) => ({ list: { i: values.map(String) } }),
  texts: (values: readonly string[]) => ({ list: { s: values.map(base64) } }),
  shape: (dims: readonly number[]) => ({ shape: { dim: dims.map((size) => ({ size: String(size) })) } }),
};

export class GraphModel {
  readonly node: { name: string; op: string; input: string[]; attr: Record<string, unknown> }[] = [];
  readonly #weights: { name: string; shape: number[]; dtype: Kind; values: readonly number[] }[] = [];
  readonly #inputs: Record<string, { name: string }> = {};

  /** -1 for a size that depends on the texts. */
  input(name: string, dims: readonly number[], kind: Kind = 'int32'): string {
    this.node.push({ name, op: 'Placeholder', input: [], attr: { dtype: attr.type(kind), shape: attr.shape(dims) } });
    this.#inputs[name] = { name: `${name}:0` };
    return name;
  }

  constant(shape: readonly number[], values: readonly number[], dtype: Kind = 'float32'): string {
    const name = `const/${this.node.length}`;
    this.node.push({ name, op: 'Const', input: [], attr: { dtype: attr.type(dtype), value: { tensor: {} } } });
    this.#weights.push({ name, shape: [...shape], dtype, values });
    return name;
  }

  ints(...values: number[]): string {
    return this.constant([values.length], values, 'int32');
  }

  int(value: number): string {
    return this.constant([], [value], 'int32');
  }

  op(op: string, input: readonly string[], attributes: Record<string, unknown> = {}): string {
    const name = `${op}_${this.node.length}`;
    this.node.push({ name, op, input: [...input], attr: { T: attr.type('float32'), ...attributes } });
    return name;
  }

  json(...outputs: string[]) {
    const signature = {
      inputs: this.#inputs,
      outputs: Object.fromEntries(
        outputs.map((name, at) => [`out_${at}`, { name: name.includes(':') ? name : `${name}:0` }]),
      ),
    };
    const weights = this.#weights.map(({ name, shape, dtype }) => ({ name, shape, dtype }));
    return {
      format: 'graph-model',
      signature,
      modelTopology: { node: this.node, versions: { producer: 1 } },
      weightsManifest: [{ paths: ['group1-shard1of1.bin'], weights }],
    };
  }

  bytes(): Buffer {
    return Buffer.concat(
      this.#weights.map(({ dtype, values }) =>
        Buffer.from((dtype === 'int32' ? Int32Array.from(values) : Float32Array.from(values)).buffer),
      ),
    );
  }

  write(folder: string, ...outputs: string[]): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'model.json'), JSON.stringify(this.json(...outputs)));
    writeFileSync(join(folder, 'group1-shard1of1.bin'), this.bytes());
  }

  /** Outputs of TF.js. */
  async reference(output: string, feeds: Readonly<Record<string, Fed>>): Promise<Fed> {
    const backend = tf.getBackend();
    await tf.setBackend('cpu');
    // It keeps parts of what it is given, and writes to them.
    const json = structuredClone(this.json(output));
    const bytes = this.bytes();
    const model = await converter.loadGraphModel({
      load: async () => ({
        modelTopology: json.modelTopology,
        signature: json.signature,
        format: json.format,
        weightSpecs: (json.weightsManifest[0]?.weights ?? []) as tf.io.WeightsManifestEntry[],
        weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer,
      }),
    });
    const tensors = Object.fromEntries(
      Object.entries(feeds).map(([name, { dims, values }]) => {
        const kind = this.node.find((node) => node.name === name)?.attr.dtype as { type: string };
        const dtype = kind.type === 'DT_INT32' ? 'int32' : 'float32';
        return [name, tf.tensor([...values], [...dims], dtype)];
      }),
    );
    try {
      // Places that hold something are as many as the numbers say, which execute() does not know.
      const open = this.node.some(({ op }) => op === 'Where');
      const answers = open ? await model.executeAsync(tensors, output) : model.execute(tensors, output);
      const found = [answers].flat()[0] as tf.Tensor;
      const answer = { dims: found.shape, values: Array.from(found.dataSync()) };
      found.dispose();
      return answer;
    } finally {
      for (const tensor of Object.values(tensors)) tensor.dispose();
      model.dispose();
      if (backend !== undefined) await tf.setBackend(backend);
    }
  }
}
