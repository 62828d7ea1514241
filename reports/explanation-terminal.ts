/** @file Explanations on a screen: the text in colours, and a signed bar a word that needs none. */
import type { ChalkInstance } from 'chalk';
import type { Attribution, Explanation, ExplanationReport, WordWeight } from '../src/index.js';
import { globalOnScreen } from './global-terminal.js';
import { wrapped } from './layout.js';
import { trustLines } from './trust-terminal.js';
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
        title: several ? `${attribution.name} ${visible(model.name)}` : attribution.name,
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
    yield `${wrapped(`${title}: ${told(attribution)}`, width, 2, chalk.dim)}\n`;
  for (const { model, trust } of of) {
    if (trust) yield* trustLines(several ? visible(model.name) : undefined, trust, screen);
  }
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
  const words = series[0]?.attribution.words ?? [];
  const rows = shownRows(series);
  const name = (at: number): string => shortened(visible((words[at] as WordWeight).word));
  const left = Math.max(5, ...rows.map((at) => name(at).length)) + 2;
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
    for (const row of rows) {
      const cells = group.map(({ attribution }) => {
        const most = Math.max(1e-12, ...attribution.words.map(({ weight }) => Math.abs(weight)));
        return cell((attribution.words[row] as WordWeight).weight, most, half, chalk);
      });
      const mark = models === 2 && differ(group, row) ? ' ≠' : '';
      yield `${name(row).padEnd(left)}${(cells.join('  ') + mark).trimEnd()}\n`;
    }
    const hidden = words.length - rows.length;
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
function shownRows(series: readonly Series[]): number[] {
  const count = series[0]?.attribution.words.length ?? 0;
  const all = Array.from({ length: count }, (_, at) => at);
  if (count <= ROWS) return all;
  const share = (at: number): number =>
    Math.max(
      ...series.map(({ attribution: { words } }) => {
        const most = Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));
        return Math.abs((words[at] as WordWeight).weight) / most;
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

/** Do the two models of any method in the group disagree about a word: opposite signs, both of some weight? */
function differ(group: readonly Series[], row: number): boolean {
  for (let at = 0; at + 1 < group.length; at += 2) {
    const [a, b] = [group[at], group[at + 1]].map((series) => {
      const words = (series as Series).attribution.words;
      return ((words[row] as WordWeight).weight ?? 0) / Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));
    }) as [number, number];
    if (a * b < 0 && Math.min(Math.abs(a), Math.abs(b)) >= 0.1) return true;
  }
  return false;
}

const number = (value: number | string | undefined, digits = 3): string =>
  typeof value === 'number' ? value.toFixed(digits) : String(value);

/** How far a method can be trusted, in its own figures. */
function told({ name, check, words }: Attribution): string {
  const spread = Math.max(0, ...words.map(({ weight, high }) => (high === undefined ? 0 : high - weight)));
  const within = spread > 0 ? `, weights ± ${spread.toFixed(3)} or less (95 %)` : '';
  switch (name) {
    case 'lime':
      return `R² ${number(check.r2, 2)} over ${check.samples} texts${within}`;
    case 'shap': {
      const rest =
        typeof check.unresolved === 'number' && check.unresolved > 0
          ? `, ${check.unresolved} words only by their phrase`
          : '';
      return `${check.estimator}, ${check.samples} texts${within}${rest}; from ${number(check.baseValue)} without words to ${number(check.value)}`;
    }
    case 'integrated-gradients':
      return `completeness error ${number(100 * Number(check.completenessError), 2)} % in ${check.steps} steps from ${check.baseline}; from ${number(check.baseValue)} to ${number(check.value)}`;
    case 'attention':
      return `rollout over ${check.layers} layers of ${check.heads} heads, seen from the ${check.from}; punctuation and special tokens ${number(check.rest)}; attention has no sign`;
    default:
      return Object.entries(check)
        .map(([key, value]) => `${key} ${number(value)}`)
        .join(', ');
  }
}
