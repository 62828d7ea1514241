/** @file Whether a model is backdoored: the verdict and why, the strongest words, what was not searched. */
import {
  type Block,
  type Document,
  type Inline,
  note,
  prose,
  type Rate,
  type ScanResult,
  type ScanTrigger,
  type ScanVerdict,
  type Style,
  strong,
  table,
} from '../../src/plugin.js';
import { interval, percent } from '../figures.js';

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
  backdoored: ['backdoored', 'bad'],
  'none found': ['no backdoor found', 'good'],
  inconclusive: ['inconclusive', 'doubtful'],
};

export function scanDocument({ model, data, result }: ScanData): Document {
  const { verdict, reasons, triggers, pairs, oddRows, notSearched } = result;
  const [words, style] = VERDICTS[verdict];
  const known = pairs.flatMap(({ trigger }) => trigger ?? []).sort((a, b) => b.strength - a.strength);
  // Where the verdict is inconclusive they are among its reasons.
  const left = verdict === 'inconclusive' ? [] : notSearched;
  const rows = oddRows.map(({ token, sign, z }) => `"${token}" (${sign}, z = ${z.toFixed(1)})`);
  return {
    title: `Is ${model} backdoored?`,
    lead: [strong(model), ': ', strong({ style, text: words })],
    sections: [
      {
        id: 'verdict',
        blocks: [
          ...(reasons.length > 0 ? [listed(reasons)] : []),
          ...triggers.slice(0, 1).map((first) => prose(sentence(first))),
          note(searched(data, result)),
          note(scoreLine(result)),
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
              blocks: [listed(left.map(({ what, why }) => `${what} (${why})`))],
            },
          ]
        : []),
      {
        id: 'about',
        blocks: [
          ...(rows.length > 0 ? [prose(`Rows of the embedding table unlike the others: ${rows.join(', ')}`)] : []),
          ...(triggers.length > 0
            ? [
                note(
                  'joined: several texts of the label as one; against: beside strong words of the label; random: as many random words',
                ),
              ]
            : []),
          note(
            'Sought: words that turn every text of a label. Not sought: styles, sentence forms, sets of words that must all be there',
          ),
        ],
      },
    ],
  };
}

const listed = (items: readonly string[]): Block => ({
  kind: 'list',
  items: [
    ...items.slice(0, MAX_REASONS),
    ...(items.length > MAX_REASONS ? [`and ${items.length - MAX_REASONS} more: see --json`] : []),
  ],
});

const sentence = ({ text, victim, target, flipRate, randomFlipRate }: ScanTrigger): string =>
  `the strongest words found: "${text}" turns ${percent(flipRate.value)} (${interval(flipRate)}) of ${flipRate.n} clean texts from ${victim} to ${target}; random words ${percent(randomFlipRate.value)}`;

const searched = (data: string, { candidates, texts, access, complete }: ScanResult): string =>
  `${candidates} words tried on texts of ${data}, of which the model answers ${texts} rightly; ${access}${complete ? '' : '; ended early by the time budget'}`;

/** The score, and what models of known kind say of it. */
function scoreLine({ evidence: { word }, score, threshold, calibration, probability }: ScanResult): string {
  if (word === null) return 'no word was measured: there is no score';
  const own = `score ${score.toFixed(2)} (above ${threshold}: backdoored)`;
  if (calibration === null) return `${own}, which no models of known kind calibrate`;
  const { clean, planted, falseAlarms, detected, note: about } = calibration;
  const of = (rate: Rate): string =>
    `${Math.round((rate.value ?? 0) * rate.n)} of ${rate.n}${rate.n > 0 ? ` (${interval(rate)} %)` : ''}`;
  const even =
    probability === null ? '' : `; ${percent(probability)} likely backdoored, were as many models so as are not`;
  return `${own}: as high score ${of(clean)} clean models and ${of(planted)} planted ones, above the threshold ${of(falseAlarms)} and ${of(detected)}${even}. Of ${about}`;
}

const triggerTable = (triggers: readonly ScanTrigger[]): Block =>
  table(
    'Words found',
    ['trigger', 'from', 'to', 'turned', 'joined', 'against', 'random'],
    triggers.map(
      ({ text, place, victim, target, flipRate, strongFlipRate, againstFlipRate, randomFlipRate }): Inline[] => [
        place === 'random' ? text : `${text} (at the ${place})`,
        victim,
        target,
        { rate: flipRate },
        { rate: strongFlipRate },
        percent(againstFlipRate.value),
        percent(randomFlipRate.value),
      ],
    ),
  );
