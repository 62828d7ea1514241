/** @file The lines that `robust review` prints. */
import type { Screen } from '../../../reports/index.js';
import { wrapLines } from '../../../reports/layout.js';
import { interval, percent, quantity } from '../../core/figure-text.js';
import type { Rate } from '../../core/statistics/rate.js';
import { commandLine, quote } from '../command-line.js';
import { type ReviewOptions, type ReviewResult, USUAL_READER } from './review.js';

/** Does nobody read, and nothing go out or come in? */
export const isBare = (options: ReviewOptions): boolean =>
  options.export === undefined && options.import === undefined && options.judge === undefined;

/** The command that continues the work of a language model; undefined without one. */
export const judgeAgain = ({ run = 'latest', judge, as }: ReviewOptions): string | undefined =>
  judge === undefined ? undefined : commandLine(`review ${quote(run)}`, { judge, ...(as !== undefined && { as }) });

/** Files, progress of the readers and what to do next. Figures of people are left to the report: nobody sees them before all is read. */
export function reviewLines(result: ReviewResult, as: string | undefined, { width, chalk }: Screen): string {
  const { run, texts, controls, repeats, readers, exported, imported, judged } = result;
  const line = (name: string, text: string): string => `${name.padEnd(9)}${wrapLines(text, width, 9).slice(9)}\n`;
  const states = readers.map(({ name, answered, total }) => `${name} ${answered} of ${total}`);
  return [
    line(
      'Review',
      `run ${run}: ${quantity(texts, 'adversarial text')} (interval at most ${percent(result.width)} wide), ${quantity(controls, 'untouched original')}, ${quantity(repeats, 'repeat')}`,
    ),
    ...(exported ? [line('Written', `${exported.file}: ${quantity(exported.items, 'text')} for ${readerOf(as)}`)] : []),
    ...Object.entries(imported?.answers ?? {}).map(([name, answers]) =>
      line('Imported', `${quantity(answers, 'answer')} of ${name}`),
    ),
    ...(judged ? [line('Judged', `${quantity(judged.answers, 'answer')} of ${judged.reader}, ${judged.address}`)] : []),
    line('Readers', states.join(', ') || 'nobody has answered yet'),
    ...figureTexts(result).map(([name, text]) => line(name, text)),
    line(...nextLine(result, as, chalk.bold)),
  ].join('');
}

const readerOf = (as: string | undefined): string => as ?? USUAL_READER;

const isFinished = ({ readers }: ReviewResult, kind: 'person' | 'model'): boolean =>
  readers.some((reader) => reader.kind === kind && reader.answered === reader.total);

/** Figures of people once one of them is done, and of each language model once one of those is. */
function figureTexts(result: ReviewResult): (readonly [string, string])[] {
  const { review } = result;
  if (review === undefined) return [];
  const { labelKept: kept, judges = [] } = review;
  const people = isFinished(result, 'person') && kept.value !== null;
  return [
    ...(people ? [['Kept', `${rateText(kept)} of the texts keep their label`] as const] : []),
    ...(isFinished(result, 'model') ? judges : []).map(({ name, labelKept, originals, agreement }) => {
      const own = `${name}: ${rateText(labelKept)} keep their label, ${rateText(originals)} of the originals correct`;
      const shared =
        people && agreement.n > 0
          ? `, agrees with people on ${rateText(agreement)} of ${quantity(agreement.n, 'text')}`
          : '';
      return ['Model', own + shared] as const;
    }),
  ];
}

const rateText = (rate: Rate): string => `${percent(rate.value)} (${interval(rate)})`;

/** The next command. */
function nextLine(
  result: ReviewResult,
  as: string | undefined,
  bold: (text: string) => string,
): readonly [string, string] {
  const { run, readers, exported, judged } = result;
  const command = (text: string) => bold(`robust ${text}`);
  if (exported) return ['Next', command(`review ${run} --as ${readerOf(as)} --import ${exported.file}`)];
  const own = readers.find(({ name }) => name === readerOf(as));
  const open = judged ? !isFinished(result, 'person') : own === undefined || own.answered < own.total;
  if (!open) return ['Next', command(`report ${run}`)];
  return ['Continue', command(`review ${run}${judged ? '' : ` --as ${readerOf(as)}`}`)];
}
