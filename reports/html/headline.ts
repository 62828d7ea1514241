/** @file The first thing a reader sees: how often the prediction turned, and by which attack. */
import type { AttackMetrics, Rate, Report } from '../../src/index.js';
import { interval, percent } from '../figures.js';
import { intervalBar, rateCell, type Tone } from './interval-bar.js';
import { html, type Markup } from './markup.js';

/** The three rates a model is judged by, large, each over its interval. */
export const headline = ({ clean, overall }: Pick<Report, 'clean' | 'overall'>): Markup =>
  html`<dl class="headline">
${figure('Accuracy without attack', clean.accuracy, 'hold')}
${figure('Accuracy under attack', overall.accuracyUnderAttack, 'hold')}
${figure('Attack success rate', overall.attackSuccessRate, 'hit')}
</dl>
`;

function figure(title: string, rate: Rate, tone: Tone): Markup {
  const bounds = rate.value === null ? 'nothing to measure' : `95 % interval ${interval(rate)}, n = ${rate.n}`;
  return html`<div><dt>${title}</dt><dd class="value">${percent(rate.value)}</dd><dd>${intervalBar(rate, tone)}<small>${bounds}</small></dd></div>`;
}

/** A bar an attack, and one for all of them together. */
export const successBars = ({ attacks, overall }: Pick<Report, 'attacks' | 'overall'>): Markup =>
  html`<ul class="bars">
${attacks.map((attack) => bar(attack.name, attack.attackSuccessRate, 'hit'))}${
  attacks.length > 1 && bar('any of them', overall.attackSuccessRate, 'hit', 'all')
}</ul>
`;

export const bar = (name: AttackMetrics['name'], rate: Rate, tone: Tone, kind = ''): Markup =>
  html`<li class="${kind}"><span class="name">${name}</span>${intervalBar(rate, tone)}<span class="figure">${rateCell(rate)}</span></li>\n`;
