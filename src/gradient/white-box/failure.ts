/** @file An error on its way between a worker and this thread, where it loses its class. */
import { ModelError, RobustError, UnsupportedOpError } from '../../core/errors.js';

export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly hint: string | undefined;
}

export const failure = (error: unknown): Failure => ({
  name: error instanceof Error ? error.name : 'Error',
  message: error instanceof Error ? error.message : String(error),
  code: error instanceof RobustError ? error.code : undefined,
  hint: error instanceof RobustError ? error.hint : undefined,
});

/** The error a worker met, as the class it was. */
export function revived({ name, message, code, hint }: Failure): Error {
  if (code === undefined) return new Error(message);
  const details = { code, ...(hint !== undefined && { hint }) };
  return name === 'UnsupportedOpError' ? new UnsupportedOpError(message, details) : new ModelError(message, details);
}
