/** Both engines on every export of ../shared/goldens/transformers: the same gradient, or a refusal that names what is in the way. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RobustError } from '../../src/core/errors.js';
import { simplify } from '../../src/gradient/autodiff/simplify/index.js';
import { tfjsEngine } from '../../src/gradient/tfjs/engine.js';
import { type Engine, gradientOf } from '../../src/gradient/white-box/engine.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { DataType } from '../../src/onnx/data-type.js';
import { users } from '../../src/onnx/edit.js';
import { loadModel } from '../../src/onnx/load.js';
import { feeds, type Model } from '../../src/onnx/model.js';
import type { Feed } from '../../src/onnx/tensor.js';

const goldens = new URL('../../../shared/goldens/transformers/', import.meta.url).pathname;

/** What an engine refuses, and why. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  // The classifier picks the last separator of each text, which made-up ids lack.
  'bart onnx': /indices element out of data bounds/,
  'bart tfjs': /cannot run Gather/,
  'deberta-v2 onnx 14':
    /ai.onnx.GatherElements \(opset 14, node .* and 3 more\): opset 14 cannot add at repeated indices/,
  'deberta-v2 tfjs': /ai.onnx.If \(opset 1[47], node .* and 1 more\): control flow/,
};

const [batch, length] = [2, 5];
const madeUp = (name: string): Feed => {
  const value = (i: number) => (name.includes('mask') ? 1 : name.includes('type') ? 0 : i + 3);
  const data = BigInt64Array.from({ length: batch * length }, (_, i) => BigInt(value(i)));
  return { type: DataType.int64, dims: [batch, length], data };
};

/** The gradient of the sum of the answers by the largest table rows are looked up in; what the engine says where it has none. */
async function gradient(engine: Engine, model: Model): Promise<Float32Array | string> {
  const read = users(model.graph);
  const tables = Array.from(model.graph.initializers.values()).filter(
    ({ name, type, dims }) =>
      type === DataType.float &&
      dims.length === 2 &&
      read.get(name)?.some(({ op, inputs }) => op === 'Gather' && inputs[0] === name),
  );
  const table = tables.reduce((a, b) => (b.size > a.size ? b : a)).name;
  try {
    const runner = await engine.backward(model, [], [], model.graph.outputs[0]!.name, [table]);
    const given = new Map(feeds(model.graph).map(({ name }) => [name, madeUp(name)]));
    const result = Float32Array.from((await runner.run(given)).get(gradientOf(table))!);
    await runner.release();
    return result;
  } catch (error) {
    if (error instanceof RobustError) return error.message;
    throw error;
  }
}

const files = existsSync(goldens)
  ? readdirSync(goldens, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) =>
        readdirSync(join(goldens, name)).flatMap((file) => (file.endsWith('.onnx') ? [[name, file] as const] : [])),
      )
  : [];

describe.skipIf(files.length === 0)('exports of transformers (absent: ../shared/goldens/transformers)', () => {
  test.each(files)('%s %s', async (name, file) => {
    const model = simplify(await loadModel(join(goldens, name, file)));
    const opset = model.opsets.get('');
    const [onnx, tfjs] = [await gradient(onnxEngine(), model), await gradient(await tfjsEngine(), model)];
    for (const [engine, answer] of [
      ['onnx', onnx],
      ['tfjs', tfjs],
    ] as const) {
      const refused = REFUSED[`${name} ${engine}`] ?? REFUSED[`${name} ${engine} ${opset}`];
      if (refused !== undefined) expect(answer).toMatch(refused);
      else expect(answer).toBeInstanceOf(Float32Array);
    }
    if (typeof onnx === 'string' || typeof tfjs === 'string') return;
    const size = Math.hypot(...onnx);
    expect(size).toBeGreaterThan(0.1);
    expect(Math.hypot(...onnx.map((value, i) => value - tfjs[i]!)) / size).toBeLessThan(1e-5);
  });
});
