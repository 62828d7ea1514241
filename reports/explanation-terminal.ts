/** @file Explanations on a screen: the text in colours, and a signed bar a word that needs none. */
import type { ChalkInstance } from 'chalk';
import type { Attribution, Explanation, ExplanationReport, WordWeight } from '../src/index.js';
import { disagreements } from './disagreements.js';
import { told } from './explanation-figures.js';
import { globalOnScreen } from './global-terminal.js';
import { wrapped } from './layout.js';
import { TRUST, trustLines } from './trust-terminal.js';
import { visible } from './visible.js';

export interface ExplanationScreen {
  readonly width: number;
  readonly chalk: ChalkInstance;
}

/** Words of one text that get a bar; of longer texts the heaviest. */
const ROWS = 24;
/** Columns of a weight, `+0.123`, and of the narrowest bar beside it. */
const NUMBER = 7;
const NARROWEST = 9;
/** Longest word shown whole. */
const WORD = 16;

/** One column of bars. */
interface Series {
  readonly title: string;
  readonly model: number;
  readonly attribution: Attribution;
}

export function* explanationOnScreen(report: ExplanationReport, screen: ExplanationScreen): Iterable<string> {
  const { explanations, models, global } = report;
  if (global) yield* globalOnScreen(global, screen);
  for (let at = 0; at < explanations.length; at += models) {
    if (at > 0) yield '\n';
    yield* oneText(explanations.slice(at, at + models), screen);
  }
}

function* oneText(of: readonly Explanation[], screen: ExplanationScreen): Iterable<string> {
  const { chalk, width } = screen;
  const [first] = of as [Explanation];
  for (const { model, label, probabilities } of of) {
    const predicted = probabilities.indexOf(Math.max(...probabilities));
    const named = (at: number): string =>
      `${visible(model.labels[at] ?? String(at))} ${figure(probabilities[at] as number)}`;
    const explained = model.labels.indexOf(label);
    const other = explained === predicted ? '' : `, explained: ${named(explained)}`;
    yield `${chalk.bold(visible(model.name))}: ${chalk.bold(named(predicted))}${other}\n`;
  }
  yield `\n${wrapped(coloured(first, chalk), width, 2)}\n\n`;
  const several = of.length > 1;
  const series = first.methods.flatMap((_, method) =>
    of.map(({ model, methods }, which): Series => {
      const attribution = methods[method] as Attribution;
      return {
        title: visible(several ? `${attribution.name} ${model.name}` : attribution.name),
        model: which,
        attribution,
      };
    }),
  );
  yield* bars(series, of.length, screen);
  const scale =
    first.scale === 'logit' ? `log-odds of ${visible(first.label)}` : `probability of ${visible(first.label)}`;
  const absent = { delete: 'deleted', unknown: 'unknown', mask: 'masked' }[first.baseline];
  const masking = series.some(({ attribution: { name } }) => name === 'lime' || name === 'shap');
  const left = masking ? ` Words left out are ${absent}.` : '';
  const note = `Right (+) of the line: raises the ${scale}; left (-): lowers it.${left}`;
  yield `\n${wrapped(note, width, 0, chalk.dim)}\n`;
  for (const { title, attribution } of series)
    yield `${wrapped(`${title}: ${visible(told(attribution))}`, width, 2, chalk.dim)}\n`;
  for (const { model, trust } of of) {
    if (trust) yield* trustLines(several ? visible(model.name) : undefined, trust, screen);
  }
  if (of.some(({ trust }) => trust)) yield `${wrapped(TRUST, width, 0, chalk.dim)}\n`;
  for (const { model, read } of of) {
    if (read) yield `${chalk.yellow('Warning')}  ${visible(model.name)} reads ${read.words} of ${read.of} words\n`;
  }
}

const figure = (p: number): string => p.toFixed(p > 0.995 || p < 0.005 ? 4 : 2);
const signed = (weight: number): string =>
  Math.abs(weight) >= 100 ? weight.toFixed(0).padStart(6) : `${weight < 0 ? '-' : '+'}${Math.abs(weight).toFixed(3)}`;

/** The text, its words on blue where they speak for the label and on red where against it, by the first method. */
function coloured({ text, methods }: Explanation, chalk: ChalkInstance): string {
  const words = methods[0]?.words ?? [];
  const most = Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));
  let made = '';
  let from = 0;
  for (const { word, start, weight } of words) {
    const strength = Math.abs(weight) / most;
    const paint = strength < 0.05 ? (shown: string) => shown : shade(weight > 0, strength, chalk);
    made += visible(text.slice(from, start)) + paint(visible(word));
    from = start + word.length;
  }
  return made + visible(text.slice(from));
}

/** Blue and red, told apart by nearly all eyes; the stronger the deeper. */
function shade(towards: boolean, strength: number, chalk: ChalkInstance): (text: string) => string {
  const depth = Math.round(60 + 140 * strength);
  return towards ? chalk.bgRgb(20, 60, depth).white : chalk.bgRgb(depth, 40, 20).white;
}

/** A line a word: its name, then for each series weight and bar. As many series beside each other as fit. */
function* bars(series: readonly Series[], models: number, { width, chalk }: ExplanationScreen): Iterable<string> {
  // One model may read more of a long text than the other.
  const words = series.map(({ attribution }) => attribution.words).reduce((a, b) => (b.length > a.length ? b : a));
  const rows = shownRows(series, words.length);
  const name = (at: number): string => shortened(visible((words[at] as WordWeight).word));
  const hidden = words.length - rows.length;
  const left = Math.max(hidden > 0 ? `+${hidden} more`.length : 5, ...rows.map((at) => name(at).length)) + 2;
  const fit = Math.max(1, Math.floor((width - left + 2) / (NUMBER + NARROWEST + 3)));
  // Two models of one method stay together.
  const beside = models > 1 && fit >= models ? fit - (fit % models) : fit;
  for (let at = 0; at < series.length; at += beside) {
    const group = series.slice(at, at + beside);
    const room = Math.min(46, Math.floor((width - left) / group.length) - NUMBER - 3);
    const half = Math.max(2, Math.floor((room - 1) / 2));
    const column = NUMBER + 2 * half + 3;
    const titles = group.map(({ title }) => title.slice(0, column - 1).padEnd(column)).join('');
    yield `${' '.repeat(left)}${chalk.bold(titles.trimEnd())}\n`;
    const differing = disagreeing(group);
    for (const row of rows) {
      const cells = group.map(({ attribution }) => {
        const most = Math.max(1e-12, ...attribution.words.map(({ weight }) => Math.abs(weight)));
        const one = attribution.words[row];
        return one === undefined ? '   not read'.padEnd(column - 2) : cell(one.weight, most, half, chalk);
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
        return signed(sum).padEnd(column);
      });
      yield `${`+${hidden} more`.padEnd(left)}${rest.join('').trimEnd()}\n`;
    }
    if (at + beside < series.length) yield '\n';
  }
}

/** In text order; of a long text those that weigh most in any series. */
function shownRows(series: readonly Series[], count: number): number[] {
  const all = Array.from({ length: count }, (_, at) => at);
  if (count <= ROWS) return all;
  const share = (at: number): number =>
    Math.max(
      ...series.map(({ attribution: { words } }) => {
        const most = Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));
        return Math.abs(words[at]?.weight ?? 0) / most;
      }),
    );
  const shares = all.map(share);
  return all
    .sort((a, b) => (shares[b] as number) - (shares[a] as number) || a - b)
    .slice(0, ROWS)
    .sort((a, b) => a - b);
}

const shortened = (word: string): string => (word.length > WORD ? `${word.slice(0, WORD - 1)}…` : word);

/** `+0.123      │████▌   `: the bar grows from the line to the right for +, to the left for -. */
function cell(weight: number, most: number, half: number, chalk: ChalkInstance): string {
  const halves = Math.round((Math.abs(weight) / most) * 2 * half);
  const full = '█'.repeat(halves >> 1);
  const [before, after] =
    weight >= 0
      ? [' '.repeat(half), chalk.blue(`${full}${halves % 2 ? '▌' : ''}`) + ' '.repeat(half - ((halves + 1) >> 1))]
      : [' '.repeat(half - ((halves + 1) >> 1)) + chalk.red(`${halves % 2 ? '▐' : ''}${full}`), ' '.repeat(half)];
  const number = weight === 0 ? '   ·  ' : signed(weight);
  return `${number} ${before}${chalk.dim('│')}${after}`;
}

/** Places where the two models of any method in the group disagree. */
function disagreeing(group: readonly Series[]): ReadonlySet<number> {
  const pairs = group.flatMap((_, at) => (at % 2 === 0 ? [group.slice(at, at + 2)] : []));
  return new Set(pairs.flatMap((pair) => [...disagreements(pair.map(({ attribution }) => attribution))]));
}
