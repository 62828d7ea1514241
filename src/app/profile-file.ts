/** @file `--runtime profile=FILE`: where the time of a run went, as a table for people and as a trace in a file. */
import { quantity } from '../core/figure-text.js';
import { Profile, type ProfileFigures } from '../core/profile.js';
import { writeWhole } from '../files/write.js';
import { checkWritable } from './runs/output-files.js';

/** A profile that begins now, and what writes it. Throws OutputError where the file cannot be written. */
export function profileFile(path: string) {
  checkWritable(path, '--runtime profile');
  const profile = new Profile();
  return {
    profile,
    /** Writes the file and returns the table. Throws OutputError. */
    write(): string {
      const figures = profile.figures();
      writeWhole(path, profile.trace(), 'the profile');
      return `${profileTable(figures)}\nTrace    ${path}`;
    },
  };
}

const NAMES = {
  search: 'search',
  language: 'language: parts of speech, synonyms',
  tokenizer: 'tokenizer',
  journal: 'journal',
  waiting: 'waiting for the model',
} as const satisfies Record<keyof ProfileFigures['thread'], string>;

/** Seconds, and their share of the wall time there was for them. */
export function profileTable({ seconds, thread, workers, computing, processor }: ProfileFigures): string {
  const row = (name: string, spent: number, of: number): string =>
    `${name.padEnd(56)}${spent.toFixed(1).padStart(8)} s${String(Math.round((100 * spent) / Math.max(1e-9, of))).padStart(6)} %`;
  return [
    `Where ${seconds.toFixed(1)} s went`,
    ...Object.entries(NAMES).map(([part, name]) =>
      row(`  searching thread: ${name}`, thread[part as keyof typeof NAMES], seconds),
    ),
    // A module that classifies is on the searching thread.
    ...(workers > 0 ? [row(`  ${quantity(workers, 'worker')}: model, gradients`, computing, seconds * workers)] : []),
    `  processor time of this process${processor.toFixed(1).padStart(32)} s`,
  ].join('\n');
}
