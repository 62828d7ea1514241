/** @file Completion from what is installed and what lies in this folder. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../core/package-root.js';
import { RUNS } from '../runs/runs.js';
import { type Completion, type CompletionNames, complete } from './complete.js';

/** The file of names that the build writes, so that no registry is loaded for a tab. */
export const NAMES = join(packageRoot, 'dist', 'bundle', 'completion-names.json');

/** One candidate a line, a tab before what it is: what the scripts of the shells read. Empty where nothing is known. */
export function completeHere(words: readonly string[]): string {
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const found = complete(words, {
    manifest: read(join(packageRoot, 'oclif.manifest.json')),
    names: read(NAMES) as CompletionNames,
    runs: runsHere,
  });
  return found.map(line).join('');
}

/** Nothing that a shell would take for more than a word: run folders are named by whoever made them. */
const line = ({ value, about }: Completion): string =>
  /[^\w./:=+@-]/.test(value) ? '' : `${value}\t${about.replace(/[\s\p{C}]+/gu, ' ').slice(0, 100)}\n`;

function runsHere(): string[] {
  try {
    return readdirSync(RUNS).sort().reverse();
  } catch {
    return [];
  }
}
