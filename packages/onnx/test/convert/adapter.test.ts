/** @file Adapters of PEFT merged into a small BERT, compared with weights that are merged here by their definition; what is refused, by name. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RobustError } from '../../../../src/core/errors.js';
import { random } from '../../../../src/core/random.js';
import { refusal } from '../../../../test/refusal.js';
import { PeftAdapter } from '../../src/convert/adapter/open.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import {
  answers,
  checkpoint,
  distance,
  type Json,
  safetensorsBytes,
  type Tensors,
  temporary,
  valuesOf,
} from './checkpoints.js';
import { tinyConfig, tinyTensors } from './tiny-bert.js';

const QUERY = 'bert.encoder.layer.0.attention.self.query';
const RANK = 2;
const WIDTH = 4;
const fed = { input_ids: [[1, 2, 3]], attention_mask: [[1, 1, 1]], token_type_ids: [[0, 0, 1]] };
const config = { peft_type: 'LORA', task_type: 'SEQ_CLS', r: RANK, lora_alpha: 6, base_model_name_or_path: 'org/base' };

const tensor = (name: string, dims: readonly number[]) => ({ dims, values: valuesOf(name, dims) });
const lora = (module: string, name = module): [string, ReturnType<typeof tensor>][] => [
  [`base_model.model.${module}.lora_A.weight`, tensor(`${name} a`, [RANK, WIDTH])],
  [`base_model.model.${module}.lora_B.weight`, tensor(`${name} b`, [WIDTH, RANK])],
];

function adapterFolder(changes: Json, tensors: Tensors): string {
  const folder = temporary();
  writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify({ ...config, ...changes }));
  writeFileSync(join(folder, 'adapter_model.safetensors'), safetensorsBytes(tensors));
  return folder;
}

async function adapted(changes: Json, tensors: Tensors): Promise<Float32Array> {
  const base = checkpoint(tinyConfig, tinyTensors);
  const adapter = new PeftAdapter(adapterFolder(changes, tensors));
  const { model } = convertCheckpoint(base, adapter.configOf(tinyConfig), { adapter });
  return (await answers(model, fed)).data;
}

async function plain(changed: Tensors): Promise<Float32Array> {
  const base = checkpoint(tinyConfig, new Map([...tinyTensors, ...changed]));
  return (await answers(convertCheckpoint(base, tinyConfig).model, fed)).data;
}

/** W + factor B A, element by element. */
function merged(module: string, factor: number): Float32Array {
  const a = valuesOf(`${module} a`, [RANK, WIDTH]);
  const b = valuesOf(`${module} b`, [WIDTH, RANK]);
  return tinyTensors.get(`${module}.weight`)!.values.map((value, at) => {
    const [row, column] = [Math.floor(at / WIDTH), at % WIDTH];
    return value + factor * (b[row * RANK]! * a[column]! + b[row * RANK + 1]! * a[WIDTH + column]!);
  });
}

const weight = (module: string, values: Float32Array): Tensors =>
  new Map([[`${module}.weight`, { dims: [WIDTH, WIDTH], values }]]);

describe('an adapter merged', () => {
  test.each([
    ['LoRA: alpha / r', {}, 3],
    ['rsLoRA: alpha / sqrt(r)', { use_rslora: true }, 6 / Math.SQRT2],
    ['alpha by a name', { alpha_pattern: { 'self.query': 1 } }, 0.5],
    ['a pattern from the start of the name', { alpha_pattern: { '^query': 1 } }, 3],
    ['rank by a name', { r: 8, rank_pattern: { query: RANK } }, 3],
  ])('%s', async (_, changes, factor) => {
    const found = await adapted(changes, new Map(lora(QUERY)));
    const expected = await plain(weight(QUERY, merged(QUERY, factor)));
    expect(distance(found, expected)).toBeLessThanOrEqual(1e-6);
    expect(distance(found, await plain(new Map()))).toBeGreaterThan(1e-5);
  });

  test('DoRA: every row has the length that was learnt', async () => {
    const lengths = { dims: [WIDTH], values: Float32Array.of(0.5, 1, 1.5, 2) };
    const name = `base_model.model.${QUERY}.lora_magnitude_vector`;
    const found = await adapted({ use_dora: true }, new Map([...lora(QUERY), [name, lengths]]));
    const sum = merged(QUERY, 3);
    const norm = (row: number) => Math.hypot(...sum.slice(row * WIDTH, (row + 1) * WIDTH));
    const scaled = sum.map((value, at) => {
      const row = Math.floor(at / WIDTH);
      return (value * lengths.values[row]!) / norm(row);
    });
    expect(distance(found, await plain(weight(QUERY, scaled)))).toBeLessThanOrEqual(1e-6);
  });

  test('a head that was trained whole has as many labels as rows', async () => {
    const head: Tensors = new Map([
      ['base_model.model.classifier.weight', tensor('head', [3, WIDTH])],
      ['base_model.model.classifier.modules_to_save.default.bias', tensor('bias', [3])],
    ]);
    expect((await adapted({}, new Map([...lora(QUERY), ...head]))).length).toBe(3);
  });

  test('names without the prefix of the base model', async () => {
    const short = QUERY.replace('bert.', '');
    const found = await adapted({}, new Map(lora(short, QUERY)));
    expect(distance(found, await plain(weight(QUERY, merged(QUERY, 3))))).toBeLessThanOrEqual(1e-6);
  });
});

describe('an adapter refused', () => {
  test.each([
    [{ peft_type: 'IA3' }],
    [{ init_lora_weights: 'pissa' }],
    [{ alpha_pattern: { '(a+)+$': 1 } }],
    [{ use_qalora: true }],
    [{ trainable_token_indices: [1] }],
    [{ a_new_option: 'x' }],
    [{ r: 3 }],
    [{ use_dora: true }],
  ])('%j', async (changes) => {
    const { exit, hint } = await refusal(adapted(changes, new Map(lora(QUERY))));
    expect([exit, typeof hint]).toEqual([2, 'string']);
  });

  test('of another model', async () => {
    await refusal(adapted({}, new Map(lora('bert.encoder.layer.7.attention.self.query'))));
  });

  test('of another method in the tensors', async () => {
    await refusal(adapted({}, new Map([['base_model.model.x.ia3_l', tensor('x', [4])]])));
  });
});

/** Damaged adapters end in a RobustError, or are merged; nothing else is thrown. */
test('mutated adapters: 600 configs and tensors', () => {
  const stream = random(11, 'adapters');
  const base = checkpoint(tinyConfig, tinyTensors);
  const values = [null, -1, 0, 1e300, 'x', '../..', [], {}, true, { query: -1 }, ['..']];
  const more = 'use_dora rank_pattern alpha_pattern auto_mapping bias revision'.split(' ');
  const keys = [...Object.keys(config), ...more];
  const bytes = safetensorsBytes(new Map(lora(QUERY)));
  const folder = adapterFolder({}, new Map());
  const tally = { merged: 0, refused: 0 };
  for (let at = 0; at < 600; at++) {
    const changed = { ...config, [keys[stream.int(keys.length)]!]: values[stream.int(values.length)] };
    writeFileSync(join(folder, 'adapter_config.json'), JSON.stringify(changed));
    const mutated = Buffer.from(bytes);
    if (stream.int(2) === 0) mutated[stream.int(mutated.length)] = stream.int(256);
    writeFileSync(join(folder, 'adapter_model.safetensors'), mutated);
    try {
      const adapter = new PeftAdapter(folder);
      convertCheckpoint(base, adapter.configOf(tinyConfig), { adapter });
      tally.merged++;
    } catch (error) {
      if (!(error instanceof RobustError)) throw error;
      tally.refused++;
    }
  }
  expect(tally.merged).toBeGreaterThan(10);
  expect(tally.refused).toBeGreaterThan(100);
});
