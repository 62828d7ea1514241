/**
 * @file The tensors of a checkpoint by the names its architecture gives them. Older names are mapped; what is missing, left over or
 * of another shape is refused, since a graph without it would answer something else.
 */
import { must, OnnxError } from '../errors.js';
import type { PeftAdapter } from './adapter/open.js';
import { floatsOf } from './checkpoint/floats.js';
import { damaged, type StoredTensor, sizeOf } from './checkpoint/stored-tensor.js';

/** A stream of random numbers. */
export interface Random {
  /** A standard normal number. */
  normal(): number;
  /** An independent stream named by `label`; this one does not advance. */
  split(label: string): Random;
}

export interface WeightsOptions {
  /** The checkpoint, for errors. */
  readonly path: string;
  /** Prefix of the base model's names in a classifier, absent in the base model's checkpoint: "bert". */
  readonly prefix: string;
  /** Heads that are not there are drawn from this, with the standard deviation that the config names. */
  readonly fresh?: { readonly random: Random; readonly deviation: number };
  /** Merged into what is read. */
  readonly adapter?: PeftAdapter | undefined;
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
    return (this.#find(name) ?? this.#fromAdapter((adapter, key) => adapter.saved(key), name)) !== undefined;
  }

  /** The weight of this shape; `columns`: a matrix stored [inputs, outputs]. Throws OnnxError where it is missing or has another shape. */
  take(name: string, dims: readonly number[], columns = false): CheckpointWeight {
    const base = this.#find(name);
    if (base !== undefined) this.#taken.add(base.name);
    const stored = this.#fromAdapter((adapter, key) => adapter.saved(key), name) ?? base;
    if (stored === undefined) throw this.#missing(name, dims);
    if (!same(stored.dims, dims)) throw this.#misshapen(name, dims, stored);
    if (!['F32', 'F16', 'BF16', 'F64'].includes(stored.type)) {
      throw this.#error(`the tensor "${name}" to be of F32, F16, BF16 or F64, got ${stored.type}`);
    }
    const merge = this.#fromAdapter((adapter, key) => adapter.merged(key, dims, columns), name);
    return { name, dims, read: () => (merge === undefined ? floatsOf(stored) : merge(floatsOf(stored))) };
  }

  /** As `take`, of a head: a new model may draw it. A bias is 0 then. */
  takeHead(name: string, dims: readonly number[], columns = false): CheckpointWeight {
    const { fresh } = this.#options;
    const stored = this.#find(name);
    if (fresh === undefined || (stored !== undefined && same(stored.dims, dims))) return this.take(name, dims, columns);
    if (stored !== undefined) this.#taken.add(stored.name);
    this.#heads.push(name);
    return { name, dims, read: () => randomWeight(name, dims, fresh) };
  }

  /** Rejects remaining tensors, except those of other tasks. `unused`: names of parts that are ignored. */
  finish(unused: readonly string[]): void {
    this.#options.adapter?.finish();
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

  /** Looks a name up in the adapter, with and without the prefix of the base model. */
  #fromAdapter<T>(find: (adapter: PeftAdapter, key: string) => T | undefined, name: string): T | undefined {
    const { adapter, prefix } = this.#options;
    if (adapter === undefined) return undefined;
    const short = name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name;
    return find(adapter, name) ?? (short === name ? undefined : find(adapter, short));
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

  #missing(name: string, dims: readonly number[]): OnnxError {
    return this.#error(`a tensor "${name}" of shape [${dims.join(', ')}], got none`);
  }

  #misshapen(name: string, dims: readonly number[], stored: StoredTensor): OnnxError {
    return this.#error(`the tensor "${name}" of shape [${dims.join(', ')}], got [${stored.dims.join(', ')}]`);
  }

  #error(expected: string): OnnxError {
    return new OnnxError(`${this.#options.path}: expected ${expected}`, {
      code: 'MODEL_DAMAGED',
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
    const name = must(names[at])
      .replace(/\.gamma$/, '.weight')
      .replace(/\.beta$/, '.bias');
    if (stored.has(name)) throw damaged(path, `two tensors for "${name}"`);
    stored.set(name, tensor);
  }
  return stored;
}

const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((size, axis) => size === b[axis]);

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
