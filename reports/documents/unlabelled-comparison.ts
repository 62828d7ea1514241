/** @file Two models over one log without labels. */
import { quantity } from '../../src/core/figure-text.js';
import {
  type Block,
  code,
  type Document,
  decisionText,
  type Inline,
  note,
  type Section,
  strong,
  table,
  type UnlabelledComparison,
} from '../../src/plugin.js';
import { bounds, percent, points, probability } from '../figures.js';
import { overrideFacts, provenanceSection } from './provenance.js';

/** Texts shown to people; the JSON document has more. */
const MAX_TEXTS = 10;

const METHOD =
  'Each different text counts once. Laxer: a flags the text, b does not. Difference: share flagged by b minus share flagged by a, in points with a 95 % interval (Newcombe, paired). p: exact McNemar test, Holm-corrected over all slices of at least 30 texts. Rates with 95 % Wilson intervals. Slices of one kind may overlap.';

export function unlabelledDocument(report: UnlabelledComparison): Document {
  const { models, data, seed, verdict, reasons, disagreement, toolVersion, provenance, command } = report;
  const [a, b] = models.map(({ name }) => name) as [string, string];
  return {
    title: `${b} vs. ${a} without labels`,
    lead: [
      strong(`a: ${a}`),
      ', ',
      strong(`b: ${b}`),
      ` on ${data.name}, ${quantity(data.texts, 'text')}, ${data.different} different, seed ${seed}`,
    ],
    summary: [
      verdict === 'inconclusive' ? 'Inconclusive: ' : '',
      'a and b disagree on ',
      { rate: disagreement, style: 'strong' },
      ` of ${quantity(disagreement.n, 'text')}`,
    ],
    ...(verdict === 'inconclusive' && { verdict, inconclusive: reasons }),
    sections: [
      directions(report),
      ...slices(report),
      evasion(report),
      ...differing(report),
      { id: 'about', blocks: [note(METHOD)] },
      provenanceSection(
        [
          ...models.map(
            ({ name, sha256, decision, labels }, at) =>
              [
                at === 0 ? 'a' : 'b',
                {
                  lines: [
                    name,
                    decision === undefined ? `the most probable of ${labels.join(', ')}` : decisionText(decision),
                    code(`sha256 ${sha256}`),
                  ],
                },
              ] as const,
          ),
          ['Data', { lines: [`${data.name}, ${quantity(data.texts, 'text')}`, code(`sha256 ${data.sha256}`)] }],
          ['Tool', `robust ${toolVersion}`],
          ...overrideFacts(provenance),
        ],
        [{ kind: 'command', line: command }],
      ),
    ],
  };
}

const flags = ({ models }: UnlabelledComparison): boolean => models.every(({ flagged }) => flagged.n > 0);

function directions(report: UnlabelledComparison): Section {
  const { models, laxer, stricter, other, difference, mcnemarP } = report;
  const rows: [Inline, Inline][] = [
    ...(flags(report)
      ? ([
          ...models.map(({ flagged }, at): [Inline, Inline] => [
            `flagged by ${at === 0 ? 'a' : 'b'}`,
            { rate: flagged },
          ]),
          ['laxer: flagged by a, not by b', { rate: laxer, style: 'strong' }],
          ['stricter: flagged by b, not by a', { rate: stricter, style: 'strong' }],
          ['difference in points', `${points(difference.value)} (${bounds(difference)}), p ${probability(mcnemarP)}`],
        ] as [Inline, Inline][])
      : []),
    ...(other.value === 0 && flags(report) ? [] : [['other labels', { rate: other }] as [Inline, Inline]]),
  ];
  return { id: 'disagreement', title: 'Disagreement', blocks: [table('Disagreement', ['', 'share of texts'], rows)] };
}

function slices(report: UnlabelledComparison): Section[] {
  if (report.slices.length === 0) return [];
  const directed = flags(report);
  return [
    {
      id: 'slices',
      title: 'Slices',
      blocks: [
        {
          kind: 'table',
          caption: 'Slices',
          sortable: true,
          columns: [
            { title: 'slice' },
            { title: 'n' },
            { title: 'disagreement', ...(directed && { optional: true as const }) },
            ...(directed
              ? [
                  { title: 'laxer', optional: true as const },
                  { title: 'stricter', optional: true as const },
                  { title: 'difference' },
                  { title: 'p' },
                ]
              : []),
          ],
          rows: report.slices.map((slice): Inline[] => [
            `${slice.kind}: ${slice.name}`,
            slice.disagreement.n,
            { rate: slice.disagreement },
            ...(directed
              ? [percent(slice.laxer.value), percent(slice.stricter.value), differenceOf(slice), significance(slice)]
              : []),
          ]),
        },
      ],
    },
  ];
}

const differenceOf = ({ difference }: Pick<UnlabelledComparison, 'difference'>): string =>
  `${points(difference.value)} (${bounds(difference)})`;

const significance = ({ adjustedP, verdict }: UnlabelledComparison['slices'][number]): string => {
  if (verdict === 'inconclusive') return verdict;
  return `${probability(adjustedP)}${verdict === 'none' ? '' : `, ${verdict}`}`;
};

function evasion({ evasion: found }: UnlabelledComparison): Section {
  const { attacks, goal, queryBudget, attacked } = found;
  const rows = [{ name: 'any attack', ...found, adjustedP: found.mcnemarP }, ...attacks];
  const blocks: Block[] = [
    {
      kind: 'table',
      caption: 'Under attack',
      sortable: true,
      columns: [
        { title: 'flipped by' },
        { title: 'a' },
        { title: 'b' },
        { title: 'newly evadable' },
        { title: 'no longer', optional: true },
        { title: 'difference', optional: true },
        { title: 'p' },
      ],
      rows: rows.map((row): Inline[] => [
        row.name,
        percent(row.a.value),
        percent(row.b.value),
        { rate: row.newlyEvadable, style: 'strong' },
        { rate: row.noLongerEvadable },
        differenceOf(row),
        probability(row.adjustedP),
      ]),
    },
    note(
      `${quantity(attacked, 'text')} that a and b answer alike, goal "${goal}", at most ${quantity(queryBudget, 'query', 'queries')} for each attack and text. Newly evadable: flipped on b and not on a. p: exact McNemar test, Holm-corrected over the attacks.`,
    ),
  ];
  const shown = found.texts.slice(0, MAX_TEXTS);
  const list: Block[] =
    shown.length === 0
      ? []
      : [
          {
            kind: 'heading',
            text: `Newly evadable: ${found.texts.length}${found.texts.length > shown.length ? ` (${shown.length} shown)` : ''}`,
          },
          {
            kind: 'facts',
            heads: ['text', 'first attack that flips b'],
            facts: shown.map(({ id, sha256, text, attack, adversarial }) => [
              `text ${id}`,
              adversarial === undefined || text === undefined
                ? `${attack}, sha256 ${sha256.slice(0, 12)}`
                : [attack, ': ', { before: text, after: adversarial }],
            ]),
          },
        ];
  return { id: 'evasion', title: 'Under attack', blocks: [...blocks, ...list] };
}

function differing({ differing: all, disagreement }: UnlabelledComparison): Section[] {
  if (all.length === 0) return [];
  const total = Math.round((disagreement.value ?? 0) * disagreement.n);
  const shown = all.slice(0, MAX_TEXTS);
  return [
    {
      id: 'differing',
      title: `Texts with different answers: ${total}${total > shown.length ? ` (${shown.length} shown)` : ''}`,
      blocks: [
        ...(shown.some(({ text }) => text !== undefined) ? [] : [note('--show-texts shows the texts.')]),
        {
          kind: 'facts',
          heads: ['text', 'a -> b'],
          facts: shown.map(({ id, sha256, text, a, b, copies }) => [
            `text ${id}`,
            [
              `${a} -> ${b}${copies > 1 ? ` (${quantity(copies, 'copy', 'copies')})` : ''} `,
              text ?? `sha256 ${sha256.slice(0, 12)}`,
            ],
          ]),
        },
      ],
    },
  ];
}
