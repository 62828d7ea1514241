/** @file Prints the weights of a text's words: the text in colours, and a signed bar for each word, readable without colours. */
import type { ChalkInstance } from 'chalk';
import type { Explanation, WordWeight } from '../../src/results/report/explanation.js';
import {
  disagreements,
  heaviestWeight,
  isUndirected,
  seriesOf,
  shownWords,
  type WordSeries,
} from '../explained-words.js';
import { signed } from '../figures.js';
import { type Screen, wrapLines } from '../layout.js';
import { visible } from '../visible.js';

/** Words of one text that get a bar; of longer texts the heaviest. */
const MAX_BARS = 24;
/** Columns of a weight, `+0.123`, and of the narrowest bar beside it. */
const WEIGHT_COLUMNS = 7;
const MIN_BAR_COLUMNS = 9;
/** Longest word shown whole. */
const MAX_WORD_COLUMNS = 16;

/** The text in colours by its first method, then a bar a word. */
export function* weightBars(explanations: readonly Explanation[], screen: Screen): Iterable<string> {
  const [first] = explanations;
  if (first === undefined) return;
  yield `${wrapLines(colourText(first, screen.chalk), screen.width, 2)}\n\n`;
  yield* bars(seriesOf(explanations), explanations.length, screen);
}

const figure = (weight: number): string => (Math.abs(weight) >= 100 ? weight.toFixed(0).padStart(6) : signed(weight));

/** The text, its words on blue where they speak for the label and on red where against it, by the first method. */
function colourText({ text, methods }: Explanation, chalk: ChalkInstance): string {
  const [method] = methods;
  const words = method?.words ?? [];
  const most = method === undefined ? 1 : heaviestWeight(method);
  let made = '';
  let from = 0;
  for (const { word, start, weight } of words) {
    const strength = Math.abs(weight) / most;
    const paint =
      strength < 0.05
        ? (shown: string) => shown
        : shade(method && isUndirected(method) ? undefined : weight > 0, strength, chalk);
    made += visible(text.slice(from, start)) + paint(visible(word));
    from = start + word.length;
  }
  return made + visible(text.slice(from));
}

/** Blue and red, which nearly all readers can distinguish; deeper is stronger. */
function shade(towards: boolean | undefined, strength: number, chalk: ChalkInstance): (text: string) => string {
  const depth = Math.round(60 + 140 * strength);
  if (towards === undefined) return chalk.bgRgb(depth, depth, depth)[strength > 0.5 ? 'black' : 'white'];
  return towards ? chalk.bgRgb(20, 60, depth).white : chalk.bgRgb(depth, 40, 20).white;
}

/** A line a word: its name, then for each series weight and bar. As many series beside each other as fit. */
function* bars(series: readonly WordSeries[], models: number, { width, chalk }: Screen): Iterable<string> {
  // One model may read more of a long text than the other.
  const words = series.map(({ attribution }) => attribution.words).reduce((a, b) => (b.length > a.length ? b : a));
  const rows = shownWords(
    series.map(({ attribution }) => attribution),
    MAX_BARS,
  );
  const name = (at: number): string => shorten(visible((words[at] as WordWeight).word));
  const hidden = words.length - rows.length;
  const left = Math.max(hidden > 0 ? `+${hidden} more`.length : 5, ...rows.map((at) => name(at).length)) + 2;
  const fit = Math.max(1, Math.floor((width - left + 2) / (WEIGHT_COLUMNS + MIN_BAR_COLUMNS + 3)));
  // Two models of one method stay together.
  const beside = models > 1 && fit >= models ? fit - (fit % models) : fit;
  for (let at = 0; at < series.length; at += beside) {
    const group = series.slice(at, at + beside);
    const room = Math.min(46, Math.floor((width - left) / group.length) - WEIGHT_COLUMNS - 3);
    const half = Math.max(2, Math.floor((room - 1) / 2));
    const column = WEIGHT_COLUMNS + 2 * half + 3;
    const titles = group
      .map(({ title }) =>
        visible(title)
          .slice(0, column - 1)
          .padEnd(column),
      )
      .join('');
    yield `${' '.repeat(left)}${chalk.bold(titles.trimEnd())}\n`;
    const differing = disagreeing(group);
    for (const row of rows) {
      const cells = group.map(({ attribution }) => {
        const one = attribution.words[row];
        if (one === undefined) return '   not read'.padEnd(column - 2);
        return cell(one.weight, heaviestWeight(attribution), half, chalk, isUndirected(attribution));
      });
      const mark = models === 2 && differing.has(row) ? ' ≠' : '';
      yield `${name(row).padEnd(left)}${(cells.join('  ') + mark).trimEnd()}\n`;
    }
    if (hidden > 0) {
      const rest = group.map(({ attribution }) => {
        const sum = attribution.words.reduce(
          (total, { weight }, word) => total + (rows.includes(word) ? 0 : weight),
          0,
        );
        return figure(sum).padEnd(column);
      });
      yield `${`+${hidden} more`.padEnd(left)}${rest.join('').trimEnd()}\n`;
    }
    if (at + beside < series.length) yield '\n';
  }
}

const shorten = (word: string): string =>
  word.length > MAX_WORD_COLUMNS ? `${word.slice(0, MAX_WORD_COLUMNS - 1)}…` : word;

/** `+0.123      │████▌   `: the bar grows from the line to the right for +, to the left for -. */
function cell(weight: number, most: number, half: number, chalk: ChalkInstance, undirected: boolean): string {
  const halves = Math.round((Math.abs(weight) / most) * 2 * half);
  const full = '█'.repeat(halves >> 1);
  const [before, after] =
    weight >= 0
      ? [
          ' '.repeat(half),
          (undirected ? chalk.gray : chalk.blue)(`${full}${halves % 2 ? '▌' : ''}`) +
            ' '.repeat(half - ((halves + 1) >> 1)),
        ]
      : [' '.repeat(half - ((halves + 1) >> 1)) + chalk.red(`${halves % 2 ? '▐' : ''}${full}`), ' '.repeat(half)];
  const number = weight === 0 ? '   ·  ' : undirected ? ` ${figure(weight).slice(1)}` : figure(weight);
  return `${number} ${before}${chalk.dim('│')}${after}`;
}

/** Places where the two models of any method in the group disagree. */
function disagreeing(group: readonly WordSeries[]): ReadonlySet<number> {
  const pairs = group.flatMap((_, at) => (at % 2 === 0 ? [group.slice(at, at + 2)] : []));
  return new Set(pairs.flatMap((pair) => [...disagreements(pair.map(({ attribution }) => attribution))]));
}
