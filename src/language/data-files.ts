/** @file Reads the word lists and tables in src/language/data: one entry a line, source and licence in "#" lines on top. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../core/package-root.js';

/** The entries of a list. */
export function wordList(file: string): string[] {
  return readFileSync(join(packageRoot, 'src/language/data', file), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** The rows of a table whose columns are separated by tabs. */
export function table(file: string): string[][] {
  return wordList(file).map((line) => line.split('\t'));
}
