/** @file Checkpoints for tests: files of safetensors from tensors, and weights that are a formula of their names. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type ExplanationOptions, explain } from '../../../../src/explain/index.js';
import type { openWhiteBox } from '../../../../src/gradient/white-box/white-box.js';
import type { LoadedModel } from '../../../../src/model/load.js';
import { OrtSession } from '../../../../src/model/workers/session.js';
import { convertCheckpoint } from '../../src/convert/index.js';
import { DataType } from '../../src/graph/data-type.js';
import type { Model } from '../../src/graph/model.js';
import { bytesOf, writeModel } from '../../src/graph/write.js';

export type Json = Record<string, unknown>;
export type Tensors = ReadonlyMap<string, { readonly dims: readonly number[]; readonly values: Float32Array }>;

/** A model's inputs and outputs in the references. */
export interface Case {
  readonly input_ids: readonly (readonly number[])[];
  readonly attention_mask: readonly (readonly number[])[];
  readonly token_type_ids?: readonly (readonly number[])[];
}

/** A configuration, the shapes of its weights, and what transformers answered. */
export interface Configuration extends Case {
  readonly name: string;
  readonly config: Json;
  readonly tensors: Readonly<Record<string, readonly number[]>>;
  readonly shape: readonly number[];
  /** All of them, or the first and the last 30. */
  readonly logits: readonly number[];
}

export const configurationsIn = <Of = Configuration>(
  file: 'configurations.json' | 'decoders.json' | `saves-${'4.57' | '5.18'}.json`,
) => (JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as { readonly cases: readonly Of[] }).cases;

/** A checkpoint of a configuration, in a new folder. */
export const checkpointOf = ({ config, tensors }: Pick<Configuration, 'config' | 'tensors'>): string =>
  checkpoint(config, byFormula(tensors));

/** The graph drawn of a configuration answers as transformers. */
export async function answersAsReferred(one: Configuration): Promise<void> {
  const { dims, data } = await convertedAnswers(checkpointOf(one), one.config, one);
  expect(dims).toEqual(one.shape);
  const some = data.length > one.logits.length ? [...data.slice(0, 30), ...data.slice(-30)] : data;
  expect(distance(some, one.logits)).toBeLessThanOrEqual(1e-5 * Math.max(1, ...one.logits.map(Math.abs)));
}

export const temporary = (): string => mkdtempSync(join(tmpdir(), 'robust-convert-'));

/** The bytes of a safetensors file; `type` says how the numbers are stored. */
export function safetensorsBytes(
  tensors: Tensors,
  type = 'F32',
  stored: (values: Float32Array) => Uint8Array = bytesOf,
): Buffer {
  const header: Json = { __metadata__: { format: 'pt' } };
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const [name, { dims, values }] of tensors) {
    const bytes = stored(values);
    header[name] = { dtype: type, shape: dims, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  const text = JSON.stringify(header);
  // Blanks let the numbers begin at a multiple of 8 bytes, as in files of the format's own library.
  const json = Buffer.from(text + ' '.repeat(-Buffer.byteLength(text) & 7));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...parts]);
}

/** Writes a checkpoint into a new folder, and returns that. */
export function checkpoint(config: Json, tensors: Tensors): string {
  const folder = temporary();
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'model.safetensors'), safetensorsBytes(tensors));
  return folder;
}

/**
 * Numbers in [-0.35, 0.35), of a norm's weight in [0.8, 1.2), by a hash of the name and the place: the script that made the references
 * has the same formula, so that only shapes are kept.
 */
export function valuesOf(name: string, dims: readonly number[]): Float32Array {
  let hash = 2166136261;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  const isNorm = dims.length === 1 && name.endsWith('weight');
  return Float32Array.from({ length: dims.reduce((product, size) => product * size, 1) }, (_, i) => {
    let x = (i + hash) >>> 0;
    x = Math.imul(x ^ (x >>> 16), 0x7feb352d) >>> 0;
    x = Math.imul(x ^ (x >>> 15), 0x846ca68b) >>> 0;
    const unit = ((x ^ (x >>> 16)) >>> 0) / 2 ** 32 - 0.5;
    return isNorm ? 1 + 0.4 * unit : 0.7 * unit;
  });
}

export const byFormula = (shapes: Readonly<Record<string, readonly number[]>>): Tensors =>
  new Map(Object.entries(shapes).map(([name, dims]) => [name, { dims, values: valuesOf(name, dims) }]));

/** The answers of a graph, and their shape. */
export async function answers(model: Model, fed: Case): Promise<{ dims: readonly number[]; data: Float32Array }> {
  const session = await OrtSession.open({ source: writeModel(model) });
  try {
    const dims = [fed.input_ids.length, (fed.input_ids[0] as readonly number[]).length];
    const feeds = session.ports.inputs.map(({ name }) => {
      const rows = fed[name as keyof Case] as Case['input_ids'];
      return [name, { type: DataType.int64, dims, data: BigInt64Array.from(rows.flat(), BigInt) }] as const;
    });
    const result = (await session.run(new Map(feeds))).get('logits');
    return { dims: result?.dims ?? [], data: Float32Array.from(result?.data as Float32Array) };
  } finally {
    await session.release();
  }
}

/** The answers of the graph drawn of a checkpoint. */
export const convertedAnswers = (folder: string, config: Json, fed: Case, half = false) =>
  answers(convertCheckpoint(folder, config, { half }).model, fed);

/** The largest difference; infinite for other lengths and for what is no number. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (let i = 0; i < a.length; i++) {
    const size = Math.abs((a[i] as number) - (b[i] as number));
    if (!(size <= largest)) largest = size;
  }
  return Number.isNaN(largest) ? Number.POSITIVE_INFINITY : largest;
}

/** Explanations of the first label of a text by these methods, against deleted words. */
export async function explanationsOf(
  model: LoadedModel,
  gradients: Awaited<ReturnType<typeof openWhiteBox>>,
  text: string,
  options: Pick<ExplanationOptions, 'methods' | 'samples' | 'steps'>,
) {
  const explained = { name: model.name, sha256: model.sha256, classifier: model, gradients, tokens: {} };
  const all = { ...options, label: 0, baseline: 'delete', scale: 'logit', seed: 1 } as const;
  return (await explain(explained, text, all)).methods;
}
