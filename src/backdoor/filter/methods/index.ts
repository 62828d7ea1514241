/** @file The filters, in the order of the table. */
import type { FilterMethod } from '../method.js';
import { activationClustering } from './activation-clustering.js';
import { auto } from './auto.js';
import { bki } from './bki.js';
import { cube } from './cube.js';
import { labelCorrelation } from './label-correlation.js';
import { onion } from './onion.js';
import { rap } from './rap.js';
import { residual } from './residual.js';
import { spectralSignatures } from './spectral-signatures.js';
import { strip } from './strip.js';

export const filterMethods: readonly FilterMethod[] = [
  auto,
  residual,
  labelCorrelation,
  bki,
  cube,
  activationClustering,
  spectralSignatures,
  onion,
  strip,
  rap,
];
