/**
 * @file Tokenised examples on disk. Training data may be larger than memory: 16 bytes of an example stay in memory (offset, length, label), and its number
 * or a byte for each label if it has several. The token ids are read back batch by batch.
 */
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { closingOnError } from '../core/closing-stack.js';
import type { Dataset, Example } from '../core/dataset.js';
import { trueLabels } from '../core/decision.js';
import { DatasetError, messageOf, OutputError } from '../core/errors.js';
import { queryParts, queryText } from '../core/pair.js';
import type { Encoder } from '../model/tokens/encoder.js';
import { NOT_LEARNT } from './tag-targets.js';

/** Texts to token ids, special tokens included, cut to what the model takes. */
export interface TextEncoder {
  /** Most ids of a text. */
  readonly maximum: number;
  /** `second`: the other text of a pair. `types`: token types, for every text of an encoder or for no text. */
  encode(
    text: string,
    second?: string,
  ): { readonly ids: Int32Array; readonly types?: Int32Array | undefined; readonly truncated: boolean };
  /** Words that it knows as one piece. @default none */
  words?(): readonly string[];
  /** For texts with tags: its ids with their places, and whether one continues a word. */
  readonly tokens?: Encoder['tokens'];
  readonly continues?: Encoder['continues'];
}

/** Tags of examples, for data with entities. */
export interface Tagger {
  /** Number of tags. */
  readonly count: number;
  /** The tag of each token: see `tagTargets`. */
  of(example: Example): Int32Array;
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
  /** Examples of each class, or that have each label; of examples with tags the tokens of each tag. */
  readonly classes: readonly number[];
  /** Texts that lost their end. */
  readonly truncated: number;
  /** Hash of the tokens and labels, which a resumed training compares. */
  readonly sha256: string;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #offsets: Float64Array;
  readonly #typed: boolean;
  readonly #tagged: boolean;
  readonly #sets: Uint8Array | undefined;

  private constructor(file: FileHandle, path: string, parts: StoreParts) {
    this.#file = file;
    this.#path = path;
    this.#offsets = parts.offsets;
    this.#typed = parts.typed;
    this.#tagged = parts.tagged;
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
   * Tokenises a data set into `path`, which is overwritten. `tagger`: for examples with tags. Throws DatasetError for labels that `labelCount` does not
   * cover and for an empty data set, OutputError where the file cannot be written.
   */
  static async create(
    data: Dataset,
    path: string,
    labelCount: number,
    encoder: TextEncoder,
    tagger?: Tagger,
  ): Promise<ExampleStore> {
    const file = await open(path, 'w+').catch((cause) => {
      throw unwritable(path, cause);
    });
    const discard = async () => {
      await file.close();
      await rm(path, { force: true });
    };
    return closingOnError({ close: discard }, async () => {
      return new ExampleStore(file, path, await fill(file, path, data, labelCount, encoder, tagger));
    });
  }

  /** The token ids of one example. Synchronous: a batch needs dozens, each a few microseconds from the page cache. */
  tokens(index: number): Int32Array {
    return this.#read(index, 0);
  }

  /** The token types of one example; undefined where all are 0. */
  types(index: number): Int32Array | undefined {
    return this.#typed ? this.#read(index, 4 * this.lengths[index]!) : undefined;
  }

  /** The tag of each token of one example; undefined where texts have labels. */
  tags(index: number): Int32Array | undefined {
    return this.#tagged ? this.#read(index, 4 * this.lengths[index]! * (this.#typed ? 2 : 1)) : undefined;
  }

  /** Truth of one example: its label, or all its labels, ascending, for data with any number of labels per text. */
  truth(index: number): number | number[] {
    if (this.#sets === undefined) return this.labels[index]!;
    const { length } = this.classes;
    const row = this.#sets.subarray(index * length, (index + 1) * length);
    return [...row.keys()].filter((label) => row[label] === 1);
  }

  #read(index: number, offset: number): Int32Array {
    const values = new Int32Array(this.lengths[index]!);
    const from = this.#offsets[index]! + offset;
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
  /** The ids of each example are followed by its types, */
  readonly typed: boolean;
  /** and these by the tags. */
  readonly tagged: boolean;
  readonly offsets: Float64Array;
  readonly lengths: Uint32Array;
  readonly labels: Uint32Array;
  readonly classes: readonly number[];
  /** Whether each example has each label, row-major [examples, labels]; undefined if each has one label. */
  readonly sets: Uint8Array | undefined;
  /** Undefined if examples have labels. */
  readonly values: Float32Array | undefined;
  readonly truncated: number;
  readonly sha256: string;
}

async function fill(
  file: FileHandle,
  path: string,
  data: Dataset,
  labelCount: number,
  encoder: TextEncoder,
  tagger: Tagger | undefined,
): Promise<StoreParts> {
  const columns = new Columns(tagger?.count ?? labelCount);
  const tokens = new TokenFile(file, path);
  let truncated = 0;
  let typed = false;
  for await (const example of data.examples()) {
    const { kept, trues, tags, text, second } = tagger
      ? taggedRow(example, tagger)
      : labelledRow(example, labelCount, data.name);
    const { ids, types, truncated: cut } = encoder.encode(text, second);
    if (columns.size === 0) typed = types !== undefined;
    truncated += Number(cut);
    columns.add(kept, trues, ids.length);
    await tokens.add(ids);
    if (typed) await tokens.add(types ?? new Int32Array(ids.length));
    if (tags) await tokens.add(tags);
  }
  if (columns.size === 0) {
    throw new DatasetError(`${data.name}: expected labelled texts, got none`, {
      code: 'DATASET_EMPTY',
      hint: 'Name a file with at least one row below its header.',
    });
  }
  const trimmed = columns.trim();
  const sha256 = await tokens.close([trimmed.labels, trimmed.sets, trimmed.values]);
  const tagged = tagger !== undefined;
  const numbers = 1 + Number(typed) + Number(tagged);
  return { ...trimmed, typed, tagged, truncated, sha256, offsets: offsetsOf(trimmed.lengths, 4 * numbers) };
}

/** An example as it is kept; `trues`: what counts in `classes`. */
interface StoredRow {
  readonly kept: Example;
  readonly trues: readonly number[];
  readonly tags?: Int32Array;
  readonly text: string;
  readonly second?: string | undefined;
}

function labelledRow(example: Example, labelCount: number, name: string): StoredRow {
  const trues = checkedLabels(example, labelCount, name);
  const [text, second] = queryParts(queryText(example.text, example));
  return { kept: example, trues, text, second };
}

function taggedRow(example: Example, tagger: Tagger): StoredRow {
  const tags = tagger.of(example);
  const trues = [...tags].filter((tag) => tag !== NOT_LEARNT);
  return { kept: { ...example, label: 0 }, trues, tags, text: example.text };
}

/** The part of the examples that stays in memory. */
class Columns {
  readonly #lengths = new TypedList(Uint32Array);
  readonly #labels = new TypedList(Uint32Array);
  readonly #sets = new TypedList(Uint8Array);
  readonly #values = new TypedList(Float32Array);
  readonly #classes: number[];

  constructor(labelCount: number) {
    this.#classes = new Array<number>(labelCount).fill(0);
  }

  get size(): number {
    return this.#lengths.length;
  }

  add({ label, labels, value }: Example, trues: readonly number[], length: number): void {
    this.#lengths.push(length);
    this.#labels.push(Math.max(0, label));
    if (value !== undefined) this.#values.push(value);
    if (labels) for (const each of this.#classes.keys()) this.#sets.push(Number(trues.includes(each)));
    for (const each of trues) this.#classes[each] = this.#classes[each]! + 1;
  }

  trim() {
    return {
      lengths: this.#lengths.trim(),
      labels: this.#labels.trim(),
      sets: this.#sets.length > 0 ? this.#sets.trim() : undefined,
      values: this.#values.length > 0 ? this.#values.trim() : undefined,
      classes: this.#classes,
    };
  }
}

/** The labels of an example. Throws DatasetError for labels that the model has no output for. */
function checkedLabels(example: Example, labelCount: number, name: string): readonly number[] {
  const trues = trueLabels(example);
  const known = (label: number) => Number.isInteger(label) && label >= 0 && label < labelCount;
  if (trues.every(known) && (example.labels || known(example.label))) return trues;
  throw new DatasetError(
    `${name}: example ${example.id}: expected a label from 0 to ${labelCount - 1}, got ${example.label}`,
    {
      code: 'LABEL_OUT_OF_RANGE',
      hint: 'The model has no output for that label: train a model with more labels, or map the labels.',
    },
  );
}

/** Where each example begins, in bytes. */
function offsetsOf(lengths: Uint32Array, bytes: number): Float64Array {
  const offsets = new Float64Array(lengths.length);
  for (let at = 1; at < lengths.length; at++) offsets[at] = offsets[at - 1]! + bytes * lengths[at - 1]!;
  return offsets;
}

type Numbers = Uint32Array | Uint8Array | Float32Array;

/** A typed array that grows. */
class TypedList<A extends Numbers> {
  length = 0;
  readonly #make: new (
    length: number,
  ) => A;
  #values: A;

  constructor(make: new (length: number) => A) {
    this.#make = make;
    this.#values = new make(1024);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new this.#make(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  /** The values, without spare capacity. */
  trim(): A {
    return this.#values.slice(0, this.length) as A;
  }
}

/** Appends token ids to a file in large chunks, and hashes them. */
class TokenFile {
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #pending: Uint8Array[] = [];
  #bytes = 0;

  constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  async add(tokens: Int32Array): Promise<void> {
    this.#pending.push(bytesOf(tokens));
    this.#bytes += tokens.byteLength;
    if (this.#bytes >= CHUNK_BYTES) await this.#flush();
  }

  /** Returns the hash of the tokens and of these columns. */
  async close(columns: readonly (Numbers | undefined)[]): Promise<string> {
    await this.#flush();
    for (const column of columns) if (column) this.#hash.update(bytesOf(column));
    return this.#hash.digest('hex');
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#pending);
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes).catch((cause) => {
      throw unwritable(this.#path, cause);
    });
    this.#pending = [];
    this.#bytes = 0;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Numbers | Int32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const unwritable = (path: string, cause: unknown): OutputError =>
  new OutputError(`${path}: could not write the tokenised examples: ${messageOf(cause)}`, {
    code: 'OUTPUT_WRITE',
    hint: 'Free some space or name another output folder.',
    cause,
  });
