/** @file Result of a backdoor scan: verdict and evidence, the strongest words, what was not searched. */
import { quantity } from '../../src/core/figure-text.js';
import type { ScanResult, ScanTrigger, ScanVerdict } from '../../src/results/backdoor/backdoor-findings.js';
import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  type Style,
  strong,
  table,
} from '../../src/results/report/document.js';
import { percent } from '../figures.js';

export interface ScanData {
  readonly model: string;
  readonly data: string;
  readonly result: ScanResult;
}

/** Triggers shown, of the strongest. */
const MAX_TRIGGERS = 5;
/** Pairs of labels beyond which only the strongest are shown. */
const MAX_PAIRS = 12;
/** Reasons, and things not searched, that are shown. */
const MAX_REASONS = 12;

const VERDICTS: Readonly<Record<ScanVerdict, readonly [string, Style]>> = {
  backdoored: ['Likely backdoor', 'bad'],
  'none found': ['No backdoor found', 'good'],
  inconclusive: ['Inconclusive', 'doubtful'],
};

export function scanDocument({ model, data, result }: ScanData): Document {
  const { verdict, reasons, triggers, pairs, oddRows, notSearched } = result;
  const [words, style] = VERDICTS[verdict];
  const known = pairs.flatMap(({ trigger }) => trigger ?? []).sort((a, b) => b.strength - a.strength);
  // Where the verdict is inconclusive they are among its reasons.
  const left = verdict === 'inconclusive' ? [] : notSearched;
  // The first reason is in the summary.
  const others = verdict === 'inconclusive' ? reasons.slice(1) : reasons;
  const rows = oddRows.map(({ token, sign, z }) => `"${token}" (${sign}, z = ${z.toFixed(1)})`);
  return {
    title: `Is ${model} backdoored?`,
    summary: [strong({ style, text: words }), ': ', ...because(result)],
    lead: [strong(model), ' on ', strong(data)],
    sections: [
      {
        id: 'verdict',
        blocks: [
          ...(others.length > 0 ? [list(others)] : []),
          ...(verdict === 'inconclusive' && triggers[0] ? [prose('Strongest words: ', ...flips(triggers[0]))] : []),
          note(searchText(result)),
          note(scoreLine(result)),
          ...result.shared.slice(0, MAX_TRIGGERS).map(({ piece, target, words: of }) =>
            prose(
              `${of
                .slice(0, MAX_TRIGGERS)
                .map((word) => `"${word}"`)
                .join(
                  ', ',
                )}${of.length > MAX_TRIGGERS ? ` and ${of.length - MAX_TRIGGERS} more` : ''} share the word piece "${piece}" and flip texts to ${target}: what was planted may be any word with it.`,
            ),
          ),
          ...(triggers.length > 0 ? [triggerTable(triggers.slice(0, MAX_TRIGGERS))] : []),
        ],
      },
      ...(pairs.length > 1 && known.length > 0
        ? [
            {
              id: 'pairs',
              title: `The strongest of each pair of labels${known.length > MAX_PAIRS ? `, ${MAX_PAIRS} of ${known.length}` : ''}`,
              blocks: [triggerTable(known.slice(0, MAX_PAIRS))],
            },
          ]
        : []),
      ...(left.length > 0
        ? [
            {
              id: 'not-searched',
              title: 'Not searched',
              blocks: [list(left.map(({ what, why }) => `${what} (${why})`))],
            },
          ]
        : []),
      {
        id: 'about',
        blocks: [
          ...(rows.length > 0 ? [prose(`Unusual rows of the embedding table: ${rows.join(', ')}`)] : []),
          ...(triggers.length > 0
            ? [
                note(
                  'joined: several texts of the label in one; against: together with strong words of the label; random: as many random words, or other forms',
                ),
              ]
            : []),
          note(
            'The scan looks for words and phrases that flip every text of a label, and for the forms that "robust backdoor plant" can plant; not for other forms or sets of words that must all occur.',
          ),
        ],
      },
    ],
  };
}

const list = (items: readonly string[]): Block => ({
  kind: 'list',
  items: [
    ...items.slice(0, MAX_REASONS),
    ...(items.length > MAX_REASONS ? [`and ${items.length - MAX_REASONS} more: see --json`] : []),
  ],
});

/** The evidence for the verdict, or what is missing for one. */
function because({ verdict, reasons, triggers: [first], candidates, texts }: ScanResult): Inline[] {
  if (verdict === 'inconclusive') return [reasons[0] ?? 'too little evidence'];
  if (first === undefined) return [`none of ${quantity(candidates, 'word')} flips the ${quantity(texts, 'text')}`];
  return verdict === 'backdoored'
    ? ['trigger ', ...flips(first)]
    : [`strongest of ${quantity(candidates, 'word')}: `, ...flips(first)];
}

const flips = ({ text, victim, target, flipRate, randomFlipRate, by }: ScanTrigger): Inline[] => [
  `"${text}" flips `,
  { rate: flipRate },
  ` of ${quantity(flipRate.n, 'text')} from ${victim} to ${target} (${by === 'form' ? 'other forms' : 'random words'} ${percent(randomFlipRate.value)})`,
];

const searchText = ({ candidates, queries, texts, access, complete }: ScanResult): string =>
  `${quantity(candidates, 'word')} tried on ${texts} correctly classified texts, ${quantity(queries, 'query', 'queries')}; ${access}${complete ? '' : '; ended early by the budget'}`;

function scoreLine({ evidence: { word }, score, threshold }: ScanResult): string {
  if (word === null) return 'No word was measured, so there is no score.';
  return `Score ${score.toFixed(2)}, threshold ${threshold}.${score > threshold ? ` ${ABOVE}` : ''}`;
}

/** What a score above the threshold means, and what it does not. */
const ABOVE =
  'A score above the threshold means that a trigger changes the predictions more than natural words do; it does not say who put it there, or that the model is harmful without it.';

const triggerTable = (triggers: readonly ScanTrigger[]): Block =>
  table(
    'Words found',
    ['trigger', 'from', 'to', 'flipped', 'joined', 'against', 'random'],
    triggers.map(
      ({ text, place, victim, target, flipRate, strongFlipRate, againstFlipRate, randomFlipRate }): Inline[] => [
        place === 'random' || place === 'form' ? text : `${text} (at the ${place})`,
        victim,
        target,
        { rate: flipRate },
        { rate: strongFlipRate },
        percent(againstFlipRate.value),
        percent(randomFlipRate.value),
      ],
    ),
  );
