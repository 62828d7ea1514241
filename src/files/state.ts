import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { RobustError } from '../core/errors.js';
import { parseJson } from '../core/json.js';

/**
 * What an earlier call wrote as JSON for this one to go on from; `what` it is, for the error. Throws RobustError STATE_DAMAGED where
 * it has another shape.
 */
export function readState<T>(path: string, schema: z.ZodType<T>, what: string): T {
  let value: unknown;
  try {
    value = parseJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw damaged(path, what, (cause as Error).message, cause);
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw damaged(path, what, `${issue?.path.map(String).join('.')}: ${issue?.message}`);
}

const damaged = (path: string, what: string, got: string, cause?: unknown): RobustError =>
  new RobustError(`expected ${what} in ${path}, got something else: ${got}`, {
    code: 'STATE_DAMAGED',
    hint: 'The file was damaged or edited: delete its folder and start anew.',
    cause,
  });
