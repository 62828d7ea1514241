/**
 * @file The answers on disk, one record per example: every attack starts from the same answer, a resumed run does not ask again, and
 * a data set of any size takes no memory.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type Decision, type Truth, trueLabels } from '../core/decision.js';
import { copyRange, openToWrite, outputError, replaceFile, writeAll } from '../files/write.js';
import type { Answer } from './answers.js';

/** The kind of truth that texts have: a label, any number of labels, or a number. */
export type TruthKind = Decision['truth'];

/** The fields of a record, its sum among them. */
const fields = (labels: number, truth: TruthKind): number => 1 + labels + { label: 0, labels, value: 2 }[truth] + 1;

type AnsweredTruth = Truth & { row: Float32Array };

/** A record as it is read. `bytes` are those of `record`. */
function answerOf(record: Float32Array, bytes: Buffer, labels: number, truth: TruthKind): AnsweredTruth {
  const [label, row] = [record[0]!, record.slice(1, 1 + labels)];
  if (truth === 'label') return { label, row };
  if (truth === 'value') return { label, row, value: bytes.readDoubleLE(4 * (1 + labels)) };
  const holds = record.subarray(1 + labels, -1);
  return { label, row, labels: [...holds.keys()].filter((each) => holds[each] === 1) };
}

/** Records that are read at once. */
const BLOCK = 4096;

/** All answers of an opened file. Throws an Error for a damaged one. */
export function* answersIn(file: number, labels: number, truth: TruthKind): Generator<AnsweredTruth> {
  const record = new Float32Array(fields(labels, truth));
  const bytes = Buffer.from(record.buffer);
  const block = Buffer.alloc(BLOCK * bytes.length);
  for (let first = 0; ; first += BLOCK) {
    const size = readSync(file, block, 0, block.length, first * bytes.length);
    for (let at = 0; at * bytes.length < size; at++) {
      const cut = (at + 1) * bytes.length > size;
      block.copy(bytes, 0, at * bytes.length);
      if (cut || bytes.readUInt32LE(bytes.length - 4) !== crc32(bytes.subarray(0, -4), first + at))
        throw new Error(`the answer to example ${first + at} is damaged`);
      yield answerOf(record, bytes, labels, truth);
    }
    if (size < block.length) return;
  }
}

/**
 * A file of records. A record is float32 [label, probabilities]; for texts with any number of labels, 1 for each true label and 0 for the
 * others; for regression, the number (float64). The CRC-32 of these and of the record's place follows, to detect damage.
 */
export class AnswerFile {
  readonly #path: string;
  readonly #resume: string;
  readonly #guard: () => void;
  readonly #file: number;
  readonly #labels: number;
  readonly #truth: TruthKind;
  readonly #record: Float32Array;
  readonly #bytes: Buffer;
  #count = 0;

  /**
   * Opens or begins it; everything from the first damaged record on is cut off, and queried again. `resume` completes the hint of write
   * errors; `guard` is called before anything is written, and throws once that is no longer allowed; `truth`: a label, any number of labels, or a number.
   */
  constructor(path: string, labels: number, resume: string, guard: () => void = () => {}, truth: TruthKind = 'label') {
    this.#path = path;
    this.#resume = resume;
    this.#guard = guard;
    this.#labels = labels;
    this.#truth = truth;
    this.#record = new Float32Array(fields(labels, truth));
    this.#bytes = Buffer.from(this.#record.buffer);
    try {
      const old = openToWrite(path);
      try {
        const { size } = fstatSync(old);
        while ((this.#count + 1) * this.#bytes.length <= size && this.#sound(old, this.#count)) this.#count++;
        // A file of our own: whoever wrote the old one may have it open.
        if (size > 0) {
          replaceFile(path, (into) => {
            copyRange(old, 0, this.#count * this.#bytes.length, into);
            guard();
          });
        }
      } finally {
        closeSync(old);
      }
      this.#file = openToWrite(path);
    } catch (error) {
      throw outputError('the clean answers', path, error, resume);
    }
  }

  /** Examples answered. */
  get count(): number {
    return this.#count;
  }

  /** Throws an Error for a record that was damaged since this file was opened. */
  read(index: number): AnsweredTruth {
    if (!this.#sound(this.#file, index)) throw new Error(`${this.#path}: the answer to example ${index} was damaged`);
    return answerOf(this.#record, this.#bytes, this.#labels, this.#truth);
  }

  append(batch: readonly Answer[]): void {
    const records = batch.map(({ example, row }, at) => {
      this.#record[0] = example.label;
      this.#record.set(row, 1);
      if (this.#truth === 'value') this.#bytes.writeDoubleLE(example.value ?? Number.NaN, 4 * (1 + this.#labels));
      if (this.#truth === 'labels') {
        this.#record.fill(0, 1 + this.#labels);
        for (const each of trueLabels(example)) this.#record[1 + this.#labels + each] = 1;
      }
      this.#bytes.writeUInt32LE(this.#sum(this.#count + at), this.#bytes.length - 4);
      return Buffer.from(this.#bytes);
    });
    const end = this.#count * this.#bytes.length;
    this.#guard();
    try {
      writeAll(this.#file, Buffer.concat(records), end);
      fdatasyncSync(this.#file);
    } catch (error) {
      ftruncateSync(this.#file, end);
      throw outputError('the clean answers', this.#path, error, this.#resume);
    }
    this.#count += batch.length;
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Reads a record; is it the one that was written there? */
  #sound(file: number, index: number): boolean {
    const length = this.#bytes.length;
    return (
      readSync(file, this.#bytes, 0, length, index * length) === length &&
      this.#bytes.readUInt32LE(length - 4) === this.#sum(index)
    );
  }

  #sum(index: number): number {
    return crc32(this.#bytes.subarray(0, -4), index);
  }
}
