/** @file The filters, in the order of the table. */
import type { FilterMethod } from '../method.js';
import { auto } from './auto.js';
import { onion } from './onion.js';
import { strip } from './strip.js';

export const filterMethods: readonly FilterMethod[] = [auto, onion, strip];

/** Filters of earlier versions, and what to use instead: see docs/research/backdoor-filter.md. */
export const removedFilters: ReadonlyMap<string, FilterMethod> = new Map([
  ...['residual', 'label-correlation', 'bki', 'activation-clustering', 'spectral-signatures', 'cube'].map(
    (name) => [name, auto] as const,
  ),
  ['rap', strip],
]);
