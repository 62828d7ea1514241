/** @file Weights of a TF.js model: the manifest of model.json, and the shards it names, read in their order (tfjs-core, io/types.ts). */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, join, normalize, sep } from 'node:path';
import { ModelError } from '../../core/errors.js';
import { halvesToFloats } from '../../core/half.js';
import { DataType } from '../../onnx/data-type.js';
import { elements } from '../../onnx/tensor.js';
import { damaged, sizeOf } from '../checkpoint/stored-tensor.js';
import { unsupported } from './refusal.js';

export interface TfjsWeight {
  readonly name: string;
  readonly dims: readonly number[];
  /** Single precision, whole numbers (int32), or 0 and 1 (bool), whatever they are stored as. */
  readonly values: Float32Array | Int32Array | Uint8Array;
}

/** Name in the file -> type of the stored elements. */
const STORED: Readonly<Record<string, number>> = {
  float32: DataType.float,
  int32: DataType.int32,
  bool: DataType.uint8,
  uint8: DataType.uint8,
  uint16: DataType.uint16,
  float16: DataType.float16,
};

interface WeightEntry {
  readonly name: string;
  readonly dims: readonly number[];
  readonly stored: string;
  /** For values stored as whole numbers: value = number x scale + least. */
  readonly scale: number;
  readonly least: number;
  /** Type after reading. */
  readonly type: 'float32' | 'int32' | 'bool';
}

/** The files of weights that a manifest names, absolute. Throws ModelError where it is malformed or leads out of the folder. */
export function shardsIn(folder: string, manifest: unknown): string[] {
  return groupsOf(folder, manifest).flatMap(({ files }) => files);
}

/** Every weight, in the manifest's order. Throws ModelError where shards are missing, too long or too short. */
export function tfjsWeights(folder: string, manifest: unknown): TfjsWeight[] {
  return groupsOf(folder, manifest).flatMap(({ files, weights }) => {
    const entries = weights.map((entry) => entryOf(join(folder, 'model.json'), entry));
    const wanted = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
    const found = files.reduce((sum, file) => sum + statSync(file).size, 0);
    if (found !== wanted)
      throw damaged(files[0] ?? folder, `${found} bytes in ${files.length} files where model.json says ${wanted}`);
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
    let at = 0;
    return entries.map((entry) => {
      const start = at;
      at += bytesOf(entry);
      return { name: entry.name, dims: entry.dims, values: valuesOf(entry, bytes.subarray(start, at)) };
    });
  });
}

function groupsOf(folder: string, manifest: unknown): { files: string[]; weights: readonly unknown[] }[] {
  const path = join(folder, 'model.json');
  if (!Array.isArray(manifest)) throw damaged(path, 'no list under weightsManifest');
  return manifest.map((group) => {
    const { paths, weights } = (group ?? {}) as Record<string, unknown>;
    if (!Array.isArray(paths) || !Array.isArray(weights) || !paths.every((each) => typeof each === 'string'))
      throw damaged(path, 'a group of weightsManifest without paths and weights');
    return { files: paths.map((name) => shard(folder, name)), weights };
  });
}

function shard(folder: string, name: string): string {
  const path = normalize(name);
  if (isAbsolute(name) || path === '..' || path.startsWith(`..${sep}`)) {
    throw new ModelError(`${folder}: names the file "${name}", which lies outside the model's folder`, {
      code: 'MODEL_PATH_OUTSIDE',
      hint: 'Put the file beside the model and name it without a path.',
    });
  }
  const file = join(folder, path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return file;
  throw new ModelError(`${join(folder, 'model.json')}: names the file of weights "${name}", which does not exist`, {
    code: 'MODEL_FILE_NOT_FOUND',
    hint: 'Put every shard that weightsManifest names beside model.json.',
  });
}

function entryOf(path: string, value: unknown): WeightEntry {
  const { name, shape, dtype, quantization } = (value ?? {}) as Record<string, unknown>;
  const packed = quantization as Record<string, unknown> | undefined;
  const stored = packed === undefined ? dtype : packed?.dtype;
  const { scale = 1, min = 0 } = packed ?? {};
  const fits =
    typeof name === 'string' &&
    Array.isArray(shape) &&
    shape.every((size) => Number.isSafeInteger(size) && size >= 0) &&
    ['float32', 'int32', 'bool'].includes(dtype as string) &&
    Object.hasOwn(STORED, stored as string) &&
    typeof scale === 'number' &&
    typeof min === 'number';
  if (dtype === 'string') throw unsupported(path, 'weights that are numbers', `the strings of "${name}"`);
  if (!fits) throw damaged(path, `a weight that is described as ${JSON.stringify(value)?.slice(0, 200)}`);
  return { name, dims: shape, stored: stored as string, scale, least: min, type: dtype as WeightEntry['type'] };
}

const widthOf = ({ stored }: WeightEntry): number => ({ bool: 1, uint8: 1, uint16: 2, float16: 2 })[stored] ?? 4;

const bytesOf = (entry: WeightEntry): number => sizeOf(entry.dims) * widthOf(entry);

function valuesOf(entry: WeightEntry, bytes: Uint8Array): TfjsWeight['values'] {
  const { name, dims, stored, scale, least, type } = entry;
  const data = elements(name, STORED[stored]!, sizeOf(dims), bytes);
  const numbers = stored === 'float16' ? halvesToFloats(data as Uint16Array) : (data as Float32Array);
  const value = (number: number) => number * scale + least;
  if (type === 'float32') return numbers instanceof Float32Array ? numbers : Float32Array.from(numbers, value);
  if (type === 'bool') return Uint8Array.from(numbers, (number) => (number === 0 ? 0 : 1));
  return numbers instanceof Int32Array ? numbers : Int32Array.from(numbers, (number) => Math.round(value(number)));
}
