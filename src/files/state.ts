import type { z } from 'zod';
import { messageOf, RobustError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { faultText, readBy } from '../core/read-by.js';
import { readFileSync } from './read.js';

/**
 * JSON that an earlier call stored as the state to continue from; `what` names it in errors. Throws RobustError RUN_DAMAGED if its shape
 * is wrong.
 */
export function readState<T>(path: string, schema: z.ZodType<T>, what: string): T {
  let value: unknown;
  try {
    value = parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw damagedError(path, what, messageOf(cause), cause);
  }
  const read = readBy(schema, value);
  if (read.success) return read.data;
  throw damagedError(path, what, faultText(read.faults[0]));
}

const damagedError = (path: string, what: string, got: string, cause?: unknown): RobustError =>
  new RobustError(`expected ${what} in ${path}, got something else: ${got}`, {
    code: 'RUN_DAMAGED',
    hint: 'The file was damaged or edited: delete its folder and start again.',
    cause,
  });
