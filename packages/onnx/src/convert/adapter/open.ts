/**
 * @file Adapters of PEFT, merged into the weights of their base as these are read: LoRA (Hu et al., ICLR 2022), rsLoRA (Kalajdzievski
 * 2023), DoRA (Liu et al., ICML 2024), and layers that were trained and saved whole.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { must, OnnxError } from '../../errors.js';
import { isObject, type JsonObject } from '../../json.js';
import { floatsOf } from '../checkpoint/floats.js';
import { safetensorsHeader } from '../checkpoint/safetensors.js';
import type { StoredTensor } from '../checkpoint/stored-tensor.js';
import { torchTensors } from '../checkpoint/torch-file.js';
import { type AdapterConfig, readAdapterConfig } from './config.js';

const FILES = ['adapter_model.safetensors', 'adapter_model.bin'];
/** The file of an adapter's weights, if there is one. `has` says whether a file is there. */
export const adapterFileOf = (has: (name: string) => boolean): string | undefined => FILES.find(has);

/** The role of a tensor in a module: what follows the module's name. */
const ROLES = /\.(lora_(?:embedding_)?[AB]|lora_magnitude_vector)(?:\.weight)?$|\.(lora_B\.bias)$/;
/** The last layer of a classifier: its rows are the labels. */
const HEADS = /^(classifier|score|classifier\.out_proj|classification_head\.out_proj|logits_proj)\.weight$/;
const TABLES = /(^|\.)(word_embeddings|embed_tokens|wte|shared|word_embedding)\.weight$/;

type ModuleTensors = Map<string, StoredTensor>;

export class PeftAdapter {
  readonly config: AdapterConfig;
  /** Every file that was read, absolute. */
  readonly files: readonly string[];
  readonly #path: string;
  /** Trained whole, by the names of the model's tensors. */
  readonly #saved = new Map<string, StoredTensor>();
  /** Module -> role -> tensor. */
  readonly #modules = new Map<string, ModuleTensors>();
  readonly #used = new Set<string>();

  /** Throws OnnxError where the folder has no adapter that can be merged. */
  constructor(folder: string) {
    this.config = readAdapterConfig(folder);
    const file = adapterFileOf((name) => existsSync(join(folder, name)));
    if (file === undefined) throw this.#refuse(`${folder}: expected ${FILES.join(' or ')}, found neither`);
    this.#path = join(folder, file);
    this.files = [this.config.path, this.#path];
    const tensors = file.endsWith('.bin') ? torchTensors(this.#path) : safetensorsHeader(this.#path);
    for (const tensor of tensors) this.#sort(tensor);
  }

  /** The tensor in place of the base's. */
  saved(name: string): StoredTensor | undefined {
    const found = this.#saved.get(name);
    if (found !== undefined) this.#used.add(name);
    return found;
  }

  /**
   * The weight `name` of shape `dims` with its update; the values as they are where the module was not trained. `columns`: stored
   * [inputs, outputs]. Throws OnnxError for another shape.
   */
  merged(
    name: string,
    dims: readonly number[],
    columns: boolean,
  ): ((values: Float32Array) => Float32Array) | undefined {
    const module = name.replace(/\.(weight|bias)$/, '');
    const parts = this.#modules.get(module);
    if (parts === undefined) return undefined;
    this.#used.add(name);
    if (name.endsWith('.bias')) return this.#mergedBias(module, parts, dims);
    const table = parts.get('lora_embedding_A') !== undefined;
    const [down, up] = table
      ? [parts.get('lora_embedding_A'), parts.get('lora_embedding_B')]
      : [parts.get('lora_A'), parts.get('lora_B')];
    const turned = table || columns;
    const [rows, width] = turned ? [must(dims[1]), must(dims[0])] : [must(dims[0]), must(dims[1])];
    const { rank, factor } = this.config.scaling(module);
    if (dims.length !== 2) throw this.#refuse(`expected a matrix for "${module}", got the shape [${dims.join(', ')}]`);
    this.#check(`${module}.lora_A`, down, [rank, width]);
    this.#check(`${module}.lora_B`, up, [rows, rank]);
    const magnitude = parts.get('lora_magnitude_vector');
    if (this.config.dora !== (magnitude !== undefined) || (table && magnitude !== undefined))
      throw this.#refuse(
        `expected a magnitude vector for "${module}" if, and only if, use_dora is true, and none for tables`,
      );
    if (magnitude !== undefined) this.#check(`${module}.lora_magnitude_vector`, magnitude, [rows]);
    return (values) => {
      const sum = added(values, { a: floatsOf(must(down)), b: floatsOf(must(up)), rows, width, rank, factor, turned });
      return magnitude === undefined ? sum : withNorms(sum, floatsOf(magnitude), { rows, width, turned });
    };
  }

  /** Refuses what no tensor of the base took. Throws OnnxError. */
  finish(): void {
    const modules = [...this.#modules].flatMap(([module, parts]) => [
      ...(parts.has('lora_A') || parts.has('lora_embedding_A') ? [`${module}.weight`] : []),
      ...(parts.has('lora_B.bias') ? [`${module}.bias`] : []),
    ]);
    const left = [...modules, ...this.#saved.keys()].filter((name) => !this.#used.has(name));
    if (left.length === 0) return;
    throw this.#refuse(
      `expected an adapter of this base model alone, got one for ${left.slice(0, 5).join(', ')}${left.length > 5 ? ` and ${left.length - 5} more` : ''}`,
    );
  }

  /** The base's config as the adapted classifier's; `own` is a config.json beside the adapter. */
  configOf(base: JsonObject, own: JsonObject = {}): JsonObject {
    const head = [...this.#saved].find(([name]) => HEADS.test(name))?.[1].dims[0];
    const table = [...this.#saved].find(([name]) => TABLES.test(name))?.[1].dims[0];
    const { architecture, classifies } = this.config;
    const first = Array.isArray(base.architectures) ? base.architectures[0] : undefined;
    const named = architecture ?? (classifies && typeof first === 'string' ? classOf(first) : first);
    const labels = [own, base]
      .map(({ id2label }) => id2label)
      .find((each) => isObject(each) && Object.keys(each).length === head);
    const given = isObject(labels)
      ? labels
      : head && Object.fromEntries(Array.from({ length: head }, (_, at) => [at, `LABEL_${at}`]));
    const { id2label: _, num_labels: __, ...rest } = base;
    return {
      ...rest,
      ...(head === undefined && base.id2label !== undefined && { id2label: base.id2label }),
      ...(head === undefined && base.num_labels !== undefined && { num_labels: base.num_labels }),
      ...(given && { id2label: given }),
      ...(typeof own.problem_type === 'string' && { problem_type: own.problem_type }),
      ...(Number.isInteger(own.pad_token_id) && { pad_token_id: own.pad_token_id }),
      ...(table !== undefined && { vocab_size: table }),
      ...(typeof named === 'string' && { architectures: [named] }),
    };
  }

  #mergedBias(module: string, parts: ModuleTensors, dims: readonly number[]) {
    const bias = parts.get('lora_B.bias');
    if (bias === undefined) return undefined;
    this.#check(`${module}.lora_B.bias`, bias, dims);
    const { factor } = this.config.scaling(module);
    return (values: Float32Array) => {
      const more = floatsOf(bias);
      return values.map((value, at) => value + factor * more[at]!);
    };
  }

  #sort(tensor: StoredTensor): void {
    // The names of an adapter ("default") are left out when it is saved, but not by every tool.
    const name = tensor.name
      .replace(/^base_model\.model\./, '')
      .replace(/\.base_layer\.(weight|bias)$/, '.$1')
      .replace(/\.modules_to_save\.(?:default\.)?/, '.')
      .replace(/(lora_\w+)\.default(\.|$)/, '$1$2');
    // A copy of what was trained whole, from before.
    if (name.includes('.original_module.')) return;
    const role = ROLES.exec(name);
    if (role === null) {
      if (/lora|ia3|_adapter|token_adapter|prompt|hada|oft|vera|ranknum/.test(name))
        throw this.#refuse(`expected LoRA's tensors, got "${tensor.name}"`);
      this.#saved.set(name, tensor);
      return;
    }
    const module = name.slice(0, role.index);
    const parts = this.#modules.get(module) ?? new Map<string, StoredTensor>();
    parts.set(must(role[1] ?? role[2]), tensor);
    this.#modules.set(module, parts);
  }

  #check(name: string, tensor: StoredTensor | undefined, dims: readonly number[]): void {
    const same = tensor?.dims.length === dims.length && tensor.dims.every((size, axis) => size === dims[axis]);
    if (!same)
      throw this.#refuse(
        `expected "${name}" of shape [${dims.join(', ')}], got ${tensor === undefined ? 'none' : `[${tensor.dims.join(', ')}]`}`,
      );
    if (!['F32', 'F16', 'BF16', 'F64'].includes(tensor.type))
      throw this.#refuse(`expected "${name}" of F32, F16, BF16 or F64, got ${tensor.type}`);
  }

  #refuse(message: string): OnnxError {
    return new OnnxError(this.#path === undefined ? message : `${this.#path}: ${message}`, {
      code: 'ADAPTER_MISMATCH',
      hint: 'The adapter and its base model must belong together: compare base_model_name_or_path in adapter_config.json.',
    });
  }
}

const classOf = (name: string): string =>
  name.replace(/(Model|For[A-Z]\w*|LMHeadModel)?$/, 'ForSequenceClassification');

interface Sizes {
  readonly rows: number;
  readonly width: number;
  /** The weight is stored [width, rows]. */
  readonly turned: boolean;
}

/** W + factor B A, with B [rows, rank] and A [rank, width]. */
function added(
  values: Float32Array,
  {
    a,
    b,
    rows,
    width,
    rank,
    factor,
    turned,
  }: Sizes & { readonly a: Float32Array; readonly b: Float32Array; readonly rank: number; readonly factor: number },
): Float32Array {
  const sum = new Float32Array(values.length);
  const line = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    line.fill(0);
    for (let k = 0; k < rank; k++) {
      const weight = b[row * rank + k]!;
      for (let column = 0; column < width; column++) line[column]! += weight * a[k * width + column]!;
    }
    for (let column = 0; column < width; column++) {
      const at = turned ? column * rows + row : row * width + column;
      sum[at] = values[at]! + factor * line[column]!;
    }
  }
  return sum;
}

/** Each output's weights scaled to the length that was learnt for them. */
function withNorms(sum: Float32Array, lengths: Float32Array, { rows, width, turned }: Sizes): Float32Array {
  for (let row = 0; row < rows; row++) {
    const place = (column: number) => (turned ? column * rows + row : row * width + column);
    let square = 0;
    for (let column = 0; column < width; column++) square += sum[place(column)]! ** 2;
    const scale = lengths[row]! / Math.sqrt(square);
    for (let column = 0; column < width; column++) sum[place(column)]! *= scale;
  }
  return sum;
}
