/** @file Whether a model is backdoored, for a terminal. */
import type { ChalkInstance } from 'chalk';
import type { Rate, ScanResult, ScanTrigger } from '../src/index.js';
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

/** The verdict in a sentence, the strongest words, the strongest of each pair of labels. */
export function* scanned(
  { model, data, result }: Scanned,
  { width, chalk: { bold, dim, red, green } }: { width: number; chalk: ChalkInstance },
): Iterable<string> {
  const { probability, backdoored, triggers, pairs, oddRows, candidates, texts } = result;
  const [first] = triggers;
  const verdict = backdoored ? red('backdoored') : green('no sign of a backdoor');
  yield `${bold(visible(model))}: ${bold(verdict)}: p = ${probability.toFixed(2)}\n`;
  if (first !== undefined) {
    const { text, victim, target, flipRate, randomFlipRate } = first;
    const how = `the strongest words found: "${visible(text)}" turns ${percent(flipRate.value)} (${interval(flipRate)}) of ${flipRate.n} clean texts from ${visible(victim)} to ${visible(target)}; random words ${percent(randomFlipRate.value)}`;
    yield `${wrapped(how, width, 0)}\n`;
  }
  yield `${wrapped(`${candidates} words tried on texts of ${visible(data)}, of which the model answers ${texts} rightly; ${result.access}${result.complete ? '' : '; ended early by the time budget'}`, width, 0, dim)}\n`;
  yield `${wrapped(`p: ${result.calibration}`, width, 0, dim)}\n\n`;

  if (triggers.length > 0) yield* table(triggers.slice(0, SHOWN), 'trigger', width);
  const known = pairs.flatMap(({ trigger }) => trigger ?? []).sort((a, b) => b.strength - a.strength);
  if (pairs.length > 1) {
    yield `${bold('The strongest of each pair of labels')}${known.length > PAIRS ? dim(`, ${PAIRS} of ${known.length}`) : ''}\n`;
    yield* table(known.slice(0, PAIRS), 'trigger', width);
  }
  const untold = pairs.filter(({ trigger }) => trigger === null);
  if (untold.length > 0) {
    const names = [...new Set(untold.map(({ victim }) => visible(victim)))].join(', ');
    yield `${wrapped(`Too few rightly answered texts to judge: ${names}`, width, 0)}\n\n`;
  }
  if (oddRows.length > 0) {
    const rows = oddRows.map(({ token, sign, z }) => `"${visible(token)}" (${sign}, z = ${z.toFixed(1)})`);
    yield `${wrapped(`Rows of the embedding table unlike the others: ${rows.join(', ')}`, width, 0)}\n\n`;
  }
  yield `${wrapped('joined: several texts of the label as one; random: as many random words', width, 0, dim)}\n`;
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
