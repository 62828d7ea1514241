/** @file The weights of a checkpoint folder: one file or the shards an index names, safetensors or PyTorch's own format. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OnnxError } from '../../errors.js';
import { isObject } from '../../json.js';
import { readFileSync } from '../../read-file.js';
import { safetensorsHeader } from './safetensors.js';
import { damaged, parseCheckpointJson, type StoredTensor } from './stored-tensor.js';
import { torchTensors } from './torch-file.js';

interface WeightFile {
  /** The weights, or the index of their shards. */
  readonly name: string;
  readonly index: boolean;
  readonly read: (path: string) => StoredTensor[];
}

/** Where weights lie, in the order in which transformers looks for them. */
const LAYOUTS: readonly WeightFile[] = [
  { name: 'model.safetensors', index: false, read: safetensorsHeader },
  { name: 'model.safetensors.index.json', index: true, read: safetensorsHeader },
  { name: 'pytorch_model.bin', index: false, read: torchTensors },
  { name: 'pytorch_model.bin.index.json', index: true, read: torchTensors },
];

const WEIGHT_FILES: readonly string[] = LAYOUTS.map(({ name }) => name);

export interface Checkpoint {
  readonly tensors: readonly StoredTensor[];
  /** Every file that was read, absolute. */
  readonly files: readonly string[];
}

/** The file of a folder that holds the weights or names their shards; or undefined. `has` says whether a file is there. */
export const weightFileOf = (has: (name: string) => boolean): string | undefined => WEIGHT_FILES.find(has);

/** Throws OnnxError where the folder has no weights, or damaged ones. */
export function openCheckpoint(folder: string): Checkpoint {
  const found = LAYOUTS.find(({ name }) => existsSync(join(folder, name)));
  if (found === undefined)
    throw new OnnxError(`${folder}: expected weights (${WEIGHT_FILES.join(', ')}), found none`, {
      code: 'MODEL_DAMAGED',
      hint: 'Name a folder as save_pretrained writes it: config.json, tokenizer.json and model.safetensors.',
    });
  const path = join(folder, found.name);
  if (!found.index) return { tensors: distinct(path, found.read(path)), files: [path] };
  const shards = shardsOf(path, readFileSync(path, 'utf8'));
  const files = shards.map((shard) => join(folder, shard));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new OnnxError(`${path}: names the shard "${basename(missing)}", which is not there`, {
      code: 'MODEL_DAMAGED',
      hint: 'Put all shards beside the index.',
    });
  return { tensors: distinct(path, files.flatMap(found.read)), files: [path, ...files] };
}

/** The shards that an index names, each once. Throws OnnxError, for a name that leads out of the folder too. */
export function shardsOf(path: string, json: string): string[] {
  const index = parseCheckpointJson(path, json, 'an index that is not JSON');
  const map = isObject(index) ? index.weight_map : undefined;
  if (!isObject(map)) throw damaged(path, 'an index without a weight_map');
  const shards = [...new Set(Object.values(map))];
  if (shards.every(isShard)) return shards;
  const odd = shards.find((name) => !isShard(name));
  throw damaged(path, `an index that names the shard ${JSON.stringify(odd).slice(0, 200)}`);
}

const isShard = (name: unknown): name is string =>
  typeof name === 'string' && name !== '' && name === basename(name) && !/[\\:]|^\.+$/.test(name);

/** Throws where two tensors have one name: which of them is meant nobody can say. */
function distinct(path: string, tensors: readonly StoredTensor[]): readonly StoredTensor[] {
  const seen = new Set<string>();
  for (const { name } of tensors) {
    if (seen.has(name)) throw damaged(path, `two tensors "${name}"`);
    seen.add(name);
  }
  return tensors;
}
