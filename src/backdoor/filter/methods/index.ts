/** @file The filters, in the order of the table. */
import type { FilterMethod } from '../method.js';
import { labelCorrelation } from './label-correlation.js';
import { onion } from './onion.js';
import { residual } from './residual.js';
import { strip } from './strip.js';

export const filterMethods: readonly FilterMethod[] = [residual, labelCorrelation, onion, strip];
