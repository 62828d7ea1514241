/** @file Checkpoints with random weights, as save_pretrained lays them out, for measurements of large models. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { random } from '../src/core/random.js';

export type TensorShapes = readonly (readonly [name: string, dims: readonly number[]])[];

interface CheckpointOptions {
  /** @default F32 */
  readonly type?: 'F32' | 'BF16';
  /** Most bytes of a file; more are written in shards. @default one file */
  readonly shard?: number;
  /** Tensors whose numbers are not random. */
  readonly given?: ReadonlyMap<string, Float32Array>;
}

/** The tensors of a decoder of Llama's build. `biased`: queries, keys and values have biases, as Qwen 2 has them. */
export function decoderShapes(sizes: {
  readonly vocabulary: number;
  readonly width: number;
  readonly inner: number;
  readonly layers: number;
  /** Width of all keys. */
  readonly keys: number;
  readonly biased?: boolean;
  /** Absent of a language model whose head is its table. */
  readonly labels?: number | undefined;
}): TensorShapes {
  const { vocabulary, width, inner, layers, keys, biased = false, labels } = sizes;
  const shapes: [string, readonly number[]][] = [['model.embed_tokens.weight', [vocabulary, width]]];
  for (let layer = 0; layer < layers; layer++) {
    const name = `model.layers.${layer}`;
    for (const [part, rows] of [
      ['q', width],
      ['k', keys],
      ['v', keys],
    ] as const) {
      shapes.push([`${name}.self_attn.${part}_proj.weight`, [rows, width]]);
      if (biased) shapes.push([`${name}.self_attn.${part}_proj.bias`, [rows]]);
    }
    shapes.push([`${name}.self_attn.o_proj.weight`, [width, width]]);
    for (const part of ['gate', 'up']) shapes.push([`${name}.mlp.${part}_proj.weight`, [inner, width]]);
    shapes.push([`${name}.mlp.down_proj.weight`, [width, inner]]);
    for (const part of ['input', 'post_attention']) shapes.push([`${name}.${part}_layernorm.weight`, [width]]);
  }
  shapes.push(['model.norm.weight', [width]]);
  if (labels !== undefined) shapes.push(['score.weight', [labels, width]]);
  return shapes;
}

const sizeOf = (dims: readonly number[]): number => dims.reduce((product, size) => product * size, 1);

/** Writes config.json and the weights: ones in vectors called norms, zeros in biases, in matrices noise that keeps the size of what goes through. */
export function writeCheckpoint(
  folder: string,
  config: object,
  shapes: TensorShapes,
  options: CheckpointOptions = {},
): void {
  const { type = 'F32', shard = Number.POSITIVE_INFINITY, given = new Map<string, Float32Array>() } = options;
  const width = type === 'F32' ? 4 : 2;
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const groups: [string, readonly number[]][][] = [[]];
  let bytes = 0;
  for (const [name, dims] of shapes) {
    const own = width * sizeOf(dims);
    if (bytes > 0 && bytes + own > shard) {
      groups.push([]);
      bytes = 0;
    }
    groups.at(-1)!.push([name, dims]);
    bytes += own;
  }
  const noise = normals();
  const map: Record<string, string> = {};
  for (const [at, group] of groups.entries()) {
    const count = String(groups.length).padStart(5, '0');
    const name =
      groups.length === 1 ? 'model.safetensors' : `model-${String(at + 1).padStart(5, '0')}-of-${count}.safetensors`;
    for (const [tensor] of group) map[tensor] = name;
    writeShard(join(folder, name), group, type, noise, given);
  }
  if (groups.length > 1)
    writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ metadata: {}, weight_map: map }));
}

/** The table of words of a decoder: row `id`. */
export const wordVector = (id: number, width: number): Float32Array => normals().slice(id * width, (id + 1) * width);

function normals(): Float32Array {
  const stream = random(1, 'weights');
  return new Float32Array(2 ** 21).map(() => stream.normal());
}

function writeShard(
  path: string,
  shapes: TensorShapes,
  type: 'F32' | 'BF16',
  noise: Float32Array,
  given: ReadonlyMap<string, Float32Array>,
): void {
  const width = type === 'F32' ? 4 : 2;
  const header: Record<string, object> = {};
  let at = 0;
  for (const [name, shape] of shapes) {
    const end = at + width * sizeOf(shape);
    header[name] = { dtype: type, shape, data_offsets: [at, end] };
    at = end;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const file = openSync(path, 'w');
  writeSync(file, Buffer.concat([length, json]));
  for (const [index, [name, dims]] of shapes.entries()) {
    const size = sizeOf(dims);
    const scale = /embed|embeddings/.test(name) ? 1 : 1 / Math.sqrt(dims[1] ?? 1);
    const fill = dims.length > 1 ? undefined : name.endsWith('bias') ? 0 : 1;
    // Each tensor begins at another place of the noise.
    for (let from = 0; from < size; from += noise.length) {
      const part = Float32Array.from(
        { length: Math.min(noise.length, size - from) },
        (_, i) => given.get(name)?.[from + i] ?? fill ?? scale * noise[(i + 7919 * index) % noise.length]!,
      );
      // The upper half of a number in single precision.
      const halves = () => Uint16Array.from(new Uint32Array(part.buffer), (bits) => bits >>> 16);
      writeSync(file, Buffer.from((type === 'F32' ? part : halves()).buffer));
    }
  }
  closeSync(file);
}
