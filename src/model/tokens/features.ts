/**
 * @file Texts as rows of numbers, one a term: counts, TF-IDF weights or hashed terms, by scikit-learn's definitions. A row is kept
 * as the pairs of its columns and numbers, since nearly all of it is 0.
 */
import { join } from 'node:path';
import { ModelError, messageOf } from '../../core/errors.js';
import { readJsonArray, readJsonObject } from '../opening/json-file.js';
import type { FeatureSpec, HashingSpec, TfidfSpec } from '../opening/manifest.js';
import type { Encoder } from './encoder.js';
import { murmur3 } from './hashes.js';
import { analyser } from './terms.js';

/** Column -> number. A 0 may be among them: terms that cancelled each other. */
type FeatureRow = Map<number, number>;

/** Throws ModelError where vocabulary, weights or pattern cannot be used. */
export async function featureEncoder(folder: string, spec: FeatureSpec): Promise<Encoder> {
  const manifest = join(folder, 'robust.json');
  const terms = analyserOf(spec, manifest);
  if (spec.ngrams[0] > spec.ngrams[1])
    throw invalid(manifest, `input.ngrams: expected [least, most], got [${spec.ngrams}]`);
  if (spec.kind === 'hashing') {
    const columnOf = hashing(spec);
    const row = (text: string) => normed(countFeatures(terms(text), columnOf, spec.binary), spec.norm);
    return encoder(spec.kind, spec.buckets, [], row);
  }
  const vocabulary = await readColumns(join(folder, spec.vocabulary));
  const idf =
    spec.kind === 'tfidf' && spec.idf !== null ? await readWeights(join(folder, spec.idf), vocabulary.size) : undefined;
  const columnOf = (term: string): [number, number] | undefined => {
    const column = vocabulary.get(term);
    return column === undefined ? undefined : [column, 1];
  };
  const row = (text: string) => {
    const counts = countFeatures(terms(text), columnOf, spec.binary);
    return spec.kind === 'tfidf' ? tfidfWeighted(counts, spec, idf) : counts;
  };
  const words = [...vocabulary].sort(([, a], [, b]) => a - b).map(([term]) => term);
  return {
    ...encoder(
      spec.kind,
      vocabulary.size,
      // Pairs of words, and pieces of them, are no words.
      spec.analyzer === 'word' ? words.filter((word) => !word.includes(' ')) : [],
      row,
    ),
    // A row of zeros is all that the model sees of such a text.
    unknownShare: (text) => (terms(text).length > 0 && row(text).size === 0 ? 1 : 0),
  };
}

function encoder(
  kind: FeatureSpec['kind'],
  features: number,
  words: string[],
  row: (text: string) => FeatureRow,
): Encoder {
  return {
    kind,
    features,
    maximum: Number.POSITIVE_INFINITY,
    encode: (text) => ({ ids: pack(row(text)), truncated: false }),
    tokens: () => [],
    tokenText: () => undefined,
    words: () => words,
  };
}

/** Each pair as two 32-bit words, the column and the bits of its number in single precision, by rising columns. */
function pack(row: FeatureRow): Int32Array {
  const pairs = [...row].filter(([, value]) => value !== 0).sort(([a], [b]) => a - b);
  const words = new Int32Array(2 * pairs.length);
  const numbers = new Float32Array(words.buffer);
  pairs.forEach(([column, value], at) => {
    words[2 * at] = column;
    numbers[2 * at + 1] = value;
  });
  return words;
}

/** Writes what `packed` made into a row of zeros. */
export function unpack(words: Int32Array, row: Float32Array | Float64Array): void {
  const numbers = new Float32Array(words.buffer, words.byteOffset, words.length);
  for (let at = 0; at < words.length; at += 2) row[words[at]!] = numbers[at + 1]!;
}

function countFeatures(
  terms: readonly string[],
  columnOf: (term: string) => readonly [column: number, value: number] | undefined,
  binary: boolean,
): FeatureRow {
  const row: FeatureRow = new Map();
  for (const term of terms) {
    const place = columnOf(term);
    if (place !== undefined) row.set(place[0], (row.get(place[0]) ?? 0) + place[1]);
  }
  if (binary) for (const column of row.keys()) row.set(column, 1);
  return row;
}

/** tf or 1 + ln tf, times idf, over the norm. */
function tfidfWeighted(counts: FeatureRow, { sublinear, norm }: TfidfSpec, idf: Float64Array | undefined): FeatureRow {
  for (const [column, count] of counts) {
    counts.set(column, (sublinear ? 1 + Math.log(count) : count) * (idf?.[column] ?? 1));
  }
  return normed(counts, norm);
}

function normed(row: FeatureRow, norm: TfidfSpec['norm']): FeatureRow {
  if (norm === 'none') return row;
  const values = [...row].sort(([a], [b]) => a - b).map(([, value]) => value);
  const length =
    norm === 'l1'
      ? values.reduce((sum, x) => sum + Math.abs(x), 0)
      : Math.sqrt(values.reduce((sum, x) => sum + x * x, 0));
  if (length > 0) for (const [column, value] of row) row.set(column, value / length);
  return row;
}

function hashing({ buckets, alternateSign }: HashingSpec) {
  return (term: string): [number, number] => {
    const hash = murmur3(term);
    // As FeatureHasher does, whose |-2^31| must stay within 32 bits.
    const column = hash === -(2 ** 31) ? (2 ** 31 - 1 - (buckets - 1)) % buckets : Math.abs(hash) % buckets;
    return [column, alternateSign && hash < 0 ? -1 : 1];
  };
}

function analyserOf(spec: FeatureSpec, manifest: string): (text: string) => string[] {
  try {
    return analyser(spec);
  } catch (cause) {
    throw invalid(manifest, `input.tokenPattern: ${messageOf(cause)}`, cause);
  }
}

/** scikit-learn's vocabulary_: each column once, from 0 without a gap. */
async function readColumns(path: string): Promise<Map<string, number>> {
  const entries = Object.entries(await readJsonObject(path));
  const seen = new Set<unknown>();
  for (const [term, column] of entries) {
    const fits = Number.isInteger(column) && (column as number) >= 0 && (column as number) < entries.length;
    if (!fits || seen.has(column)) {
      const got = `${JSON.stringify(column)} for "${term}"${seen.has(column) ? ', which another term has' : ''}`;
      throw fileInvalid(path, `expected a column of its own below ${entries.length} for every term, got ${got}`);
    }
    seen.add(column);
  }
  if (entries.length === 0) throw fileInvalid(path, 'expected a column for every term, got no term');
  return new Map(entries as [string, number][]);
}

async function readWeights(path: string, columns: number): Promise<Float64Array> {
  const values = await readJsonArray(path);
  const wrong = values.findIndex((value) => typeof value !== 'number');
  if (wrong >= 0) throw fileInvalid(path, `expected numbers, got ${JSON.stringify(values[wrong])} at ${wrong}`);
  if (values.length !== columns) {
    throw fileInvalid(path, `expected ${columns} numbers, one for each column of the vocabulary, got ${values.length}`);
  }
  return Float64Array.from(values as number[]);
}

const fileInvalid = (path: string, what: string): ModelError =>
  new ModelError(`${path}: ${what}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Write scikit-learn\'s vocabulary_ as {"term": column, ...}, and its idf_ as [number, ...].',
  });

const invalid = (manifest: string, what: string, cause?: unknown): ModelError =>
  new ModelError(`${manifest}: ${what}`, {
    code: 'MANIFEST_INVALID',
    hint: 'docs/reference/models.md says what each key of the manifest may be.',
    cause,
  });
