/** @file Invented names of people by origin and script (datasets/data/names-by-origin.tsv). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../core/package-root.js';

export interface NameOfOrigin {
  readonly origin: string;
  readonly given: string;
  readonly family: string;
}

let read: readonly NameOfOrigin[] | undefined;

/** Throws what reading the file throws. */
export function namesByOrigin(): readonly NameOfOrigin[] {
  read ??= readFileSync(join(packageRoot, 'datasets/data/names-by-origin.tsv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [origin = '', given = '', family = ''] = line.split('\t');
      return { origin, given, family };
    });
  return read;
}
