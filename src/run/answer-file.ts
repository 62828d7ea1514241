import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { outputError, writeAll } from '../files/write.js';
import type { Answer } from './answers.js';

/**
 * The answers on disk, one record of float32 [label, probabilities] per example: every attack starts from the same
 * answer, a resumed run does not ask again, and a data set of any size takes no memory.
 */
export class AnswerFile {
  readonly #path: string;
  readonly #resume: string;
  readonly #file: number;
  readonly #record: Float32Array;
  readonly #bytes: Uint8Array;
  #count: number;

  /** Opens or begins it; a torn last record is cut off. `resume` completes the hint of write errors. */
  constructor(path: string, labels: number, resume: string) {
    this.#path = path;
    this.#resume = resume;
    this.#record = new Float32Array(1 + labels);
    this.#bytes = new Uint8Array(this.#record.buffer);
    try {
      closeSync(openSync(path, 'a'));
      this.#file = openSync(path, 'r+');
    } catch (error) {
      throw outputError('the clean answers', path, error, resume);
    }
    this.#count = Math.floor(fstatSync(this.#file).size / this.#bytes.length);
    ftruncateSync(this.#file, this.#count * this.#bytes.length);
  }

  /** Examples answered. */
  get count(): number {
    return this.#count;
  }

  read(index: number): { label: number; row: Float32Array } {
    readSync(this.#file, this.#bytes, 0, this.#bytes.length, index * this.#bytes.length);
    return { label: this.#record[0] as number, row: this.#record.slice(1) };
  }

  append(batch: readonly Answer[]): void {
    const bytes = Buffer.concat(
      batch.map(({ example, row }) => {
        this.#record[0] = example.label;
        this.#record.set(row, 1);
        return Buffer.from(this.#bytes);
      }),
    );
    const end = this.#count * this.#bytes.length;
    try {
      writeAll(this.#file, bytes, end);
      fdatasyncSync(this.#file); // a record cannot show that a power cut blanked it
    } catch (error) {
      ftruncateSync(this.#file, end);
      throw outputError('the clean answers', this.#path, error, this.#resume);
    }
    this.#count += batch.length;
  }

  close(): void {
    closeSync(this.#file);
  }
}
