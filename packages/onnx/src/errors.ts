/**
 * @file The error of this package: the message states what was expected, what was received and where; the hint states what to do. Anything
 * else that is thrown is the file system's, or a defect.
 */

/** Stable names of what went wrong. */
export type OnnxErrorCode =
  | 'MODEL_NOT_FOUND'
  | 'MODEL_DAMAGED'
  | 'MODEL_UNSUPPORTED'
  | 'ADAPTER_MISMATCH'
  | 'TASK_MISMATCH'
  /** The graph has operators without a gradient: the message names each. */
  | 'GRADIENTS_UNSUPPORTED'
  /** A pipe, a device, a folder, or a file larger than its kind can be. */
  | 'FILE_DAMAGED';

export interface OnnxErrorDetails {
  readonly code: OnnxErrorCode;
  /** Advice for the reader, as one sentence. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/** Programs know the error by this mark, whichever copy of the package threw it. */
const MARK: unique symbol = Symbol.for('@robust-text/onnx');

/** A model, a checkpoint or a graph that cannot be read, converted or differentiated. */
export class OnnxError extends Error {
  readonly code: OnnxErrorCode;
  readonly hint: string | undefined;
  readonly [MARK] = true;

  constructor(message: string, { code, hint, cause }: OnnxErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'OnnxError';
    this.code = code;
    this.hint = hint;
  }

  /** Exit code for a program that ends because of it: 3 if a file has to be replaced, 2 if something else has to be asked for. */
  get exit(): 2 | 3 {
    return this.code.endsWith('_DAMAGED') ? 3 : 2;
  }
}

/** The value, which the code around guarantees: an index within a list, a key that was set. Throws a defect of this library where there is none. */
export function must<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new TypeError('expected a value, got none');
  return value;
}
