/** @file A comparison as rows for spreadsheets: a model against the first, unedited, under each attack and suite, and under all. */
import type { Comparison, ComparisonReport, Rate, Renderer } from '../src/plugin.js';
import { cell } from './csv.js';
import { pairRows } from './documents/comparison.js';

const COLUMNS = [
  ...['a', 'b', 'under', 'accuracyA', 'accuracyALow', 'accuracyAHigh', 'accuracyB', 'accuracyBLow', 'accuracyBHigh'],
  ...['difference', 'differenceLow', 'differenceHigh', 'n', 'p', 'attackSuccessRateA', 'attackSuccessRateB'],
];

const bounded = ({ value, low, high }: Pick<Rate, 'value' | 'low' | 'high'>) => [value, low, high];

export const comparisonCsv: Renderer<ComparisonReport> = {
  name: 'csv',
  extension: 'csv',
  *render({ models, further, ...first }) {
    yield `${COLUMNS.join(',')}\r\n`;
    const [a] = models;
    for (const [at, comparison] of [first, ...further].entries() as Iterable<[number, Omit<Comparison, 'models'>]>) {
      for (const { title, rates, p, asr } of pairRows(comparison)) {
        const figures = [...bounded(rates.a), ...bounded(rates.b), ...bounded(rates.difference), rates.a.n, p];
        const row = [a?.name ?? '', models[at + 1]?.name ?? '', title, ...figures, asr?.a.value, asr?.b.value];
        yield `${row.map((each) => cell(each ?? '')).join(',')}\r\n`;
      }
    }
  },
};
