/** @file How a model does without attack, for a terminal. */
import type { ChalkInstance } from 'chalk';
import { type CleanMetrics, degenerateLine } from '../src/index.js';
import { interval, percent } from './figures.js';
import { blocks, wrapped } from './layout.js';
import { visible } from './visible.js';

export interface Unattacked {
  readonly model: string;
  readonly data: string;
  readonly labels: readonly string[];
  readonly clean: CleanMetrics;
}

/** Accuracy, the F family and calibration; then a line a class; then who is taken for whom. */
export function* unattacked(of: Unattacked, screen: { width: number; chalk: ChalkInstance }): Iterable<string> {
  const { clean, labels } = of;
  const { bold, dim } = screen.chalk;
  const { accuracy } = clean;
  yield `${bold(visible(of.model))} on ${bold(visible(of.data))}, ${accuracy.n} examples\n\n`;
  const degenerate = degenerateLine(of.model, clean);
  if (degenerate !== undefined) yield `${wrapped(visible(degenerate), screen.width, 0, screen.chalk.red.bold)}\n\n`;
  yield `Accuracy           ${bold(percent(accuracy.value))}  ${dim(`95 % interval ${interval(accuracy)}`)}\n`;
  yield `Macro F1           ${percent(clean.macroF1)}\n`;
  yield `Micro F1           ${percent(clean.microF1)}\n`;
  if (clean.fBeta.beta !== 1) yield `${`Macro F${clean.fBeta.beta}`.padEnd(19)}${percent(clean.fBeta.macro)}\n`;
  yield `Calibration error  ${percent(clean.calibration.error)}  ${dim('expected, over 10 bins')}\n\n`;

  const names = labels.map(visible);
  const perClass = [
    ['', ...clean.perClass.map(({ label }) => visible(label))],
    ['precision', ...clean.perClass.map(({ precision }) => percent(precision))],
    ['recall', ...clean.perClass.map(({ recall }) => percent(recall))],
    ['F1', ...clean.perClass.map(({ f1 }) => percent(f1))],
    ['examples', ...clean.perClass.map(({ support }) => String(support))],
  ];
  for (const block of blocks(perClass, screen.width)) yield `${block}\n\n`;
  const confusion = [
    ['true \\ predicted', ...names],
    ...names.map((name, column) => [name, ...clean.confusion.map((row) => String(row[column]))]),
  ];
  for (const block of blocks(confusion, screen.width)) yield `${block}\n`;
}
