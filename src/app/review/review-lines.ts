/** @file The last lines of `robust review`. */
import type { Screen } from '../../../reports/index.js';
import { wrapLines } from '../../../reports/layout.js';
import { interval, percent, quantity } from '../../core/figure-text.js';
import type { ReviewResult } from './review.js';

/** Files, progress of the readers and what to do next. The figures are left to the report: nobody sees them before all is read. */
export function reviewLines(result: ReviewResult, reader: string, { width, chalk }: Screen): string {
  const { run, texts, controls, repeats, readers, exported, imported, review } = result;
  const line = (name: string, text: string): string => `${name.padEnd(9)}${wrapLines(text, width, 9).slice(9)}\n`;
  const states = readers.map(({ name, answered, total }) => `${name} ${answered} of ${total}`);
  const own = readers.find(({ name }) => name === reader);
  const [open, done] = [
    own === undefined || own.answered < own.total,
    readers.some(({ answered, total }) => answered === total),
  ];
  return [
    line(
      'Review',
      `run ${run}: ${quantity(texts, 'adversarial text')} (interval at most ${percent(result.width)} wide), ${quantity(controls, 'untouched original')}, ${quantity(repeats, 'repeat')}`,
    ),
    ...(exported ? [line('Written', `${exported.file}: ${quantity(exported.items, 'text')} for ${reader}`)] : []),
    ...Object.entries(imported?.answers ?? {}).map(([name, answers]) =>
      line('Imported', `${quantity(answers, 'answer')} of ${name}`),
    ),
    line('Readers', states.join(', ') || 'nobody has answered yet'),
    ...(done && review?.labelKept.value !== undefined
      ? [
          line(
            'Kept',
            `${percent(review.labelKept.value)} (${interval(review.labelKept)}) of the texts keep their label`,
          ),
        ]
      : []),
    ...(exported
      ? [line('Next', chalk.bold(`robust review ${run} --as ${reader} --import ${exported.file}`))]
      : open
        ? [line('Continue', chalk.bold(`robust review ${run} --as ${reader}`))]
        : [line('Next', chalk.bold(`robust report ${run}`))]),
  ].join('');
}
