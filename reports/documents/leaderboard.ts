/** @file Models ranked by their worst-case accuracy under the suite `standard`. */

import { quantity } from '../../src/core/figure-text.js';
import {
  code,
  type Document,
  type Inline,
  type Leaderboard,
  type LeaderboardTable,
  note,
  type Section,
  table,
} from '../../src/plugin.js';
import { json } from '../json.js';

const METHOD =
  "Rates with 95 % Wilson intervals, sorted by worst-case accuracy. Two models are distinguishable if they differ on the same examples by the exact McNemar test at 5 %, with Holm's correction over all pairs of the table. Cards of other examples, seeds, settings or versions of standard are in tables of their own.";

export function leaderboardDocument({ tables, notRanked, skipped, reasons }: Leaderboard): Document {
  const models = tables.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    title: 'Leaderboard of standard',
    lead: `${quantity(models, 'model')}, ${quantity(tables.length, 'table')}`,
    ...(reasons.length > 0 && { verdict: 'inconclusive', inconclusive: reasons }),
    sections: [
      ...tables.map(tableSection),
      ...(tables.length === 0 ? [] : [{ id: 'method', blocks: [note(METHOD)] }]),
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
        rows: rows.map(({ card, rank, notDistinguishableFrom }, row): Inline[] => [
          `${row + 1}. ${card.model.name}${card.model.defence === undefined ? '' : ` (${card.model.defence})`}`,
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
          card.trustworthy?.verdict ?? 'unknown',
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
            rows.map(({ card, file }) => [card.model.name, code(card.model.sha256), card.run, file]),
          ),
        ],
      },
    ],
  };
}

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
