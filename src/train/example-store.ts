/** @file Tokenised examples: four bytes of a token, and of an example its length, its label, and its number or a byte for each label if it has several. */
import { createHash } from 'node:crypto';
import type { Dataset, Example } from '../core/dataset.js';
import { trueLabels } from '../core/decision.js';
import { RobustError } from '../core/errors.js';
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
  readonly #parts: StoreParts;

  private constructor(parts: StoreParts) {
    this.#parts = parts;
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

  /** Tokenises a data set. `tagger`: for examples with tags. Throws RobustError for labels that `labelCount` does not cover and for an empty data set. */
  static async create(data: Dataset, labelCount: number, encoder: TextEncoder, tagger?: Tagger): Promise<ExampleStore> {
    return new ExampleStore(await read(data, labelCount, encoder, tagger));
  }

  /** The token ids of one example. */
  tokens(index: number): Int32Array {
    return this.#of(this.#parts.tokens, index);
  }

  /** The token types of one example; undefined where all are 0. */
  types(index: number): Int32Array | undefined {
    const { types } = this.#parts;
    return types && this.#of(types, index);
  }

  /** The tag of each token of one example; undefined where texts have labels. */
  tags(index: number): Int32Array | undefined {
    const { tags } = this.#parts;
    return tags && this.#of(tags, index);
  }

  /** Truth of one example: its label, or all its labels, ascending, for data with any number of labels per text. */
  truth(index: number): number | number[] {
    const { sets } = this.#parts;
    if (sets === undefined) return this.labels[index]!;
    const { length } = this.classes;
    const row = sets.subarray(index * length, (index + 1) * length);
    return [...row.keys()].filter((label) => row[label] === 1);
  }

  #of(values: Int32Array, index: number): Int32Array {
    const from = this.#parts.offsets[index]!;
    return values.subarray(from, from + this.lengths[index]!);
  }
}

interface StoreParts {
  /** The ids of all examples, one after the other. */
  readonly tokens: Int32Array;
  readonly types: Int32Array | undefined;
  readonly tags: Int32Array | undefined;
  /** Where each example begins in them. */
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

async function read(
  data: Dataset,
  labelCount: number,
  encoder: TextEncoder,
  tagger: Tagger | undefined,
): Promise<StoreParts> {
  const columns = new Columns(tagger?.count ?? labelCount);
  let truncated = 0;
  for await (const example of data.examples()) {
    const { kept, trues, tags, text, second } = tagger
      ? taggedRow(example, tagger)
      : labelledRow(example, labelCount, data.name);
    const { ids, types, truncated: cut } = encoder.encode(text, second);
    truncated += Number(cut);
    columns.add(kept, trues, { ids, types, tags });
  }
  if (columns.size === 0)
    throw new RobustError(`${data.name}: expected labelled texts, got none`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'Name a file with at least one row below its header.',
    });
  const trimmed = columns.trim();
  const { tokens, types, tags, lengths, labels, sets, values } = trimmed;
  const hash = createHash('sha256');
  for (const column of [tokens, types, tags, lengths, labels, sets, values]) {
    if (column) hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  }
  return { ...trimmed, truncated, sha256: hash.digest('hex'), offsets: offsetsOf(lengths) };
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

/** What the tokens of an example are. */
interface TokenRows {
  readonly ids: Int32Array;
  readonly types: Int32Array | undefined;
  readonly tags: Int32Array | undefined;
}

class Columns {
  readonly #tokens = new TypedList(Int32Array);
  readonly #types = new TypedList(Int32Array);
  readonly #tags = new TypedList(Int32Array);
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

  add({ label, labels, value }: Example, trues: readonly number[], { ids, types, tags }: TokenRows): void {
    this.#lengths.push(ids.length);
    for (const id of ids) this.#tokens.push(id);
    for (const type of types ?? []) this.#types.push(type);
    for (const tag of tags ?? []) this.#tags.push(tag);
    this.#labels.push(Math.max(0, label));
    if (value !== undefined) this.#values.push(value);
    if (labels) for (const each of this.#classes.keys()) this.#sets.push(Number(trues.includes(each)));
    for (const each of trues) this.#classes[each] = this.#classes[each]! + 1;
  }

  trim() {
    return {
      tokens: this.#tokens.trim(),
      types: this.#types.trimmed(),
      tags: this.#tags.trimmed(),
      lengths: this.#lengths.trim(),
      labels: this.#labels.trim(),
      sets: this.#sets.trimmed(),
      values: this.#values.trimmed(),
      classes: this.#classes,
    };
  }
}

/** The labels of an example. Throws RobustError for labels that the model has no output for. */
function checkedLabels(example: Example, labelCount: number, name: string): readonly number[] {
  const trues = trueLabels(example);
  const known = (label: number) => Number.isInteger(label) && label >= 0 && label < labelCount;
  if (trues.every(known) && (example.labels || known(example.label))) return trues;
  throw new RobustError(
    `${name}: example ${example.id}: expected a label from 0 to ${labelCount - 1}, got ${example.label}`,
    {
      code: 'LABEL_NOT_FOUND',
      hint: 'The model has no output for that label: train a model with more labels, or map the labels.',
    },
  );
}

/** Where each example begins. */
function offsetsOf(lengths: Uint32Array): Float64Array {
  const offsets = new Float64Array(lengths.length);
  for (let at = 1; at < lengths.length; at++) offsets[at] = offsets[at - 1]! + lengths[at - 1]!;
  return offsets;
}

type Numbers = Int32Array | Uint32Array | Uint8Array | Float32Array;

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

  /** Undefined without values. */
  trimmed(): A | undefined {
    return this.length === 0 ? undefined : this.trim();
  }
}
