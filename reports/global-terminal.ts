/** @file The words that drive a model, on a screen. */
import type { GlobalExplanation, Mean } from '../src/index.js';
import type { ExplanationScreen } from './explanation-terminal.js';
import { grid, wrapped } from './layout.js';
import { visible } from './visible.js';

/** Words a table shows. */
const ROWS = 20;

const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
const range = ({ low, high }: Mean, shown = signed): string =>
  low === null || high === null ? '' : `${shown(low)} to ${shown(high)}`;
const bar = (value: number, most: number): string =>
  '█'.repeat(Math.max(0, Math.round((9 * value) / Math.max(most, 1e-12))));
const shortened = (word: string): string => (word.length > 14 ? `${word.slice(0, 13)}…` : word);

export function* globalOnScreen(global: GlobalExplanation, { chalk, width }: ExplanationScreen): Iterable<string> {
  const { texts, label, methods, baseline, scale } = global;
  const of = label === null ? 'the predicted label' : visible(label);
  yield `${chalk.bold(`Words that drive the ${scale === 'logit' ? 'log-odds' : 'probability'} of ${of}`)}, ${texts} texts\n`;
  for (const { name, models, differences } of methods) {
    for (const { model, words } of models) {
      yield `\n${chalk.bold(visible(`${name}, ${model}`))}\n\n`;
      const shown = words.slice(0, ROWS);
      const most = shown[0]?.absolute.value ?? 0;
      yield `${grid([
        ['word', ...shown.map(({ word }) => shortened(visible(word)))],
        ['times', ...shown.map(({ count }) => String(count))],
        ['mean |weight|', ...shown.map(({ absolute }) => absolute.value.toFixed(3))],
        ['95 % interval', ...shown.map(({ absolute }) => range(absolute, (value) => Math.max(0, value).toFixed(3)))],
        ['mean weight', ...shown.map(({ mean }) => signed(mean.value))],
        ['', ...shown.map(({ absolute }) => bar(absolute.value, most).padEnd(9))],
      ])}\n`;
    }
    const [a, b] = models;
    if (differences === undefined || a === undefined || b === undefined) continue;
    const shown = differences.slice(0, ROWS);
    yield `\n${chalk.bold(visible(`${name}: words on which the models differ most`))}, ${visible(a.model)} - ${visible(b.model)}\n\n`;
    yield `${grid([
      ['word', ...shown.map(({ word }) => shortened(visible(word)))],
      ['times', ...shown.map(({ count }) => String(count))],
      ['mean difference', ...shown.map(({ difference }) => signed(difference.value))],
      ['95 % interval', ...shown.map(({ difference }) => range(difference))],
    ])}\n`;
  }
  const absent = { delete: 'deleted', unknown: 'unknown', mask: 'masked' }[baseline];
  const note = `Words in lower case, rare ones left out. Words left out of a text are ${absent}. The intervals are of each word alone: of twenty, one misses by chance.`;
  yield `\n${wrapped(note, width, 0, chalk.dim)}\n`;
}
