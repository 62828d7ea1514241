/** @file Models compared on the same examples, and what a defence is worth. */
import { quantity } from '../../src/core/figure-text.js';
import type { Rate } from '../../src/core/statistics/rate.js';
import { degenerateModels } from '../../src/results/clean/degenerate.js';
import type { Comparison, ComparisonReport } from '../../src/results/comparison/comparison.js';
import { CURVES_TITLE, type CurvePanel, curveBlocks } from '../../src/results/measures/curves.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  type Section,
  strong,
  table,
} from '../../src/results/report/document.js';
import { isPlain } from '../../src/results/report/judged-text.js';
import { leftOutLines } from '../../src/results/report/left-out.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { decisionLines, figureBounds, figureDifference, figureValue } from '../decision-words.js';
import { percent } from '../figures.js';
import { besideNote } from './beside-note.js';
import {
  type Compared,
  differenceCells,
  type PairRow,
  pairRows,
  stateOf,
  verdictLine,
  verdictRows,
} from './compared-rows.js';
import { overrideFacts, provenanceSection } from './provenance.js';
import { comparedReviews } from './review.js';

/** Changed examples shown to people; the JSON document has them all. */
const MAX_EXAMPLES = 5;

const PAIRED =
  'Differences in points with 95 % intervals (Newcombe, paired); p-values by the exact McNemar test, Holm-corrected for the number of attacks';

const ABOUT = `Accuracy of each model, unedited and under attack. ${PAIRED}. ASR: attack success rate over the texts that both models classify correctly.`;

/** Where more than one kind of figure is compared. */
const DECIDED_ABOUT = `Figures without an attack, then under each attack. ${PAIRED}. Precision, areas, F1, errors and correlations are not shares of the same texts: their differences are in their own unit, by paired bootstrap. ASR: attack success rate over the texts that both models classify correctly.`;

const DEFENCE_ABOUT =
  'The attacks query the defended model (adaptive). Transfer: share of the adversarial texts for the undefended model that also fool the defended one. A defence that lowers the success rate but not transfer only hinders the search.';

/** Each model after the first, against the first; `doubtful` where no difference between the two, nor its absence, says anything. */
export function againstFirst({ models, verdict, further, ...first }: ComparisonReport) {
  const [a, ...others] = models;
  return others.map((b, at) => ({
    b,
    comparison: (at === 0 ? first : further[at - 1]) as Compared,
    doubtful: verdict === 'inconclusive' || degenerateModels(a === undefined ? [b] : [a, b]).length > 0,
  }));
}

const asrValue = (rate: Rate | undefined): string => (rate === undefined ? '' : percent(rate.value));

const verdictLines = (comparison: Compared): string[] =>
  verdictRows(comparison).map(({ title, row }) => verdictLine(title, row));

const letter = (at: number): string => String.fromCharCode('a'.charCodeAt(0) + at);

/** Characters of a model's name that fit at the head of a column. */
const HEAD_CHARACTERS = 24;

/** Names of the models in tables: the end of the name, with a letter if several share it. */
function shortNames(models: readonly { readonly name: string }[]): string[] {
  const names = models.map(({ name }) => {
    const last = name.split(/[/\\]/).findLast((part) => part !== '') ?? name;
    return last.length <= HEAD_CHARACTERS ? last : `…${last.slice(1 - HEAD_CHARACTERS)}`;
  });
  return names.map((name, at) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${letter(at)})`));
}

export function comparisonDocument(report: ComparisonReport): Document {
  const { models, data, seed, further, transfer, verdict, reasons, toolVersion, provenance, command } = report;
  const names = shortNames(models);
  return {
    title: `${models.map(modelTitle).join(' and ')} compared`,
    lead: [
      models.flatMap((model, at) => {
        const title = modelTitle(model);
        return [at === 0 ? '' : ' vs. ', strong(title === model.name ? (names[at] as string) : title)];
      }),
      ` on ${data.name}, ${quantity(data.examples, 'example')}, seed ${seed}`,
    ],
    alarms: degenerateModels(models),
    ...(verdict === 'inconclusive' && { inconclusive: reasons }),
    next: models.map(({ run }, at) => ({
      purpose: `See all texts of ${names[at] as string}`,
      command: `robust report ${run} --open`,
    })),
    sections: [
      ...[report, ...further].map((comparison, at) => compared(comparison, at + 1, report)),
      ...comparedReviews(report.reviews, (run) => names[models.findIndex((model) => model.run === run)] ?? run),
      ...curveSections(report),
      ...(transfer.length > 0 ? [transferSection(report)] : []),
      { id: 'about', blocks: [note(report.figures === undefined ? ABOUT : DECIDED_ABOUT)] },
      provenanceSection(
        [
          ...models.map(
            ({ name, sha256, run }, at) => [names[at] as string, `${name}, sha256 ${sha256}, run ${run}`] as const,
          ),
          ['data', `${data.name}, sha256 ${data.sha256}`],
          ['tool', `robust ${toolVersion}`],
          ...overrideFacts(provenance),
        ],
        [{ kind: 'command', line: command }],
      ),
    ],
  };
}

/** The second or a further model against the first. */
function compared(comparison: Compared, at: number, { models }: ComparisonReport): Section {
  const short = shortNames(models);
  const names: ModelNames = [short[0] ?? letter(0), short[at] ?? letter(at)];
  const title = `${names[1]} vs. ${names[0]}`;
  const all = pairRows(comparison);
  const [rows, entities] = [all.filter((row) => !row.entities), all.filter((row) => row.entities)];
  const left = leftOutLines(
    (comparison.leftOut ?? []).map((one) => ({
      ...one,
      reason: `${one.by === 'a' ? names[0] : names[1]}: ${one.reason}`,
    })),
  );
  // No difference from a model that answers all texts alike is one.
  const spoilt = degenerateModels([models[0], models[at]].flatMap((one) => one ?? [])).length > 0;
  return {
    id: `${letter(at)}-against-a`,
    title,
    blocks: [
      ...decisionBlocks(comparison, names),
      ...(spoilt ? [] : [{ kind: 'list' as const, items: verdictLines(comparison) }]),
      ...(spoilt ? [] : differenceBars(`Differences in points: ${title}`, all)),
      ...(comparison.figures === undefined ? [attackTable(title, rows, names)] : figureTables(rows, names)),
      ...entityTables(entities, names),
      ...left.map((line): Block => ({ kind: 'prose', text: line, tone: 'warning' })),
      ...changedBlocks('Regressions', 'regression', comparison.newlyBroken),
      ...changedBlocks('Fixed', 'fixed', comparison.newlyMended),
    ],
  };
}

/** Colours of the lines of a chart. */
const LINE_TONES = ['plain', 'hold', 'hit'] as const;

/** The curves of the first models under each attack, in one chart. */
function curveSections({ models, curves = [] }: ComparisonReport): Section[] {
  const names = shortNames(models);
  const panels = curves.map(
    ({ attack, models: found }): CurvePanel => ({
      title: attack,
      lines: found.flatMap((one, at) => {
        const [name = '', tone] = [names[at], LINE_TONES[at]];
        return one === null || tone === undefined ? [] : [{ name, alone: `${name}, ${attack}`, tone, curves: one }];
      }),
    }),
  );
  if (degenerateModels(models).length > 0 || panels.every(({ lines }) => lines.length === 0)) return [];
  const more = models.length - LINE_TONES.length;
  const left =
    more > 0 ? [note(`Curves of the first ${quantity(LINE_TONES.length, 'model')}; the JSON document has all.`)] : [];
  return [{ id: 'curves', title: CURVES_TITLE, full: true, blocks: [...curveBlocks(panels), ...left] }];
}

const TONES = { worse: 'hit', better: 'hold', alike: 'plain', unknown: 'plain' } as const;

/** Shares alone: errors and correlations have units of their own. */
function differenceBars(title: string, rows: readonly PairRow[]): Block[] {
  const bars = rows.flatMap((row) => {
    const { metric, label, rates } = row;
    const { value, low, high } = rates.difference;
    if (value === null || label !== undefined || isPlain(metric)) return [];
    const text = [figureDifference(metric, rates.difference), figureBounds(metric, rates.difference)] as const;
    return [{ name: row.title, value, low, high, tone: TONES[stateOf(row)], text }];
  });
  return bars.length === 0 ? [] : [{ kind: 'differences', title, bars }];
}

const valueCells = (row: PairRow): Inline[] => [
  figureValue(row.metric, row.rates.a),
  figureValue(row.metric, row.rates.b),
  ...differenceCells(row),
];

/** The decisions of both models, as a warning if they differ. */
function decisionBlocks({ decisions, decisionDifference }: Compared, names: readonly [string, string]): Block[] {
  if (decisions === undefined) return [];
  const { text, warns } = decisionLines(decisions[0], decisionDifference, names);
  return [warns ? { kind: 'prose', text, tone: 'warning' } : prose(text)];
}

type ModelNames = readonly [string, string];

/** Columns of how sure a difference is. */
const TESTED = ['95 % interval', 'p'];
const figureHeads = (names: ModelNames): string[] => ['', ...names, 'difference', ...TESTED];

const attackTable = (title: string, rows: readonly PairRow[], names: ModelNames, head = ''): Block => ({
  kind: 'table',
  caption: title,
  columns: [
    { title: head },
    ...[...names, 'difference'].map((each) => ({ title: each })),
    ...TESTED.map((each) => ({ title: each, detail: 'narrow' as const })),
    ...names.map((name) => ({ title: `ASR ${name}`, detail: true })),
  ],
  rows: rows.map((row) => [
    // Rows need not repeat the head.
    head !== '' && row.title.startsWith(head) ? row.title.slice(head.length + 1) : row.title,
    ...valueCells(row),
    asrValue(row.asr?.a),
    asrValue(row.asr?.b),
  ]),
});

/** `recall under`, where that is what all rows are about. */
function commonHead(rows: readonly PairRow[]): string {
  const [first = ''] = rows.map(({ title }) => title.slice(0, title.indexOf(' under ') + ' under'.length));
  return rows.every(({ title }) => title.startsWith(first)) ? first : '';
}

/** The figures of a decision without an attack, those of each label, and those under attack. */
function figureTables(rows: readonly PairRow[], names: ModelNames): Block[] {
  const clean = rows.filter(({ attack }) => attack === undefined);
  const attacked = rows.filter(({ attack }) => attack !== undefined);
  const figures = (title: string, of: readonly PairRow[]): Block[] =>
    of.length === 0
      ? []
      : [
          table(
            title,
            figureHeads(names),
            of.map((row) => [row.title, ...valueCells(row)]),
          ),
        ];
  return [
    ...figures(
      'Without an attack',
      clean.filter(({ label }) => label === undefined),
    ),
    ...figures(
      'Each label without an attack',
      clean.filter(({ label }) => label !== undefined),
    ),
    ...(attacked.length === 0 ? [] : [attackTable('Under attack', attacked, names, commonHead(attacked))]),
  ];
}

/** Figures of entities, then those of each type. */
const entityTables = (rows: readonly PairRow[], names: ModelNames): Block[] =>
  rows.length === 0
    ? []
    : [
        table(
          'Entities, all attacks together',
          ['entities', ...figureHeads(names).slice(1)],
          rows.map((row) => [row.title.replace(/(^|: )entities /, '$1'), ...valueCells(row)]),
        ),
        note('Differences of entities: paired by entity, with intervals and p-values by bootstrap over texts.'),
      ];

const changedBlocks = (title: string, what: string, list: Comparison['newlyBroken']): Block[] =>
  list.length === 0
    ? []
    : [
        {
          kind: 'heading',
          text: `${title}: ${list.length}${list.length > MAX_EXAMPLES ? ` (${MAX_EXAMPLES} shown)` : ''}`,
        },
        {
          kind: 'texts',
          pairs: list.slice(0, MAX_EXAMPLES).map((example) => ({
            of: [example.attack ?? 'unedited', `example ${example.id}`],
            found: what,
            before: example.text,
            after: example.adversarial ?? example.text,
            ...besideNote(example),
          })),
        },
      ];

function transferSection({ transfer, models }: ComparisonReport): Section {
  const directions = new Map(transfer.map(({ from, to }) => [JSON.stringify([from, to]), { from, to }]));
  const attacks = [...new Set(transfer.map(({ attack }) => attack))];
  const names = shortNames(models);
  const place = (name: string): string => names[models.findIndex((model) => model.name === name)] ?? name;
  return {
    id: 'transfer',
    title: 'Transfer',
    blocks: [
      table(
        'Transfer',
        ['', ...Array.from(directions.values(), ({ from, to }) => `${place(from)} -> ${place(to)}`)],
        attacks.map((attack) => [
          attack,
          ...Array.from(directions.values(), ({ from, to }) =>
            transferred(transfer.find((one) => one.from === from && one.to === to && one.attack === attack)),
          ),
        ]),
      ),
      note('Share of the adversarial texts for one model that also fool the other.'),
    ],
  };
}

const transferred = (found: ComparisonReport['transfer'][number] | undefined): string =>
  found === undefined ? '' : `${percent(found.rate.value)} (n ${found.rate.n})`;

/** The same attacks with and without a defence, and whether texts made without it pass it. Undefended is a, defended b. */
export const defenceSection = (undefended: ComparisonReport): Section => ({
  id: 'defence',
  title: 'Effect of the defence',
  blocks: [
    table(
      'With and without the defence',
      [undefended.figures ? '' : 'accuracy', 'undefended', 'defended', 'difference', '95 % interval', 'p', 'transfer'],
      pairRows(undefended).map((row) => [
        row.title,
        ...valueCells(row),
        transferred(undefended.transfer.find(({ attack }) => attack === row.attack)),
      ]),
    ),
    ...decisionBlocks(undefended, ['undefended', 'defended']),
    note(DEFENCE_ABOUT),
  ],
});
