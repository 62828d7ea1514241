/**
 * @file Tokenised examples on disk. Training data may be larger than memory: what stays in memory is 16 bytes an
 * example (offset, length, label) and, where it has any number of labels, a byte for each label, or its number; the token
 * ids are read back batch by batch.
 */

import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { closingOnError } from '../core/closing-stack.js';
import type { Dataset } from '../core/dataset.js';
import { trueLabels } from '../core/decision.js';
import { DatasetError, OutputError } from '../core/errors.js';
import { askedParts, askedText } from '../core/pair.js';

/** Texts to token ids, special tokens included, cut to what the model takes. */
export interface TextEncoder {
  /** Most ids of a text. */
  readonly maximum: number;
  /** `second`: the other text of a pair. `types`: of the tokens; of all texts of an encoder or of none. */
  encode(
    text: string,
    second?: string,
  ): { readonly ids: Int32Array; readonly types?: Int32Array; readonly truncated: boolean };
  /** Words that it knows as one piece. @default none */
  words?(): readonly string[];
}

/** Bytes gathered before they are written. */
const CHUNK_BYTES = 1 << 20;

export class ExampleStore {
  /** Tokens of each example. */
  readonly lengths: Uint32Array;
  /** Label index of each example; of several true ones the first, 0 where none is true. */
  readonly labels: Uint32Array;
  /** The number of each example, of data with numbers. */
  readonly values: Float32Array | undefined;
  /** Examples of each class, or that have each label. */
  readonly classes: readonly number[];
  /** Texts that lost their end. */
  readonly truncated: number;
  /** Of the tokens and labels: what a resumed training compares. */
  readonly sha256: string;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #offsets: Float64Array;
  readonly #typed: boolean;
  readonly #sets: Uint8Array | undefined;

  private constructor(file: FileHandle, path: string, parts: StoreParts) {
    this.#file = file;
    this.#path = path;
    this.#offsets = parts.offsets;
    this.#typed = parts.typed;
    this.#sets = parts.sets;
    this.lengths = parts.lengths;
    this.labels = parts.labels;
    this.values = parts.values;
    this.classes = parts.classes;
    this.truncated = parts.truncated;
    this.sha256 = parts.sha256;
  }

  get size(): number {
    return this.labels.length;
  }

  /**
   * Tokenises a data set into `path`, which is overwritten. Throws DatasetError for labels that `labelCount` does not
   * cover and for an empty data set, OutputError where the file cannot be written.
   */
  static async create(data: Dataset, path: string, labelCount: number, encoder: TextEncoder): Promise<ExampleStore> {
    const file = await open(path, 'w+').catch((cause) => {
      throw unwritable(path, cause);
    });
    const discard = async () => {
      await file.close();
      await rm(path, { force: true });
    };
    return closingOnError({ close: discard }, async () => {
      return new ExampleStore(file, path, await fill(file, path, data, labelCount, encoder));
    });
  }

  /** The token ids of one example. Synchronous: a batch needs dozens, each a few microseconds from the page cache. */
  tokens(index: number): Int32Array {
    return this.#read(index, 0);
  }

  /** The token types of one example; undefined where all are 0. */
  types(index: number): Int32Array | undefined {
    return this.#typed ? this.#read(index, 4 * (this.lengths[index] as number)) : undefined;
  }

  /** What is true of one example: its label; all its labels, ascending, of data with any number a text. */
  truth(index: number): number | number[] {
    if (this.#sets === undefined) return this.labels[index] as number;
    const { length } = this.classes;
    const row = this.#sets.subarray(index * length, (index + 1) * length);
    return [...row.keys()].filter((label) => row[label] === 1);
  }

  #read(index: number, offset: number): Int32Array {
    const values = new Int32Array(this.lengths[index] as number);
    const from = (this.#offsets[index] as number) + offset;
    readSync(this.#file.fd, new Uint8Array(values.buffer), 0, values.byteLength, from);
    return values;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** Closes it and deletes its file. */
  async remove(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }
}

interface StoreParts {
  /** Behind the ids of each example stand its types. */
  readonly typed: boolean;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly labels: Uint32Array;
  readonly classes: readonly number[];
  /** Whether each label holds for each example, row-major [examples, labels]; absent where each has one label. */
  readonly sets?: Uint8Array;
  /** Absent where examples have labels. */
  readonly values?: Float32Array;
  readonly truncated: number;
  readonly sha256: string;
}

async function fill(
  file: FileHandle,
  path: string,
  data: Dataset,
  labelCount: number,
  encoder: TextEncoder,
): Promise<StoreParts> {
  let capacity = 1024;
  let lengths = new Uint32Array(capacity);
  let labels = new Uint32Array(capacity);
  let sets: Uint8Array<ArrayBuffer> | undefined;
  const classes = new Array<number>(labelCount).fill(0);
  const hash = createHash('sha256');
  const values: number[] = [];
  let count = 0;
  let truncated = 0;
  let typed = false;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  const flush = async () => {
    const bytes = Buffer.concat(pending);
    hash.update(bytes);
    await file.writeFile(bytes).catch((cause) => {
      throw unwritable(path, cause);
    });
    pending = [];
    pendingBytes = 0;
  };

  for await (const example of data.examples()) {
    const { id, label } = example;
    const trues = trueLabels(example);
    const known = (each: number) => Number.isInteger(each) && each >= 0 && each < labelCount;
    if (!(trues.every(known) && (example.labels || known(label)))) {
      throw new DatasetError(
        `${data.name}: example ${id}: expected a label from 0 to ${labelCount - 1}, got ${label}`,
        {
          code: 'LABEL_OUT_OF_RANGE',
          hint: 'The model has no output for that label: train a model with more labels, or map the labels.',
        },
      );
    }
    if (count === capacity) {
      capacity *= 2;
      lengths = grown(lengths, capacity);
      labels = grown(labels, capacity);
      if (sets) sets = grownBytes(sets, capacity * labelCount);
    }
    const [text, second] = askedParts(askedText(example.text, example));
    const { ids, types, truncated: cut } = encoder.encode(text, second);
    if (count === 0) typed = types !== undefined;
    if (cut) truncated++;
    lengths[count] = ids.length;
    if (count === 0 && example.labels) sets = new Uint8Array(capacity * labelCount);
    labels[count] = Math.max(0, label);
    if (example.value !== undefined) values.push(example.value);
    for (const each of trues) {
      classes[each] = (classes[each] as number) + 1;
      if (sets) sets[count * labelCount + each] = 1;
    }
    count++;
    for (const written of typed ? [ids, types ?? new Int32Array(ids.length)] : [ids]) {
      pending.push(new Uint8Array(written.buffer, written.byteOffset, written.byteLength));
      pendingBytes += written.byteLength;
    }
    if (pendingBytes >= CHUNK_BYTES) await flush();
  }
  await flush();
  if (count === 0) {
    throw new DatasetError(`${data.name}: expected labelled texts, got none`, {
      code: 'DATASET_EMPTY',
      hint: 'Name a file with at least one row below its header.',
    });
  }
  lengths = lengths.slice(0, count);
  labels = labels.slice(0, count);
  const offsets = new Float64Array(count);
  for (let at = 1; at < count; at++)
    offsets[at] = (offsets[at - 1] as number) + (typed ? 8 : 4) * (lengths[at - 1] as number);
  hash.update(new Uint8Array(labels.buffer));
  const held = sets?.slice(0, count * labelCount);
  if (held) hash.update(held);
  const numbers = values.length > 0 ? Float32Array.from(values) : undefined;
  if (numbers) hash.update(new Uint8Array(numbers.buffer));
  return {
    ...{ typed, offsets, lengths, labels, classes, truncated },
    ...(held && { sets: held }),
    ...(numbers && { values: numbers }),
    sha256: hash.digest('hex'),
  };
}

function grown(array: Uint32Array<ArrayBuffer>, capacity: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(capacity);
  larger.set(array);
  return larger;
}

function grownBytes(array: Uint8Array, capacity: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(capacity);
  larger.set(array);
  return larger;
}

const unwritable = (path: string, cause: unknown): OutputError =>
  new OutputError(`${path}: could not write the tokenised examples: ${(cause as Error).message}`, {
    code: 'OUTPUT_WRITE',
    hint: 'Free some space or name another output folder.',
    cause,
  });
