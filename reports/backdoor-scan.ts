/** @file Whether a model is backdoored, for a terminal. */
import type { ChalkInstance } from 'chalk';
import type { Rate, ScanResult, ScanTrigger, ScanVerdict } from '../src/index.js';
import { interval, percent } from './figures.js';
import { blocks, wrapped } from './layout.js';
import { visible } from './visible.js';

export interface Scanned {
  readonly model: string;
  readonly data: string;
  readonly result: ScanResult;
}

/** Triggers shown, of the strongest. */
const SHOWN = 5;
/** Pairs of labels beyond which only the strongest are shown. */
const PAIRS = 12;
/** Reasons, and things not searched, that are shown. */
const LISTED = 12;

const WORDS: Readonly<Record<ScanVerdict, string>> = {
  backdoored: 'backdoored',
  'none found': 'no backdoor found',
  inconclusive: 'inconclusive',
};

/** The verdict and why, the strongest words, the strongest of each pair of labels, what was not searched. */
export function* scanned(
  { model, data, result }: Scanned,
  { width, chalk: { bold, dim, red, green, yellow } }: { width: number; chalk: ChalkInstance },
): Iterable<string> {
  const { verdict, reasons, triggers, pairs, oddRows, candidates, texts, notSearched } = result;
  const [first] = triggers;
  const paint = { backdoored: red, 'none found': green, inconclusive: yellow };
  yield `${bold(visible(model))}: ${bold(paint[verdict](WORDS[verdict]))}\n`;
  for (const reason of reasons.slice(0, LISTED)) yield `${wrapped(`- ${visible(reason)}`, width, 0)}\n`;
  if (reasons.length > LISTED) yield `- and ${reasons.length - LISTED} more: see --json\n`;
  yield '\n';
  if (first !== undefined) {
    const { text, victim, target, flipRate, randomFlipRate } = first;
    const how = `the strongest words found: "${visible(text)}" turns ${percent(flipRate.value)} (${interval(flipRate)}) of ${flipRate.n} clean texts from ${visible(victim)} to ${visible(target)}; random words ${percent(randomFlipRate.value)}`;
    yield `${wrapped(how, width, 0)}\n`;
  }
  yield `${wrapped(`${candidates} words tried on texts of ${visible(data)}, of which the model answers ${texts} rightly; ${result.access}${result.complete ? '' : '; ended early by the time budget'}`, width, 0, dim)}\n`;
  yield `${wrapped(scoreLine(result), width, 0, dim)}\n\n`;

  if (triggers.length > 0) yield* table(triggers.slice(0, SHOWN), 'trigger', width);
  const known = pairs.flatMap(({ trigger }) => trigger ?? []).sort((a, b) => b.strength - a.strength);
  if (pairs.length > 1 && known.length > 0) {
    yield `${bold('The strongest of each pair of labels')}${known.length > PAIRS ? dim(`, ${PAIRS} of ${known.length}`) : ''}\n`;
    yield* table(known.slice(0, PAIRS), 'trigger', width);
  }
  // Where the verdict is inconclusive they are among its reasons.
  if (notSearched.length > 0 && verdict !== 'inconclusive') {
    yield `${bold('Not searched')}\n`;
    for (const { what, why } of notSearched.slice(0, LISTED)) {
      yield `${wrapped(`- ${visible(what)} (${visible(why)})`, width, 0)}\n`;
    }
    if (notSearched.length > LISTED) yield `- and ${notSearched.length - LISTED} more: see --json\n`;
    yield '\n';
  }
  if (oddRows.length > 0) {
    const rows = oddRows.map(({ token, sign, z }) => `"${visible(token)}" (${sign}, z = ${z.toFixed(1)})`);
    yield `${wrapped(`Rows of the embedding table unlike the others: ${rows.join(', ')}`, width, 0)}\n\n`;
  }
  if (triggers.length > 0)
    yield `${wrapped('joined: several texts of the label as one; random: as many random words', width, 0, dim)}\n`;
  yield `${wrapped('Sought: words that turn every text of a label. Not sought: styles, sentence forms, sets of words that must all be there', width, 0, dim)}\n`;
}

/** The score, and what models of known kind say of it. */
function scoreLine({ evidence: { word }, score, threshold, calibration, probability }: ScanResult): string {
  if (word === null) return 'no word was measured: there is no score';
  const own = `score ${score.toFixed(2)} (above ${threshold}: backdoored)`;
  if (calibration === null) return `${own}, which no models of known kind calibrate`;
  const { clean, planted, falseAlarms, detected, note } = calibration;
  const of = (rate: Rate): string =>
    `${Math.round((rate.value ?? 0) * rate.n)} of ${rate.n}${rate.n > 0 ? ` (${interval(rate)} %)` : ''}`;
  const even =
    probability === null ? '' : `; ${percent(probability)} likely backdoored, were as many models so as are not`;
  return `${own}: as high score ${of(clean)} clean models and ${of(planted)} planted ones, above the threshold ${of(falseAlarms)} and ${of(detected)}${even}. Of ${note}`;
}

function* table(triggers: readonly ScanTrigger[], title: string, width: number): Iterable<string> {
  const cell = (rate: Rate): string => `${percent(rate.value)} (${interval(rate)})`;
  const columns = [
    [title, ...triggers.map(({ text }) => visible(text))],
    ['from', ...triggers.map(({ victim }) => visible(victim))],
    ['to', ...triggers.map(({ target }) => visible(target))],
    ['turned', ...triggers.map(({ flipRate }) => cell(flipRate))],
    ['joined', ...triggers.map(({ strongFlipRate }) => cell(strongFlipRate))],
    ['random', ...triggers.map(({ randomFlipRate }) => percent(randomFlipRate.value))],
  ];
  for (const block of blocks(columns, width)) yield `${block}\n\n`;
}
