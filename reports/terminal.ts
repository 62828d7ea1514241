/** @file The report a person sees in a terminal: a table with one column an attack, then the most telling texts. */
import type { ChalkInstance } from 'chalk';
import {
  type AttackMetrics,
  degenerateLine,
  type Outcome,
  type Rate,
  type Report,
  type ReportRenderer,
} from '../src/index.js';
import { capabilityRows, minimalPairs, type Pair, RELATIONS, relationsOf, WHAT_COUNTS } from './capabilities.js';
import { DEFENCE_ABOUT, defenceColumns } from './defence.js';
import {
  idleness,
  interval,
  beside as label,
  medians,
  percent,
  qualityLegend,
  rows,
  sweeps,
  untried,
} from './figures.js';
import { beside, blocks, wrapped } from './layout.js';
import type { Screen } from './print/screen.js';
import { lookAlikes, visible } from './visible.js';
import { weighed } from './weighed.js';
import { excerpt, wordDiff } from './word-diff.js';

/** How many adversarial texts to show. */
const SAMPLES = 5;

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 160;

/** The renderer for a screen of this width and these colours. */
export function terminal({ width, chalk }: Screen): ReportRenderer {
  return {
    name: 'terminal',
    extension: 'txt',
    *render(report) {
      const { model, data, clean, seed } = report;
      yield `${chalk.bold(visible(model.name))} on ${chalk.bold(visible(data.name))}, ${clean.accuracy.n} examples, seed ${seed}\n`;
      if (model.defence !== undefined)
        yield `${wrapped(visible(`Defended: ${model.defence}. The attacks see the defended answers (adaptive).`), width, 0)}\n`;
      const degenerate = degenerateLine(model.name, clean);
      if (degenerate !== undefined) yield `\n${wrapped(visible(degenerate), width, 0, chalk.red.bold)}\n`;
      yield '\n';
      for (const block of blocks(columns(report, chalk), width)) yield `${block}\n\n`;
      yield* legend(report, width, chalk);
      const swept = sweeps(report);
      if (swept !== undefined) {
        yield `\n${chalk.bold('Accuracy against the size of the perturbation')}, in mean embedding norms\n\n`;
        for (const block of blocks(cleaned(swept), width)) yield `${block}\n`;
      }
      for (const attack of report.attacks) yield* understood(attack, report.model.labels, width, chalk);
      if (report.undefended !== undefined) {
        yield `\n${chalk.bold('What the defence is worth')}\n\n`;
        for (const block of blocks(cleaned(defenceColumns(report.undefended)), width)) yield `${block}\n`;
        yield `${wrapped(DEFENCE_ABOUT, width, 0, chalk.dim)}\n`;
      }
      const shown = report.telling.filter((outcome) => outcome.adversarial !== undefined).slice(0, SAMPLES);
      if (shown.length > 0) yield `\n${chalk.bold('Most telling adversarial texts')}\n`;
      for (const outcome of shown) {
        yield `\n${sample(outcome, report.model.labels, width, chalk)}\n`;
        const why = weighed(report, outcome);
        if (why) yield `${wrapped(visible(why), width, 2, chalk.dim)}\n`;
      }
      if (report.warnings.length > 0) yield '\n';
      for (const warning of report.warnings) yield `${beside(chalk.yellow('Warning'), visible(warning), width, 9)}\n`;
      if (report.verdict === 'inconclusive' && report.gate === undefined) {
        const why = (report.reasons ?? ['too many examples ended in an error']).join('; ');
        yield `\n${beside(chalk.yellow('Inconclusive:'), visible(why), width, 14)}\n`;
      }
    },
  };
}

/** Columns whose cells are bare text: names among them are others' own. */
const cleaned = (columns: readonly (readonly string[])[]): string[][] => columns.map((cells) => cells.map(visible));

/** Titles, then one column for all attacks together, then one for each. */
function columns(report: Report, chalk: ChalkInstance): string[][] {
  const lines = rows(report);
  const rate = (of: Rate, title: string): string =>
    `${title === 'Attack success rate' ? chalk.bold(percent(of.value)) : percent(of.value)}\n${chalk.dim(interval(of))}`;
  const labelled = (cell: string, title: string, attack: AttackMetrics): string =>
    title === 'Original accuracy' || label(attack) === '' ? cell : `${cell}\n${chalk.yellow(label(attack))}`;
  const attacks = report.attacks.map((attack) => [
    chalk.bold(visible(attack.name)),
    ...lines.map((line) =>
      'rate' in line ? labelled(rate(line.rate(attack), line.title), line.title, attack) : line.cell(attack),
    ),
  ]);
  const all = [chalk.bold('any'), ...lines.map((line) => ('rate' in line ? rate(line.overall, line.title) : ''))];
  return [['', ...lines.map(({ title }) => title)], ...(attacks.length > 1 ? [all] : []), ...attacks];
}

/** What the figures mean, and what each attack was allowed to do: a success rate without that means nothing. */
function* legend(report: Report, width: number, chalk: ChalkInstance): Iterable<string> {
  const any = report.attacks.length > 1 ? ' "any": broken by at least one of the attacks.' : '';
  yield `${wrapped(`Under each rate its 95 % interval. Skipped: already wrong. Queries: means.${any}`, width, 0, chalk.dim)}\n`;
  if (report.attacks.some(({ quality }) => quality))
    yield `${wrapped(qualityLegend(report.attacks), width, 0, chalk.dim)}\n`;
  for (const attack of report.attacks) {
    const own = medians(attack);
    const allowed = `${attack.name}: ${attack.constraints.join('; ') || 'any edit'}${own && `. Medians: ${own}`}${idleness(attack) && `. Not${idleness(attack).slice(3)}`}${untried(attack) && `. Failed, ${untried(attack)}`}`;
    yield `${wrapped(visible(allowed), width, 2, chalk.dim)}\n`;
  }
}

/** How often each capability fails, and minimal pairs. Nothing for attacks that probe none. */
function* understood(
  attack: AttackMetrics,
  labels: readonly string[],
  width: number,
  chalk: ChalkInstance,
): Iterable<string> {
  const lines = capabilityRows(attack);
  if (lines.length === 0) return;
  const relations = relationsOf(attack);
  yield `\n${chalk.bold(`What the model fails to understand: ${visible(attack.name)}`)}\n\n`;
  const columns = relations.map((relation) => [relation, ...lines.map((line) => line.cell(relation))]);
  for (const block of blocks([['', ...lines.map(({ capability }) => visible(capability))], ...columns], width)) {
    yield `${block}\n\n`;
  }
  yield `${wrapped(`Failed/asked, failure rate, its 95 % interval. ${WHAT_COUNTS}`, width, 0, chalk.dim)}\n`;
  for (const relation of relations) yield `${wrapped(`${relation}: ${RELATIONS[relation]}`, width, 2, chalk.dim)}\n`;
  const pairs = minimalPairs(attack);
  if (pairs.length > 0) yield `\n${chalk.bold('Minimal pairs the model gets wrong')}\n`;
  for (const pair of pairs) yield `\n${minimalPair(pair, labels, width, chalk)}\n`;
}

function minimalPair(
  { capability, relation, sample: { original, text, expected, got, score }, meaning }: Pair,
  labels: readonly string[],
  width: number,
  chalk: ChalkInstance,
): string {
  const names = (of: readonly number[]): string =>
    of.map((label) => visible(labels[label] ?? String(label))).join(' or ');
  const head = `${visible(capability)}, ${relation}: expected ${names(expected)} (${score.toFixed(2)}), got ${names([got])}`;
  const why = meaning === '' ? '' : `\n${wrapped(meaning, width, 2, chalk.dim)}`;
  // A short pair reads best as it stands, a long one by its changes.
  const short = Math.max(original.length, text.length) <= CONTEXT;
  const both = short ? `${visible(original)} ${chalk.dim('->')} ${visible(text)}` : changes(original, text, chalk);
  return `${wrapped(head, width, 0, chalk.cyan)}\n${wrapped(both, width, 2)}${why}`;
}

function sample(outcome: Outcome, labels: readonly string[], width: number, chalk: ChalkInstance): string {
  const label = (index: number): string => visible(labels[index] ?? String(index));
  const [before, after] = [outcome.scoreBefore, outcome.scoreAfter].map((score) => score.toFixed(2));
  const head = `${visible(outcome.attack)}, example ${visible(outcome.id)}, ${outcome.queries.asked} queries:`;
  const turn = `${label(outcome.label)} ${before} -> ${after}, now ${label(outcome.to)}`;
  const text = changes(outcome.text, outcome.adversarial ?? '', chalk);
  return `${wrapped(`${head} ${turn}`, width, 0, chalk.cyan)}\n${wrapped(text, width, 2)}`;
}

/** The text before with each change in place. */
const changes = (before: string, after: string, chalk: ChalkInstance): string =>
  excerpt(wordDiff(before, after), CONTEXT)
    .map((segment) => (segment.changed ? change(segment.from, segment.to, chalk) : visible(segment.text)))
    .join('');

/** `[old -> new]`, which reads the same without colours. */
function change(from: string, to: string, chalk: ChalkInstance): string {
  const alike = lookAlikes(from, to);
  const note = alike.length === 0 ? '' : chalk.dim(` (${alike.slice(0, 3).join(', ')})`);
  // Word by word, so that a line may break between any two.
  const painted = (text: string, paint: (word: string) => string): string =>
    visible(text).replace(/\S+/g, (word) => paint(word));
  return `[${painted(from, chalk.red)} -> ${painted(to, chalk.green)}${note}]`;
}
