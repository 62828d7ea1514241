/** @file The words that drive a model, over many texts. */
import type { GlobalExplanation, Mean } from '../../src/index.js';
import { type Content, html, type Markup } from './markup.js';
import { section, table } from './page.js';
import { signed } from './word-weights.js';

/** Words a table shows. */
const ROWS = 50;

const bounds = ({ low, high }: Mean, shown: (value: number) => string): Content =>
  low !== null && high !== null && html` <span class="bounds">${shown(low)} to ${shown(high)}</span>`;

const plain = (value: number): string => Math.max(0, value).toFixed(3);

const bar = (value: number, most: number): Markup =>
  html`<svg class="interval" aria-hidden="true" width="100" height="18"><rect class="${value < 0 ? 'hit' : 'hold'}" x="0" y="4" width="${((100 * Math.abs(value)) / most).toFixed(1)}" height="10"/></svg>`;

const right = (title: string) => ({ title, align: 'right' as const });

export function* globalWords({ methods }: GlobalExplanation): Iterable<Content> {
  for (const [at, { name, models, differences }] of methods.entries()) {
    for (const [which, { model, words }] of models.entries()) {
      const most = Math.max(1e-12, words[0]?.absolute.value ?? 0);
      yield section(
        `words-${at}-${which}`,
        models.length > 1 ? `${name}: what drives ${model}` : `${name}: what drives the model`,
        table(
          `Words by mean weight, ${model}`,
          [{ title: 'Word' }, right('Times'), right('Mean |weight|'), { title: '' }, right('Mean weight')],
          words
            .slice(0, ROWS)
            .map(({ word, count, absolute, mean }) => [
              word,
              count,
              html`${plain(absolute.value)}${bounds(absolute, plain)}`,
              bar(absolute.value, most),
              html`${signed(mean.value)}${bounds(mean, signed)}`,
            ]),
        ),
        words.length > ROWS && html`<p class="note">${words.length - ROWS} more words are in the JSON report.</p>`,
      );
    }
    const [a, b] = models;
    if (differences === undefined || a === undefined || b === undefined) continue;
    const most = Math.max(1e-12, ...differences.map(({ difference }) => Math.abs(difference.value)));
    yield section(
      `differences-${at}`,
      `${name}: words on which the models differ most`,
      html`<p class="note">Mean of the weight by ${a.model} less the weight by ${b.model}, in the same places of the same texts.</p>`,
      table(
        'Differences by word',
        [{ title: 'Word' }, right('Times'), right('Mean difference'), { title: '' }],
        differences
          .slice(0, ROWS)
          .map(({ word, count, difference }) => [
            word,
            count,
            html`${signed(difference.value)}${bounds(difference, signed)}`,
            bar(difference.value, most),
          ]),
      ),
    );
  }
}
