import { packaged } from '../core/package-root.js';

export interface NameOfOrigin {
  readonly origin: string;
  readonly given: string;
  readonly family: string;
}

let read: readonly NameOfOrigin[] | undefined;

/** Throws what reading the file throws. */
export function namesByOrigin(): readonly NameOfOrigin[] {
  read ??= packaged('datasets/data/names-by-origin.tsv')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [origin = '', given = '', family = ''] = line.split('\t');
      return { origin, given, family };
    });
  return read;
}
