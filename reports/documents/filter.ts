/** @file The finding of the backdoor filter in a data set. */
import { quantity } from '../../src/core/figure-text.js';
import type { FilterFinding } from '../../src/results/backdoor/backdoor-findings.js';
import {
  type Block,
  type Document,
  dim,
  type Inline,
  note,
  type Style,
  strong,
  table,
} from '../../src/results/report/document.js';
import { estimate, percent } from '../figures.js';

export interface FilterReport {
  readonly data: { readonly name: string; readonly examples: number };
  /** Name of the clean held-out texts; null without any. */
  readonly clean: { readonly name: string; readonly examples: number } | null;
  /** Texts of the same domain, if these set the threshold. @default null */
  readonly reference?: { readonly name: string; readonly examples: number } | null;
  /** Share of poisoned texts, where it is known. */
  readonly poisoned: number | null;
  readonly finding: FilterFinding;
}

/** Suspects shown. */
const MAX_SUSPECTS = 5;

const STYLES: Readonly<Record<FilterFinding['verdict'], Style>> = {
  'suspects found': 'strong',
  'none found': 'good',
  inconclusive: 'doubtful',
};

/** Triggers shown. */
const MAX_TRIGGERS = 8;

/** Suspects by what made them so: groups that are evidence with their p-values, then the most frequent; nothing where no two share it. */
function triggerBlocks({ suspects, groups }: FilterFinding): Block[] {
  const counts = new Map<string, number>();
  for (const { trigger } of suspects) if (trigger !== undefined) counts.set(trigger, (counts.get(trigger) ?? 0) + 1);
  const sure = new Map(groups.toReversed().map(({ trigger, p }) => [trigger, p]));
  const p = (trigger: string): number => sure.get(trigger) ?? 1;
  const shared = [...counts].filter(([, count]) => count > 1).sort((a, b) => p(a[0]) - p(b[0]) || b[1] - a[1]);
  if (shared.length === 0) return [];
  const others = suspects.length - shared.reduce((sum, [, count]) => sum + count, 0);
  const more = shared.length - MAX_TRIGGERS;
  return [
    table(
      'Suspects by trigger',
      ['what they share', 'suspects', 'p'],
      shared
        .slice(0, MAX_TRIGGERS)
        .map(([trigger, count]) => [trigger, count, sure.has(trigger) ? p(trigger).toPrecision(2) : '-']),
    ),
    ...(more > 0 || others > 0
      ? [
          note(
            `${[...(more > 0 ? [`${more} more are shared by fewer`] : []), ...(others > 0 ? [`${others} suspects share nothing`] : [])].join('; ')}.`,
          ),
        ]
      : []),
  ];
}

/** How many texts look poisoned, or why that is not known. */
function resultOf({ data, finding: { verdict, suspects, covers, reasons } }: FilterReport): Inline[] {
  if (verdict === 'suspects found')
    return [strong(`${suspects.length} of ${quantity(data.examples, 'text')} look poisoned`)];
  if (verdict === 'none found') {
    return [
      strong({ style: 'good', text: `None found of: ${covers.join(', ')}` }),
      `; ${quantity(data.examples, 'text')}. `,
      { style: 'doubtful', text: 'Other kinds were not looked for' },
    ];
  }
  return [strong({ style: 'doubtful', text: 'Inconclusive' }), `: ${reasons[0] ?? 'too little evidence'}`];
}

function thresholdNote({ clean, reference = null }: FilterReport, wanted: string): string {
  if (clean !== null) return `Threshold for ${wanted} false rejections, set on clean texts of ${clean.name}.`;
  const source = reference === null ? 'the texts themselves' : `${reference.name}, texts of the same domain`;
  return `The threshold comes from ${source}: a false rejection rate of ${wanted} is not guaranteed.`;
}

/** The figures, then the most suspicious texts. `textOf` gives a text by its id. */
export function filterDocument(report: FilterReport, textOf: (id: string) => string): Document {
  const { data, poisoned, finding } = report;
  const { suspects, verdict, reasons, blind, frr, far, auroc, calibratedOn } = finding;
  const known = frr !== null;
  const rate = (of: FilterFinding['frr']): Inline => (of === null ? '-' : { rate: of });
  return {
    title: `Suspects of ${data.name}`,
    summary: resultOf(report),
    lead: [
      strong(data.name),
      `, ${quantity(data.examples, 'text')}${poisoned === null ? '' : `, ${poisoned} of them poisoned`}`,
    ],
    sections: [
      {
        id: 'filter',
        blocks: [
          note(thresholdNote(report, percent(finding.wantedFrr))),
          table(
            'Filter',
            ['suspects', ...(known ? ['FRR', 'FAR', 'AUROC'] : []), 'set on'],
            [[suspects.length, ...(known ? [rate(frr), rate(far), estimate(auroc)] : []), String(calibratedOn || '-')]],
          ),
          ...(known
            ? [note('FRR: clean texts suspected; FAR: poisoned texts kept; 95 % intervals in parentheses.')]
            : []),
          {
            kind: 'list',
            items: [
              [
                { style: STYLES[verdict], text: verdict },
                reasons.length === 0 ? '' : `: ${reasons.join('; ')}`,
                verdict === 'suspects found' ? '' : `. It hardly sees ${blind}.`,
              ],
            ],
          },
        ],
      },
      ...(suspects.length === 0
        ? []
        : [
            {
              id: 'suspects',
              title: `Suspects${suspects.length > MAX_SUSPECTS ? `, the first ${MAX_SUSPECTS} of ${suspects.length}` : ''}`,
              blocks: [
                ...triggerBlocks(finding),
                {
                  kind: 'facts' as const,
                  heads: ['id', 'text'] as const,
                  facts: suspects
                    .slice(0, MAX_SUSPECTS)
                    .map(({ id, reason }) => [id, [textOf(id), ' ', dim(`- ${reason}`)]] as const),
                },
              ],
            },
          ]),
    ],
  };
}
