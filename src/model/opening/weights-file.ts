/** @file The weights of a trained graph as transformers names them, so that Python opens the folder too. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { convertCheckpoint } from '../../../packages/onnx/src/convert/index.js';
import { loadModel } from '../../../packages/onnx/src/graph/load.js';
import type { Graph } from '../../../packages/onnx/src/graph/model.js';
import { transpose } from '../../../packages/onnx/src/graph/transposed.js';
import { must, RobustError } from '../../core/errors.js';
import { writeStream } from '../../files/write.js';
import { readConfig } from './conversion.js';

export const WEIGHTS = 'model.safetensors';

/** A weight as PyTorch keeps it: what a product takes as [inputs, outputs] is stored as [outputs, inputs]. */
interface StoredWeight {
  readonly dims: readonly number[];
  readonly values: Float32Array;
}

/**
 * Writes model.safetensors beside model.onnx, if the config names a family that robust draws from such a file and what it draws has the
 * weights of the graph to the bit; else leaves nothing, and resolves to false. Throws OutputError.
 */
export async function writeWeights(folder: string): Promise<boolean> {
  const paths = ['config.json', 'model.onnx'].map((name) => join(folder, name));
  if (!paths.every((path) => existsSync(path))) return false;
  const config = await readConfig(folder);
  const { graph } = await loadModel(must(paths[1]));
  const path = join(folder, WEIGHTS);
  await rm(path, { force: true });
  await writeStream(path, safetensors(storedWeights(graph)), 'the weights');
  if (Array.isArray(config.architectures) && drawsAlike(folder, config, graph)) return true;
  await rm(path);
  return false;
}

function storedWeights(graph: Graph): Map<string, StoredWeight> {
  const products = new Set(graph.nodes.flatMap(({ op, inputs }) => (op === 'MatMul' ? inputs.slice(1) : [])));
  const stored = new Map<string, StoredWeight>();
  for (const { name, dims, data } of graph.initializers.values()) {
    if (!(data instanceof Float32Array) || !/\.(weight|bias)$/.test(name)) continue;
    const [rows, columns] = dims;
    const turned = products.has(name) && rows !== undefined && columns !== undefined;
    stored.set(
      name,
      turned ? { dims: [columns, rows], values: transpose(data, rows, columns) } : { dims, values: data },
    );
  }
  return stored;
}

/** The format of safetensors: the length of the header as a little-endian u64, the header as JSON, the bytes. */
async function* safetensors(weights: ReadonlyMap<string, StoredWeight>): AsyncGenerator<Uint8Array> {
  let end = 0;
  const entries = Array.from(weights, ([name, { dims, values }]) => {
    const from = end;
    end += values.byteLength;
    return [name, { dtype: 'F32', shape: dims, data_offsets: [from, end] }];
  });
  const header = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  yield* [length, header];
  for (const { values } of weights.values()) yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** Whether the graph that the file gives has the same weights. */
function drawsAlike(folder: string, config: Parameters<typeof convertCheckpoint>[1], graph: Graph): boolean {
  try {
    const drawn = convertCheckpoint(folder, config).model.graph.initializers;
    return Array.from(drawn).every(([name, { data }]) => {
      const own = graph.initializers.get(name)?.data;
      return own === undefined ? !/\.(weight|bias)$/.test(name) : Buffer.compare(bytesOf(own), bytesOf(data)) === 0;
    });
  } catch (error) {
    if (error instanceof RobustError) return false;
    throw error;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
