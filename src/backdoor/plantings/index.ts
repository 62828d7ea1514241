/** @file The plantings, by the description that a poisoner gives. */
import { z } from 'zod';
import { RobustError } from '../../core/errors.js';
import type { PlantingSpec } from '../../core/poisoner.js';
import { faultTexts, readBy } from '../../core/read-by.js';
import type { Planting } from './planting.js';
import { poisonedRows, rowsOptions } from './rows.js';
import { poisonedTexts } from './texts.js';

const described = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('texts') }),
  rowsOptions.extend({ kind: z.literal('rows') }),
]);

/** Throws RobustError for a planting or an option that does not exist. */
export function openPlanting(spec: PlantingSpec): Planting {
  const read = readBy(described, spec);
  if (read.success) return read.data.kind === 'texts' ? poisonedTexts : poisonedRows(read.data);
  throw new RobustError(`planting of a poisoner: ${faultTexts(read.faults)}`, {
    code: 'PLUGIN_DAMAGED',
    hint: 'Correct the planting that the poisoner returns.',
  });
}
