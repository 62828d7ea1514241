/** @file A rate drawn with its interval: a bar to the value, a whisker from bound to bound. */
import type { Rate } from '../../src/plugin.js';
import { interval, percent } from '../figures.js';
import { html, type Markup } from './markup.js';

/** `hit`: what an attacker gains; `hold`: what the model keeps. */
export type Tone = 'hit' | 'hold';

const share = (fraction: number): string => `${(Math.min(1, Math.max(0, fraction)) * 100).toFixed(2)}%`;

/** As words: `81.5 %, 95 % interval 75-87, n = 161`; `whole`: with the value, which may stand beside. */
export const rateInWords = (rate: Rate, whole = true): string =>
  rate.value === null
    ? 'nothing to measure'
    : `${whole ? `${percent(rate.value)}, ` : ''}95\u00A0% interval ${interval(rate)}, n = ${rate.n}`;

/** As wide as the place it is put in, from 0 on the left to 100 % on the right. Screen readers get it in words. */
export function intervalBar(rate: Rate, tone: Tone): Markup {
  const { value, low, high } = rate;
  const drawn =
    value === null || low === null || high === null
      ? ''
      : html`<rect class="${tone}" x="0" y="4" width="${share(value)}" height="10"/>
<line class="whisker" x1="${share(low)}" x2="${share(high)}" y1="9" y2="9"/>
<line class="whisker" x1="${share(low)}" x2="${share(low)}" y1="5" y2="13"/>
<line class="whisker" x1="${share(high)}" x2="${share(high)}" y1="5" y2="13"/>`;
  return html`<svg class="interval" role="img" aria-label="${rateInWords(rate)}" width="100%" height="18"><rect class="track" x="0" y="4" width="100%" height="10"/>${drawn}</svg>`;
}

/** `81.5 %` and its interval beside it, dimmed, the figures of a column under one another. */
export const rateCell = (rate: Rate): Markup =>
  rate.value === null
    ? html`<span class="none">–</span>`
    : html`<span class="rate">${percent(rate.value)}</span> <span class="bounds">${interval(rate)}</span>`;
