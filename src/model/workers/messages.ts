/** @file Messages between a worker and its pool. */
import { defined } from '../../core/defined.js';
import { type ErrorCode, ModelError, messageOf, RobustError, UnsupportedOpError } from '../../core/errors.js';

/** Result of a worker module's function `serve`, which is called with the plan. */
export interface Served<Ready, Request, Answer> {
  /** First message to the pool. */
  readonly ready: Ready;
  /** Changes how later requests are answered; sent once, because a copy with each request would be expensive. */
  configure?(setting: unknown): void;
  answer(request: Request): Promise<Answer>;
  release(): Promise<void>;
}

export interface WorkerData {
  /** Path of the module that exports `serve`. */
  readonly module: string;
  readonly plan: unknown;
}

export type ToWorker = { readonly id: number; readonly request: unknown } | { readonly setting: unknown };

/** Messages of the host itself, not of the pool. */
export type HostMessage =
  /** Open this: the first message. */
  | { readonly data: unknown }
  /** Release the model, once the requests sent before are answered, and say so. */
  | { readonly close: true }
  /** End, without a model. */
  | { readonly end: true };

/** A thread has released its model and can open the next. */
export interface Released {
  readonly released: true;
}

export const isReleased = (message: unknown): message is Released => (message as Partial<Released>).released === true;

export type FromWorker =
  | { readonly ready: unknown }
  | { readonly failed: SerialisedError }
  /** `seconds`: duration of the answer; `processor`: its processor time, if the system reports it. */
  | { readonly id: number; readonly answer: unknown; readonly seconds: number; readonly processor: number | undefined }
  | { readonly id: number; readonly failed: SerialisedError };

/** Arrays from this many bytes on are moved to the other thread: below, a copy costs less. */
const MOVED_FROM_BYTES = 2 ** 14;

/** The memory of a message's large arrays. Whoever sends it needs them no more. */
export const transferable = (message: object): ArrayBuffer[] =>
  Object.values(message).flatMap((part) =>
    ArrayBuffer.isView(part) && part.byteLength >= MOVED_FROM_BYTES && part.buffer instanceof ArrayBuffer
      ? [part.buffer]
      : [],
  );

/** An error on its way between a worker and this thread, where it loses its class. */
export interface SerialisedError {
  readonly name: string;
  readonly message: string;
  readonly code: ErrorCode | undefined;
  readonly hint: string | undefined;
}

export const serialiseError = (error: unknown): SerialisedError => ({
  name: error instanceof UnsupportedOpError ? 'UnsupportedOpError' : error instanceof Error ? error.name : 'Error',
  message: messageOf(error),
  code: error instanceof RobustError ? error.code : undefined,
  hint: error instanceof RobustError ? error.hint : undefined,
});

/** The error a worker met, as the class it was. */
export function deserialiseError({ name, message, code, hint }: SerialisedError): Error {
  if (code === undefined) return new Error(message);
  const details = { code, ...defined({ hint }) };
  return name === 'UnsupportedOpError' ? new UnsupportedOpError(message, details) : new ModelError(message, details);
}
