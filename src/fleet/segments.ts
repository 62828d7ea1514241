/** @file The data set cut into segments, which workers fetch by their hashes: no worker reads all of it, whatever the format of its files. */
import type { Example } from '../core/dataset.js';
import { exampleSchema, parseMessage } from './messages.js';

/** Examples in a segment. */
export const SEGMENT = 1024;

export interface DataSegment {
  /** Index of its first example in the run. */
  readonly from: number;
  readonly to: number;
  /** Hash of its examples, one JSON document per line. */
  readonly texts: string;
  /** Hash of the victim's answers to them, once they are complete. */
  answers?: string;
}

export const writeExamples = (examples: readonly Example[]): string =>
  examples.map((example) => `${JSON.stringify(example)}\n`).join('');

/** Throws RobustError for what is no example. */
export const readExamples = (bytes: Buffer): Example[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseMessage(exampleSchema, line, 'an example') as Example);

/** Rows one after the other, float32, little-endian. */
export const writeRows = (rows: readonly Float32Array[]): Buffer =>
  Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength)));

export function readRows(bytes: Buffer, labels: number): Float32Array[] {
  const values = new Float32Array(new Uint8Array(bytes).buffer);
  return Array.from({ length: values.length / labels }, (_, at) => values.slice(at * labels, (at + 1) * labels));
}
