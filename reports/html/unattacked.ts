/** @file How the model does before any attack. */
import type { CleanMetrics } from '../../src/index.js';
import { percent } from '../figures.js';
import { rateInWords } from './interval-bar.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';

/** Accuracy and its kin in a sentence, then a row a class with whom it was taken for. */
export const unattacked = (
  clean: CleanMetrics,
  labels: readonly string[],
): Markup => html`<p>Accuracy ${rateInWords(clean.accuracy)}. Macro F1 ${percent(clean.macroF1)}, expected calibration error ${percent(clean.calibration.error)}.</p>
${table(
  'Classes without attack',
  [
    { title: 'Class' },
    ...['Precision', 'Recall', 'F1', 'Examples', ...labels.map((label) => `taken for ${label}`)].map((title) => ({
      title,
      align: 'right' as const,
    })),
  ],
  clean.perClass.map((row, i) => [
    row.label,
    percent(row.precision),
    percent(row.recall),
    percent(row.f1),
    row.support,
    ...(clean.confusion[i] ?? []),
  ]),
)}`;
