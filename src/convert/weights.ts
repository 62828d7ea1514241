/**
 * @file The tensors of a checkpoint by the names its architecture gives them. Older names are mapped; what is missing, left over or
 * of another shape is refused, since a graph without it would answer something else.
 */
import { ModelError } from '../core/errors.js';
import { bfloatsToFloats, halvesToFloats } from '../core/half.js';
import type { Random } from '../core/random.js';
import { bytesAt, damaged, type StoredTensor, sizeOf, WIDTHS, withFile } from './checkpoint/stored-tensor.js';

export interface WeightsOptions {
  /** The checkpoint, for errors. */
  readonly path: string;
  /** Prefix of the base model's names in a classifier, absent in the base model's checkpoint: "bert". */
  readonly prefix: string;
  /** Heads that are not there are drawn from this, with the standard deviation that the config names. */
  readonly fresh?: { readonly random: Random; readonly deviation: number };
}

/** A weight of a graph, its numbers read when they are asked for. */
export interface CheckpointWeight {
  readonly name: string;
  readonly dims: readonly number[];
  readonly read: () => Float32Array;
}

/** Buffers that hold no weights, whatever the model. */
const BUFFERS =
  /(^|\.)(position_ids|token_type_ids|masked_bias|attn\.bias|attention\.bias|inv_freq|version|num_batches_tracked)$/;
/** Heads of other tasks that the same encoder was trained with, which a classifier does not read. */
const OTHER_HEADS =
  /^(cls|lm_head|lm_predictions|mask_predictions|discriminator_predictions|generator_predictions|generator_lm_head|predictions|sop_classifier|lm_loss|vocab_(transform|layer_norm|projector)|qa_outputs|final_logits_bias)(\.|$)/;
/** Containers that training scripts wrap a model in. */
const WRAPPERS = ['_orig_mod.', 'module.', 'model.'];

export class CheckpointWeights {
  readonly #options: WeightsOptions;
  readonly #stored: ReadonlyMap<string, StoredTensor>;
  readonly #taken = new Set<string>();
  readonly #heads: string[] = [];

  constructor(tensors: readonly StoredTensor[], options: WeightsOptions) {
    this.#options = options;
    this.#stored = byName(tensors, options);
  }

  /** Names of heads that were drawn at random. */
  get fresh(): readonly string[] {
    return this.#heads;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** The weight of this shape. Throws ModelError where it is missing or has another. */
  take(name: string, dims: readonly number[]): CheckpointWeight {
    const stored = this.#find(name);
    if (stored === undefined) throw this.#missing(name, dims);
    this.#taken.add(stored.name);
    if (!same(stored.dims, dims)) throw this.#misshapen(name, dims, stored);
    if (!['F32', 'F16', 'BF16', 'F64'].includes(stored.type)) {
      throw this.#error(`the tensor "${name}" to be of F32, F16, BF16 or F64, got ${stored.type}`);
    }
    return { name, dims, read: () => floatsOf(stored) };
  }

  /** As `take`, of a head: a new model may draw it. A bias is 0 then. */
  takeHead(name: string, dims: readonly number[]): CheckpointWeight {
    const { fresh } = this.#options;
    const stored = this.#find(name);
    if (fresh === undefined || (stored !== undefined && same(stored.dims, dims))) return this.take(name, dims);
    if (stored !== undefined) this.#taken.add(stored.name);
    this.#heads.push(name);
    return { name, dims, read: () => randomWeight(name, dims, fresh) };
  }

  /** Rejects remaining tensors, except those of other tasks. `unused`: names of parts that are ignored. */
  finish(unused: readonly string[]): void {
    const left = [...this.#stored.values()].filter(({ name }) => !this.#taken.has(name));
    const odd = [...this.#stored]
      .filter(([, tensor]) => left.includes(tensor))
      .map(([key]) => key)
      .filter((key) => !BUFFERS.test(key) && !OTHER_HEADS.test(key) && !unused.some((part) => this.#below(key, part)));
    if (odd.length === 0) return;
    const more = odd.length > 5 ? ` and ${odd.length - 5} more` : '';
    const named = odd.slice(0, 5).map((key) => `"${key}" [${this.#stored.get(key)?.dims.join(', ')}]`);
    throw this.#error(`the tensors of this architecture alone, got besides them ${named.join(', ')}${more}`);
  }

  #below(key: string, part: string): boolean {
    const short = part.startsWith(`${this.#options.prefix}.`) ? part.slice(this.#options.prefix.length + 1) : part;
    return [part, short].some((name) => key === name || key.startsWith(`${name}.`));
  }

  #find(name: string): StoredTensor | undefined {
    const prefix = `${this.#options.prefix}.`;
    return (
      this.#stored.get(name) ?? (name.startsWith(prefix) ? this.#stored.get(name.slice(prefix.length)) : undefined)
    );
  }

  #missing(name: string, dims: readonly number[]): ModelError {
    return this.#error(`a tensor "${name}" of shape [${dims.join(', ')}], got none`);
  }

  #misshapen(name: string, dims: readonly number[], stored: StoredTensor): ModelError {
    return this.#error(`the tensor "${name}" of shape [${dims.join(', ')}], got [${stored.dims.join(', ')}]`);
  }

  #error(expected: string): ModelError {
    return new ModelError(`${this.#options.path}: expected ${expected}`, {
      code: 'CHECKPOINT_MISMATCH',
      hint: 'config.json and the weights must be those of one model: fetch both again.',
    });
  }
}

/** The tensors by the names of today: without wrappers, `weight` and `bias` for the `gamma` and `beta` of early checkpoints. */
function byName(tensors: readonly StoredTensor[], { prefix, path }: WeightsOptions): ReadonlyMap<string, StoredTensor> {
  let names = tensors.map(({ name }) => name);
  for (const wrapper of WRAPPERS) {
    const own = prefix === wrapper.slice(0, -1);
    if (!own && names.length > 0 && names.every((name) => name.startsWith(wrapper))) {
      names = names.map((name) => name.slice(wrapper.length));
    }
  }
  const stored = new Map<string, StoredTensor>();
  for (const [at, tensor] of tensors.entries()) {
    const name = names[at]!.replace(/\.gamma$/, '.weight').replace(/\.beta$/, '.bias');
    if (stored.has(name)) throw damaged(path, `two tensors for "${name}"`);
    stored.set(name, tensor);
  }
  return stored;
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

/** The numbers of a tensor, row by row, at single precision. */
function floatsOf(tensor: StoredTensor): Float32Array {
  const { file, offset, bytes, type, dims, strides } = tensor;
  const raw = withFile(file, (handle, size) => {
    if (offset + bytes > size) throw damaged(file, 'a file that ends too early');
    return bytesAt(handle, file, offset, bytes);
  });
  const count = bytes / WIDTHS[type]!;
  const stored = widened(raw, type, count);
  return strides === undefined ? stored : inRows(stored, dims, strides);
}

function widened(raw: Buffer, type: string, count: number): Float32Array {
  const { buffer, byteOffset } = raw;
  if (type === 'F16') return halvesToFloats(new Uint16Array(buffer, byteOffset, count));
  if (type === 'BF16') return bfloatsToFloats(new Uint16Array(buffer, byteOffset, count));
  if (type === 'F64') return new Float32Array(new Float64Array(buffer, byteOffset, count));
  return new Float32Array(buffer, byteOffset, count);
}

function inRows(stored: Float32Array, dims: readonly number[], strides: readonly number[]): Float32Array {
  const values = new Float32Array(sizeOf(dims));
  const at = dims.map(() => 0);
  for (let i = 0; i < values.length; i++) {
    values[i] = stored[at.reduce((sum, index, axis) => sum + index * strides[axis]!, 0)]!;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      at[axis] = at[axis]! + 1;
      if (at[axis]! < dims[axis]!) break;
      at[axis] = 0;
    }
  }
  return values;
}

/** A new weight: normal, from a stream of its own; zeros for a bias, ones for the weight of a norm. */
function randomWeight(
  name: string,
  dims: readonly number[],
  { random, deviation }: NonNullable<WeightsOptions['fresh']>,
): Float32Array {
  const values = new Float32Array(sizeOf(dims));
  if (name.endsWith('bias')) return values;
  if (dims.length === 1) return values.fill(1);
  const stream = random.split(name);
  for (let i = 0; i < values.length; i++) values[i] = stream.normal() * deviation;
  return values;
}
