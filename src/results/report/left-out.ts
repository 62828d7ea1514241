/** @file Attacks of a suite that could not be carried out on the victim. */
import { z } from 'zod';
import type { Declared } from '../../core/declared.js';

export const leftOutSchema = z.object({
  name: z.string(),
  suite: z.string().nullable(),
  reason: z.string().describe('"needs gradients: cannot differentiate this graph: ..."'),
});

/** An attack of a suite that could not be carried out on the victim. */
export interface LeftOut extends Declared<typeof leftOutSchema> {}

/** Lines for the reader about attacks that were left out, one per reason. */
export function leftOutLines(leftOut: readonly LeftOut[] = []): string[] {
  return [...new Set(leftOut.map(({ reason }) => reason))].map((reason) => {
    const names = leftOut.flatMap((one) => (one.reason === reason ? [one.name] : []));
    return `left out: ${names.join(', ')} (${reason})`;
  });
}
