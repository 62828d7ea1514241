import { dataFolder, lazily } from './data-files.js';

export interface NameOfOrigin {
  readonly origin: string;
  readonly given: string;
  readonly family: string;
}

/** Throws what reading the file throws. */
export const namesByOrigin = lazily((): readonly NameOfOrigin[] =>
  dataFolder('datasets/data')
    .table('names-by-origin.tsv')
    .map(([origin = '', given = '', family = '']) => ({ origin, given, family })),
);
