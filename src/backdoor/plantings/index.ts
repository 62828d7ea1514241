/** @file The plantings. */
import { RobustError } from '../../core/errors.js';
import type { PlantingSpec } from '../../core/poisoner.js';
import { didYouMean } from '../../core/suggest.js';
import type { Planting } from './planting.js';
import { rows } from './rows.js';
import { texts } from './texts.js';

const plantings = [texts, rows] as const;

/** Throws RobustError for a planting or an option that does not exist. */
export function openPlanting({ kind, ...options }: PlantingSpec): Planting {
  const method = plantings.find((each) => each.kind === kind);
  if (method !== undefined) return method.open(options);
  throw new RobustError(`poisoner: expected the name of a planting, got "${kind}"`, {
    code: 'PLANTING_NOT_FOUND',
    hint: didYouMean(
      kind,
      plantings.map((each) => each.kind),
    ),
  });
}
