/** @file Models ranked by their worst-case accuracy under the suite `standard`. */
import { quantity } from '../../src/core/figure-text.js';
import type { GuardTable, Leaderboard, LeaderboardTable } from '../../src/results/card/leaderboard.js';
import { code, type Document, type Inline, note, type Section, table } from '../../src/results/report/document.js';
import { modelTitle } from '../../src/results/report/model-title.js';
import { percent } from '../figures.js';
import { json } from '../json.js';

const RANKED =
  "Two are distinguishable if they differ on the same examples by the exact McNemar test at 5 %, with Holm's correction over all pairs of the table. Cards of other examples, seeds, settings or versions of standard are in tables of their own.";

const method = ({ tables, guards }: Leaderboard): string =>
  [
    'Rates with 95 % Wilson intervals.',
    ...(tables.length > 0 ? ['Models are sorted by worst-case accuracy.'] : []),
    ...(tables.some(({ rows }) => rows.some(({ stated }) => stated))
      ? ['As stated: by a card, which does not show what its checks found; the folder of its run does.']
      : []),
    ...(guards.length > 0
      ? [
          'Guards are sorted by recall under attack, at one operating point for each table. Tied: not distinguishable. Shielded: recall under attack behind the shield. Hard benign: false alarms on benign texts that look like attacks. Queries: the median until a text evades.',
        ]
      : []),
    RANKED,
  ].join(' ');

export function leaderboardDocument(board: Leaderboard): Document {
  const { tables, guards, notRanked, skipped, reasons } = board;
  const all = [...tables, ...guards];
  const models = all.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    title: guards.length === 0 ? 'Leaderboard of standard' : 'Leaderboard',
    lead: `${quantity(models, 'model')}, ${quantity(all.length, 'table')}`,
    ...(reasons.length > 0 && { verdict: 'inconclusive', inconclusive: reasons }),
    sections: [
      ...tables.map(tableSection),
      ...guards.map(guardSection),
      ...(all.length === 0 ? [] : [{ id: 'method', blocks: [note(method(board))] }]),
      ...notRankedSection(notRanked),
    ],
    warnings: skipped.map(({ file, reason }) => `skipped ${file}: ${reason}`),
  };
}

function tableSection({ conditions, rows }: LeaderboardTable, at: number): Section {
  const { standard, data, seed, queryBudget } = conditions;
  const title = `${standard} on ${data.name}: ${quantity(data.examples, 'example')}, seed ${seed}${queryBudget === null ? '' : `, ${quantity(queryBudget, 'query', 'queries')}`}`;
  const names = [...new Set(rows.flatMap(({ card }) => card.threatModels.map(({ name }) => name)))];
  const proved = rows.some(({ card }) => card.proof !== undefined);
  const none = { value: null, low: null, high: null, n: 0 };
  return {
    id: `table-${at + 1}`,
    title,
    blocks: [
      {
        kind: 'table',
        caption: title,
        sortable: true,
        columns: [
          { title: 'model' },
          { title: 'rank' },
          { title: 'worst case' },
          { title: 'not distinguishable from row' },
          { title: 'without attack' },
          ...names.map((name) => ({ title: name, optional: true as const })),
          ...(proved ? [{ title: 'proved', optional: true as const }] : []),
          { title: 'trustworthy', optional: true as const },
        ],
        rows: rows.map(({ card, stated, rank, notDistinguishableFrom }, row): Inline[] => [
          `${row + 1}. ${modelTitle(card.model)}${card.model.defence === undefined ? '' : ` (${card.model.defence})`}`,
          rank,
          { rate: card.worstCaseAccuracy, style: 'strong' },
          notDistinguishableFrom.join(', ') || '-',
          { rate: card.originalAccuracy },
          ...names.map(
            (name): Inline => ({
              rate: card.threatModels.find((each) => each.name === name)?.worstCaseAccuracy ?? none,
            }),
          ),
          ...(proved ? [{ rate: card.proof?.proved ?? none }] : []),
          `${card.trustworthy?.verdict ?? 'unknown'}${stated ? ', as stated' : ''}`,
        ]),
      },
      {
        kind: 'fold',
        title: 'Conditions, models and runs',
        blocks: [
          {
            kind: 'facts',
            heads: ['what', 'which'],
            facts: [
              ['Data', code(`sha256 ${data.sha256}`)],
              ['Examples', code(`sha256 ${data.examplesSha256}`)],
              ['Settings', code(json(conditions.conditions))],
            ],
          },
          table(
            'Models and runs',
            ['model', 'sha256', 'run', 'file'],
            rows.map(({ card, file }) => [modelTitle(card.model), code(card.model.sha256), card.run, file]),
          ),
        ],
      },
    ],
  };
}

function guardSection({ conditions, rows }: GuardTable, at: number): Section {
  const { suite, data, seed, operatingPoint } = conditions;
  const point = operatingPoint === 'threshold' ? 'thresholds not calibrated' : operatingPoint;
  const title = `${suite} on ${data.name}: ${quantity(data.examples, 'example')}, ${point}, seed ${seed}`;
  return {
    id: `guards-${at + 1}`,
    title,
    blocks: [
      {
        kind: 'table',
        caption: title,
        sortable: true,
        columns: [
          { title: 'guard' },
          { title: 'rank' },
          { title: 'recall under attack' },
          { title: 'tied with row' },
          { title: 'recall' },
          { title: 'false positives' },
          { title: 'shielded', optional: true },
          { title: 'hard benign', optional: true },
          { title: 'queries', optional: true },
          { title: 'ms a text, median (95 %, 99 %)', optional: true },
          { title: 'cost of 1,000 texts', optional: true },
        ],
        rows: rows.map(({ card, rank, notDistinguishableFrom }, row): Inline[] => [
          `${row + 1}. ${modelTitle(card.model)}`,
          rank,
          { rate: card.recallUnderAttack, style: 'strong' },
          notDistinguishableFrom.join(', ') || '-',
          { rate: card.recall },
          { rate: card.falsePositiveRate },
          card.shielded === undefined ? '-' : { rate: card.shielded.recallUnderAttack },
          (card.overDefence ?? [])
            .map(({ data: of, falsePositiveRate: { value } }) => `${of.name} ${percent(value)}`)
            .join(', ') || '-',
          card.queriesToEvade?.median ?? '-',
          latencyText(card.latency),
          card.cost === undefined ? '-' : Number((1000 * card.cost.price).toPrecision(3)),
        ]),
      },
      {
        kind: 'fold',
        title: 'Guards and runs',
        blocks: [
          table(
            'Guards and runs',
            ['guard', 'sha256', 'run', 'file'],
            rows.map(({ card, file }) => [modelTitle(card.model), code(card.model.sha256), card.run, file]),
          ),
        ],
      },
    ],
  };
}

const latencyText = (latency: GuardTable['rows'][number]['card']['latency']): string =>
  latency === undefined ? '-' : `${latency.p50} (${latency.p95}, ${latency.p99})`;

const notRankedSection = (notRanked: Leaderboard['notRanked']): Section[] =>
  notRanked.length === 0
    ? []
    : [
        {
          id: 'not-ranked',
          title: 'Not ranked: inconclusive',
          blocks: [
            {
              kind: 'table',
              caption: 'Not ranked',
              columns: ['model', 'why', 'file'].map((title) => ({ title, align: 'left' as const })),
              rows: notRanked.map(({ model, reasons, file }) => [model || '-', reasons.join('; '), file]),
            },
          ],
        },
      ];
