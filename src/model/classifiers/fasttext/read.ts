/**
 * @file A supervised model of fastText (`model.bin`): its arguments, dictionary and two matrices, as fasttext.cc, args.cc, dictionary.cc
 * and densematrix.cc write them (github.com/facebookresearch/fastText, versions 11 and 12 of the format; little-endian).
 */
import { basename } from 'node:path';
import { ModelError } from '../../../core/errors.js';
import { FileCursor } from './file-cursor.js';

export interface FastTextModel {
  /** Longest n-gram of words. */
  readonly wordNgrams: number;
  /** Number of rows that hashed n-grams share. */
  readonly buckets: number;
  /** Least and most characters of a subword; most 0: none. */
  readonly subwords: readonly [least: number, most: number];
  readonly loss: 'softmax' | 'independent' | 'hierarchical';
  /** UTF-8 bytes as a latin1 string -> its row. */
  readonly words: ReadonlyMap<string, number>;
  readonly labels: readonly string[];
  /** The same as the dictionary has them, as words are: a text's own are left out. */
  readonly labelEntries: ReadonlySet<string>;
  /** How often each label was seen in training. */
  readonly labelCounts: readonly number[];
  readonly input: Matrix;
  /** A row a label; of a hierarchy, a row an inner node. */
  readonly output: Matrix;
}

export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  /** Row-major. */
  readonly values: Float32Array;
}

const MAGIC = 793712314;
const SUPERVISED = 3;
/** args.h, loss_name; negative sampling answers as one-vs-all does. */
const LOSSES = { 1: 'hierarchical', 2: 'independent', 3: 'softmax', 4: 'independent' } as const;
const LABEL = '__label__';
/** Bytes of a word; fastText has no limit, but a file that names none would be one word. */
const MAX_WORD = 1 << 16;
/** The longest n-grams and subwords: their number grows with it, and the file says it. */
const MAX_NGRAM = 64;

/**
 * Throws ModelError (MODEL_UNSUPPORTED, MODEL_DAMAGED) for a file that is not a fastText model, is damaged, or is of an unsupported
 * kind.
 */
export function readFastText(path: string): FastTextModel {
  const name = basename(path);
  const file = new FileCursor(path, (what) => invalid(name, what));
  try {
    return read(file, name);
  } finally {
    file.close();
  }
}

function header(file: FileCursor, name: string) {
  if (file.remaining < 8 || file.int32() !== MAGIC) throw invalid(name, 'it does not begin as one');
  const version = file.int32();
  if (version !== 11 && version !== 12) throw unsupported(name, `version ${version} of the format`);
  const columns = file.int32();
  file.skip(4 * 4);
  const [wordNgrams, lossCode, kind, buckets, least, most] = Array.from({ length: 6 }, () => file.int32()) as [
    ...[number, number, number, number, number, number],
  ];
  file.skip(4 + 8);
  if (kind !== SUPERVISED) throw unsupported(name, 'word vectors, which classify nothing');
  const loss = LOSSES[lossCode as keyof typeof LOSSES];
  if (loss === undefined) throw invalid(name, `loss ${lossCode} is not a known loss`);
  // Version 11 wrote a length of subwords that its supervised models did not use.
  const longest = version === 11 ? 0 : most;
  const hashes = wordNgrams > 1 || longest > 0;
  const inRange = wordNgrams <= MAX_NGRAM && longest >= 0 && longest <= MAX_NGRAM && columns > 0 && buckets >= 0;
  if (!inRange || (hashes && buckets === 0)) {
    throw invalid(
      name,
      `dim ${columns}, wordNgrams ${wordNgrams}, maxn ${longest} and bucket ${buckets} make no model`,
    );
  }
  return { columns, wordNgrams, buckets, subwords: [least, longest] as const, loss };
}

function read(file: FileCursor, name: string): FastTextModel {
  const { columns, ...shape } = header(file, name);
  const { words, ...labelled } = dictionary(file, name);
  const { labels } = labelled;
  if (file.byte() !== 0) throw unsupported(name, 'quantised weights');
  const input = matrix(file, name, 'input', columns);
  if (file.byte() !== 0) throw unsupported(name, 'quantised weights');
  const output = matrix(file, name, 'output', columns);
  if (input.rows !== words.size + shape.buckets) {
    throw invalid(
      name,
      `expected ${words.size} words and ${shape.buckets} buckets to have a row each, got ${input.rows} rows`,
    );
  }
  if (output.rows !== labels.length) throw invalid(name, `${labels.length} labels have ${output.rows} rows`);
  return { ...shape, words, ...labelled, input, output };
}

function dictionary(file: FileCursor, name: string) {
  const [entries, wordCount, labelCount] = [file.int32(), file.int32(), file.int32()];
  file.skip(8);
  if (file.int64() >= 0) throw unsupported(name, 'a pruned dictionary, as of quantised models');
  if (wordCount < 0 || labelCount < 2 || entries !== wordCount + labelCount) {
    throw invalid(name, `expected words and two or more labels, got ${wordCount} and ${labelCount} of ${entries}`);
  }
  const words = new Map<string, number>();
  const labels: string[] = [];
  const labelEntries = new Set<string>();
  const labelCounts: number[] = [];
  for (let at = 0; at < entries; at++) {
    const entry = file.text(MAX_WORD);
    const seen = file.int64();
    const isLabel = file.byte() === 1;
    if (isLabel !== at >= wordCount) throw invalid(name, `a ${isLabel ? 'label' : 'word'} stands at ${at}`);
    if (!isLabel) {
      words.set(entry, at);
      continue;
    }
    const label = Buffer.from(entry, 'latin1').toString('utf8');
    labels.push(label.startsWith(LABEL) ? label.slice(LABEL.length) : label);
    labelEntries.add(entry);
    labelCounts.push(seen);
  }
  if (words.size !== wordCount) throw invalid(name, 'a word occurs twice in its dictionary');
  return { words, labels, labelEntries, labelCounts };
}

function matrix(file: FileCursor, name: string, what: string, expected: number): Matrix {
  const [rows, columns] = [file.int64(), file.int64()];
  if (columns !== expected || rows < 0 || rows * columns * 4 > file.remaining) {
    const got = `${rows} rows of ${columns} numbers, with ${file.remaining} bytes left`;
    throw invalid(name, `expected its ${what} matrix to have rows of ${expected} numbers, got ${got}`);
  }
  return { rows, columns, values: file.floats(rows * columns) };
}

export function invalid(name: string, what: string): ModelError {
  return new ModelError(`${name}: not a model of fastText that can be used: ${what}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Name the .bin file that fasttext supervised wrote; of a pytorch_model.bin, the folder it lies in.',
  });
}

export function unsupported(name: string, what: string): ModelError {
  return new ModelError(
    `${name}: expected a supervised model of fastText with its weights in single precision, got ${what}`,
    {
      code: 'MODEL_UNSUPPORTED',
      hint: 'Name the .bin file from which fasttext quantize made the .ftz, or wrap the model in an .mjs module.',
    },
  );
}
