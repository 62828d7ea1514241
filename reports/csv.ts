/** @file One row an (attack, example) pair, for spreadsheets (RFC 4180). */
import { csvCell } from '../src/core/csv-cell.js';
import type { Outcome } from '../src/core/outcome.js';
import { otherText } from '../src/core/pair.js';
import type { Rate } from '../src/core/statistics/rate.js';
import type { ComparisonReport } from '../src/results/comparison/comparison.js';
import { valueAt } from '../src/results/measures/measure.js';
import type { Renderer, ReportRenderer } from '../src/results/report/report.js';
import { pairRows } from './documents/compared-rows.js';
import { againstFirst } from './documents/comparison.js';
import { overridesIn } from './overrides.js';
import { visible } from './visible.js';

type CsvColumn = readonly [title: string, value: (o: Outcome, label: (index: number) => string) => string | number];

const COLUMNS: readonly CsvColumn[] = [
  ['id', (o) => o.id],
  ['attack', (o) => o.attack],
  ['status', (o) => o.status],
  ['label', (o, label) => label(o.label)],
  ['from', (o, label) => label(o.from)],
  ['to', (o, label) => label(o.to)],
  ['scoreBefore', (o) => o.scoreBefore],
  ['scoreAfter', (o) => o.scoreAfter],
  ['words', (o) => o.words],
  ['changed', (o) => o.changed],
  ['queriesAsked', (o) => o.queries.asked],
  ['queriesComputed', (o) => o.queries.computed],
  ['text', (o) => o.text],
  ['adversarial', (o) => o.adversarial ?? ''],
  ['reason', (o) => o.reason ?? ''],
];

type Label = Parameters<CsvColumn[1]>[1];
const list = (labels: readonly number[] | undefined, label: Label) => (labels ?? []).map(label).join('|');

/** Columns of pairs, and of texts with any number of labels. The first outcome decides, because a run does not mix them. */
const columnsOf = (first: Outcome): readonly CsvColumn[] => [
  ...COLUMNS,
  ...(otherText(first) === undefined ? [] : [['text2', (o) => otherText(o) ?? ''] as const satisfies CsvColumn]),
  ...(first.labels === undefined
    ? []
    : ([
        ['labels', (o, label) => list(o.labels, label)],
        ['fromLabels', (o, label) => list(o.fromLabels, label)],
        ['toLabels', (o, label) => list(o.toLabels, label)],
      ] as const satisfies readonly CsvColumn[])),
];

/** Numbers and texts as cells. Texts that a spreadsheet would run are not verbatim here; they are in JSON. */
const cell = (value: string | number): string => (typeof value === 'number' ? String(value) : csvCell(visible(value)));

export const csv: ReportRenderer = {
  name: 'csv',
  extension: 'csv',
  async *render({ examples, model, measures = [], provenance }) {
    const { overrides } = overridesIn({ provenance });
    const evidence = measures.flatMap(({ evidence: of }) => (of?.cell === undefined ? [] : [of]));
    const label = (index: number): string => model.labels[index] ?? String(index);
    let columns: readonly CsvColumn[] | undefined;
    const header = (of: readonly CsvColumn[]): string =>
      `${[...of.map(([title]) => title), ...evidence.map(({ key }) => key), ...(overrides ? ['overrides'] : [])].map(cell).join(',')}\r\n`;
    for await (const outcome of examples) {
      if (columns === undefined) {
        columns = columnsOf(outcome);
        yield header(columns);
      }
      const further = evidence.map((of) => {
        const found = valueAt(outcome, of.key);
        return found === undefined ? '' : (of.cell?.(found) ?? '');
      });
      yield `${[...columns.map(([, value]) => value(outcome, label)), ...further, ...(overrides ? [overrides] : [])].map(cell).join(',')}\r\n`;
    }
    if (columns === undefined) yield header(COLUMNS);
  },
};

/** `accuracyA` where the most probable label is decided; else `valueA`, and a column that says what of: `recall`, `auroc`, ... */
const comparedColumns = (decided: boolean): string[] => {
  const of = (side: string): string => `${decided ? 'value' : 'accuracy'}${side}`;
  return [
    ...['a', 'b', 'under', ...['A', 'ALow', 'AHigh', 'B', 'BLow', 'BHigh'].map(of)],
    ...['difference', 'differenceLow', 'differenceHigh', 'n', 'p', 'attackSuccessRateA', 'attackSuccessRateB'],
    ...(decided ? ['figure'] : []),
  ];
};

const bounded = ({ value, low, high }: Pick<Rate, 'value' | 'low' | 'high'>) => [value, low, high];

/** A row for each model and figure: against the first model, unedited, under each attack and suite, and under all. */
export const comparisonCsv: Renderer<ComparisonReport> = {
  name: 'csv',
  extension: 'csv',
  *render(report) {
    const { overrides } = overridesIn(report);
    const last = overrides === undefined ? [] : [overrides];
    const decided = report.figures !== undefined;
    yield `${[...comparedColumns(decided), ...(overrides === undefined ? [] : ['overrides'])].join(',')}\r\n`;
    const a = report.models[0]?.name ?? '';
    for (const { b, comparison } of againstFirst(report)) {
      for (const { title, attack, metric, rates, p, asr } of pairRows(comparison)) {
        const figures = [...bounded(rates.a), ...bounded(rates.b), ...bounded(rates.difference), rates.difference.n, p];
        const under = decided ? (attack ?? 'unedited') : title;
        const row = [a, b.name, under, ...figures, asr?.a.value, asr?.b.value, ...(decided ? [metric] : []), ...last];
        yield `${row.map((each) => cell(each ?? '')).join(',')}\r\n`;
      }
    }
  },
};
