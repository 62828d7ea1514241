/** @file The certified accuracy curve, for a terminal. */
import type { ChalkInstance } from 'chalk';
import type { Rate } from '../src/index.js';
import { interval, percent } from './figures.js';
import { grid, wrapped } from './layout.js';

export interface Certified {
  readonly rate: number;
  readonly samples: number;
  readonly curve: readonly { readonly words: number; readonly accuracy: Rate }[];
}

/** Columns that 100 % takes. */
const BAR = 30;

/** A line a number of changed words, with a bar. */
export function* certifiedText(
  of: Certified,
  { width, chalk }: { width: number; chalk: ChalkInstance },
): Iterable<string> {
  yield `\n${chalk.bold('Certified accuracy')}, by the number of words an attacker may replace\n\n`;
  const bar = ({ value }: Rate): string => '█'.repeat(Math.round((value ?? 0) * BAR)).padEnd(BAR);
  yield `${grid([
    ['words', ...of.curve.map(({ words }) => String(words))],
    ['accuracy', ...of.curve.map(({ accuracy }) => percent(accuracy.value))],
    ['95 % interval', ...of.curve.map(({ accuracy }) => interval(accuracy))],
    ['', ...of.curve.map(({ accuracy }) => bar(accuracy))],
  ])}\n\n`;
  yield `${wrapped(
    `Vote of ${of.samples} versions with ${percent(of.rate)} of the words hidden. No replacing of so many words, one for one, turns it: that is certain. The intervals are of the sampling of examples.`,
    width,
    0,
    chalk.dim,
  )}\n`;
}
