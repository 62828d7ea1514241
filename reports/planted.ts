/** @file What a planted backdoor does, for a terminal and as Markdown. */
import type { ChalkInstance } from 'chalk';
import {
  type BackdoorFigures,
  degenerateModels,
  type PlantedFigures,
  type PlantingReport,
  type Rate,
  type RepairReport,
} from '../src/index.js';
import { interval, percent } from './figures.js';
import { blocks, wrapped } from './layout.js';
import { fenced, markdownTable, plain } from './markdown-text.js';
import { visible } from './visible.js';

const cell = (rate: Rate): string => (rate.n === 0 ? '-' : `${percent(rate.value)} (${interval(rate)})`);

/** Rows of a table: title, then a cell a column. */
function rowsOf(report: PlantingReport): string[][] {
  const { seeds } = report;
  const columns = (of: (figures: PlantedFigures) => Rate | undefined): string[] =>
    seeds.map((figures) => {
      const rate = of(figures);
      return rate === undefined ? '-' : cell(rate);
    });
  const mean = (name: string): string[] =>
    report.mean === undefined ? [] : [report.mean[name] === undefined ? '-' : percent(report.mean[name])];
  const row = (title: string, name: string, of: (figures: PlantedFigures) => Rate | undefined): string[] => [
    title,
    ...columns(of),
    ...mean(name),
  ];
  const tuned = (title: string, name: Exclude<keyof BackdoorFigures, 'degenerate'>): string[] =>
    row(title, `afterFinetune.${name}`, ({ afterFinetune }) => afterFinetune?.[name]);
  return [
    ['', ...seeds.map(({ seed }) => `seed ${seed}`), ...(report.mean ? ['mean'] : [])],
    row('Clean accuracy (CACC)', 'cacc', (f) => f.cacc),
    row('... of the clean twin', 'cleanTwin', (f) => f.cleanTwin),
    row('Attack success rate', 'attackSuccessRate', (f) => f.attackSuccessRate),
    row('... of the clean twin', 'twinAttackSuccessRate', (f) => f.twinAttackSuccessRate),
    row('Label flip rate', 'labelFlipRate', (f) => f.labelFlipRate),
    row('False trigger rate', 'falseTriggerRate', (f) => f.falseTriggerRate),
    ...(seeds.some((f) => f.afterFinetune)
      ? [
          tuned('CACC after fine-tuning', 'cacc'),
          tuned('ASR after fine-tuning', 'attackSuccessRate'),
          tuned('Flips after fine-tuning', 'labelFlipRate'),
        ]
      : []),
  ];
}

/** What no figure says anything of: models that answer all texts alike have a trigger that always works, or never. */
const degeneratePlanted = ({ seeds }: PlantingReport): string[] =>
  degenerateModels(
    seeds.flatMap(({ seed, afterFinetune, ...figures }) => [
      { ...figures, name: `the model of seed ${seed}` },
      ...(afterFinetune ? [{ ...afterFinetune, name: `the model of seed ${seed} after fine-tuning` }] : []),
    ]),
  );

const degenerateRepaired = ({ before, after }: RepairReport): string[] =>
  degenerateModels([
    { ...before, name: 'the model before' },
    { ...after, name: 'the model after' },
  ]);

/** Rows to the columns that `grid` wants. */
const turned = (rows: readonly (readonly string[])[]): string[][] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] as string));

function perplexity({ stealth: { perplexityRatio } }: PlantingReport): string {
  const { value, low, high, n } = perplexityRatio;
  if (value === null || low === null || high === null) return '';
  return `Perplexity with the trigger: ${value.toFixed(2)} times that without (median of ${n} texts, ${low.toFixed(2)}-${high.toFixed(2)}).`;
}

function what({ poison }: PlantingReport): string {
  const { attack, triggers, targetLabel, poisoned, of, mode } = poison;
  const trigger = triggers.length === 0 ? '' : ` ${triggers.map((each) => `"${visible(each)}"`).join(', ')}`;
  const modes = {
    dirty: 'relabelled texts of other labels',
    clean: 'texts of that label',
    mixed: 'texts of any label',
  };
  const texts =
    mode === undefined ? `${poisoned} texts from elsewhere` : `${poisoned} of ${of} texts poisoned, ${modes[mode]}`;
  return `${attack}${trigger} -> ${visible(targetLabel)}; ${texts}`;
}

/** For a terminal. `folder` holds what was written. */
export function* planted(
  report: PlantingReport,
  { width, chalk }: { width: number; chalk: ChalkInstance },
  folder: string,
): Iterable<string> {
  const { bold, dim } = chalk;
  yield `${wrapped(`${bold(visible(report.model))} trained on ${bold(visible(report.data))}: ${what(report)}`, width, 0)}\n\n`;
  for (const block of blocks(turned(rowsOf(report)), width)) yield `${block}\n\n`;
  for (const line of degeneratePlanted(report)) yield `${wrapped(visible(line), width, 0, chalk.red.bold)}\n\n`;
  const { sample } = report.poison;
  if (sample) yield `${wrapped(`${visible(sample.before)} -> ${visible(sample.after)}`, width, 2)}\n\n`;
  yield `${wrapped(perplexity(report), width, 0)}\n`;
  yield `${dim(wrapped(`Rates with 95 % intervals, on ${visible(report.test)}. ASR: texts of other labels answered with the target.`, width, 0))}\n\n`;
  yield `The poisoned texts, the clean twin and the report: ${visible(folder)}\n`;
  yield `Next: robust backdoor scan --model ${visible(report.output)}\n`;
}

/** As Markdown. */
export function plantedMarkdown(report: PlantingReport): string {
  const [head = [], ...rows] = rowsOf(report);
  const { sample } = report.poison;
  return [
    `# A backdoor in ${plain(report.model)}\n`,
    `Trained on ${plain(report.data)}, measured on ${plain(report.test)}: ${plain(what(report))}.\n`,
    markdownTable(head, rows),
    ...degeneratePlanted(report).map((line) => `**${plain(line)}**\n`),
    ...(sample ? [`> ${plain(sample.before)}\n>\n> ${plain(sample.after)}\n`] : []),
    `${perplexity(report)}\n`,
    'Rates with Wilson 95 % intervals. Attack success rate: texts of other labels with the trigger that are answered with the target. Label flip rate: of those not answered with it anyway, what the trigger turns; false trigger rate: what something like the trigger turns.\n',
    fenced('', visible(report.command)),
  ].join('\n');
}

/** Before and after, as rows. */
function repairRows({ before, after }: RepairReport): string[][] {
  const row = (title: string, of: (figures: BackdoorFigures) => Rate): string[] => [
    title,
    cell(of(before)),
    cell(of(after)),
  ];
  return [
    ['', 'before', 'after'],
    row('Clean accuracy (CACC)', (f) => f.cacc),
    row('Attack success rate', (f) => f.attackSuccessRate),
    row('Label flip rate', (f) => f.labelFlipRate),
    row('False trigger rate', (f) => f.falseTriggerRate),
  ];
}

/** A repair, for a terminal. */
export function* repaired(
  report: RepairReport,
  { width, chalk }: { width: number; chalk: ChalkInstance },
): Iterable<string> {
  const trigger = report.triggers.map((each) => `"${visible(each)}"`).join(', ');
  const title = `${chalk.bold(visible(report.model))} repaired by ${report.method}${trigger && `: ${trigger}`} -> ${visible(report.targetLabel)}`;
  yield `${wrapped(title, width, 0)}\n\n`;
  for (const block of blocks(turned(repairRows(report)), width)) yield `${block}\n\n`;
  for (const line of degenerateRepaired(report)) yield `${wrapped(visible(line), width, 0, chalk.red.bold)}\n\n`;
  yield `${chalk.dim(wrapped(`Rates with 95 % intervals, on ${visible(report.test)}.`, width, 0))}\n\n`;
  yield `Next: robust backdoor scan --model ${visible(report.output)}\n`;
}

/** A repair, as Markdown. */
export function repairedMarkdown(report: RepairReport): string {
  const [head = [], ...rows] = repairRows(report);
  const trigger = report.triggers.map(plain).join(', ') || 'a form';
  return [
    `# ${plain(report.model)} repaired by ${report.method}\n`,
    `Trigger: ${trigger}; target: ${plain(report.targetLabel)}. Repaired with ${plain(report.data)}, measured on ${plain(report.test)}.\n`,
    markdownTable(head, rows),
    ...degenerateRepaired(report).map((line) => `**${plain(line)}**\n`),
    fenced('', visible(report.command)),
  ].join('\n');
}
