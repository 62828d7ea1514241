/** @file A tensor of a checkpoint: where its bytes lie, read when it is written into a graph. */
import { closeSync, fstatSync } from 'node:fs';
import { OnnxError } from '../../errors.js';
import { openToRead } from '../../read-file.js';

export interface StoredTensor {
  readonly name: string;
  /** As safetensors calls it: F32, BF16, ... Counters and masks are kept in checkpoints too. */
  readonly type: string;
  readonly dims: readonly number[];
  /** Elements to skip for a step along each axis. Absent where they lie row by row. */
  readonly strides?: readonly number[];
  readonly file: string;
  /** Position of the first byte in the file, and the number of bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** Bytes of an element. */
export const WIDTHS: Readonly<Record<string, number>> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U8: 1,
  BOOL: 1,
};

/** The error for a file that is not a checkpoint, or is damaged. */
export const damaged = (path: string, got: string, cause?: unknown): OnnxError =>
  new OnnxError(`${path}: expected the weights of a model, got ${got}`, {
    code: 'MODEL_DAMAGED',
    hint: 'Download the file again; compare its size and checksum with the source.',
    cause,
  });

/** Throws OnnxError where a text is no JSON. `got`: what it is then. */
export function parseCheckpointJson(path: string, text: string, got = 'what is no JSON'): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw damaged(path, got, cause);
  }
}

/** Opens a file for reading, hands over its size, closes it. */
export function withFile<T>(path: string, use: (file: number, size: number) => T): T {
  const file = openToRead(path);
  try {
    return use(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

export const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

export const isSizes = (value: unknown): value is number[] => Array.isArray(value) && value.every(isSize);

/** Number of elements; NaN or Infinity for invalid dimensions. */
export const sizeOf = (dims: readonly number[]): number => dims.reduce((product, size) => product * size, 1);
