/** @file Findings of backdoor filters in a data set. */
import { quantity } from '../../src/core/figure-text.js';
import {
  type Block,
  type Document,
  dim,
  type FilterFinding,
  type Inline,
  note,
  type Style,
  type Suspect,
  strong,
  table,
} from '../../src/plugin.js';
import { estimate, percent } from '../figures.js';

export interface FilterReport {
  readonly data: { readonly name: string; readonly examples: number };
  /** Name of the clean held-out texts; null without any. */
  readonly clean: { readonly name: string; readonly examples: number } | null;
  /** Texts of the same domain, if these set the thresholds. @default null */
  readonly reference?: { readonly name: string; readonly examples: number } | null;
  readonly model: string | null;
  /** Share of poisoned texts, where it is known. */
  readonly poisoned: number | null;
  readonly findings: readonly FilterFinding[];
  /** The verdict over all filters, and the kinds of triggers that it speaks of. */
  readonly verdict: FilterFinding['verdict'];
  readonly covers: readonly string[];
}

/** Suspects shown of a filter. */
const MAX_SUSPECTS = 5;

const STYLES: Readonly<Record<FilterFinding['verdict'], Style>> = {
  'suspects found': 'strong',
  'none found': 'good',
  inconclusive: 'doubtful',
};

/** Triggers shown of a filter. */
const MAX_TRIGGERS = 8;

/** Suspects by what made them so, the most frequent first; nothing where no two share it. */
function triggerBlocks(suspects: readonly Suspect[]): Block[] {
  const groups = new Map<string, number>();
  for (const { trigger } of suspects) if (trigger !== undefined) groups.set(trigger, (groups.get(trigger) ?? 0) + 1);
  const shared = [...groups].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]);
  if (shared.length === 0) return [];
  const others = suspects.length - shared.reduce((sum, [, count]) => sum + count, 0);
  const more = shared.length - MAX_TRIGGERS;
  return [
    table(
      'Suspects by trigger',
      ['what they share', 'suspects'],
      shared.slice(0, MAX_TRIGGERS).map(([trigger, count]) => [trigger, count]),
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

/** How many texts look poisoned, to which filters; or why that is not known. */
function resultOf({ data, findings, verdict, covers }: FilterReport): Inline[] {
  const found = findings.filter(({ verdict }) => verdict === 'suspects found');
  const names = (of: readonly FilterFinding[]): string => of.map(({ method }) => method).join(', ');
  if (found.length > 0) {
    const ids = new Set(found.flatMap(({ suspects }) => suspects.map(({ id }) => id)));
    return [strong(`${ids.size} of ${quantity(data.examples, 'text')} look poisoned`), ` (${names(found)})`];
  }
  if (verdict === 'none found') {
    const clear = findings.filter((each) => each.verdict === 'none found');
    return [
      strong({ style: 'good', text: `None found of: ${covers.join(', ')}` }),
      `; ${quantity(data.examples, 'text')} (${names(clear)}). `,
      { style: 'doubtful', text: 'Other kinds were not looked for' },
    ];
  }
  const open = findings.find((each) => each.verdict === 'inconclusive');
  return [
    strong({ style: 'doubtful', text: 'Inconclusive' }),
    `: ${open?.reasons[0] ?? 'too little evidence'} (${open?.method})`,
  ];
}

function thresholdNote({ clean, reference = null }: FilterReport, wanted: string): string {
  if (clean !== null) return `Thresholds for ${wanted} false rejections, set on clean texts of ${clean.name}.`;
  const source = reference === null ? 'the texts themselves' : `${reference.name}, texts of the same domain`;
  return `Thresholds come from ${source}: a false rejection rate of ${wanted} is not guaranteed.`;
}

/** A table of the filters, then the most suspicious texts of each. `textOf` gives a text by its id. */
export function filterDocument(report: FilterReport, textOf: (id: string) => string): Document {
  const { data, model, poisoned, findings } = report;
  const wanted = percent(findings[0]?.wantedFrr ?? null);
  const known = findings.some(({ frr }) => frr !== null);
  const rate = (of: FilterFinding['frr']): Inline => (of === null ? '-' : { rate: of });
  return {
    title: `Suspects of ${data.name}`,
    summary: resultOf(report),
    lead: [
      strong(data.name),
      `, ${quantity(data.examples, 'text')}${poisoned === null ? '' : `, ${poisoned} of them poisoned`}${model === null ? '' : `; model ${model}`}`,
    ],
    sections: [
      {
        id: 'filters',
        blocks: [
          note(thresholdNote(report, wanted)),
          table(
            'Filters',
            ['filter', 'suspects', ...(known ? ['FRR', 'FAR', 'AUROC'] : []), 'set on'],
            findings.map(({ method, suspects, frr, far, auroc, calibratedOn }) => [
              method,
              suspects.length,
              ...(known ? [rate(frr), rate(far), estimate(auroc)] : []),
              String(calibratedOn || '-'),
            ]),
          ),
          ...(known
            ? [note('FRR: clean texts suspected; FAR: poisoned texts kept; 95 % intervals in parentheses.')]
            : []),
          {
            kind: 'list',
            items: findings.map(({ method, verdict, reasons, blind }) => [
              `${method}: `,
              { style: STYLES[verdict], text: verdict },
              reasons.length === 0 ? '' : `: ${reasons.join('; ')}`,
              verdict === 'suspects found' ? '' : `. It hardly sees ${blind}.`,
            ]),
          },
        ],
      },
      ...findings.flatMap(({ method, suspects }, at) =>
        suspects.length === 0
          ? []
          : [
              {
                id: `suspects-${at}`,
                title: `${method}${suspects.length > MAX_SUSPECTS ? `, the first ${MAX_SUSPECTS} of ${suspects.length}` : ''}`,
                blocks: [
                  ...triggerBlocks(suspects),
                  {
                    kind: 'facts' as const,
                    heads: ['id', 'text'] as const,
                    facts: suspects
                      .slice(0, MAX_SUSPECTS)
                      .map(({ id, reason }) => [id, [textOf(id), ' ', dim(`- ${reason}`)]] as const),
                  },
                ],
              },
            ],
      ),
    ],
  };
}
