/** @file The first thing a reader sees: how often the prediction turned, and by which attack. */
import type { Rate, Report } from '../../src/index.js';
import { interval, percent, toldSuites } from '../figures.js';
import { intervalBar, rateCell, type Tone } from './interval-bar.js';
import { type Content, html, type Markup } from './markup.js';

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

/** A bar an attack, and one for all of them together. A name leads to the attack's texts. */
export const successBars = ({ attacks, suites, overall }: Pick<Report, 'attacks' | 'suites' | 'overall'>): Markup =>
  html`<ul class="bars">
${attacks.map(({ name, applicable, attackSuccessRate }, i) => bar(html`<a href="#texts" data-show-attack="${i}">${name}</a>${applicable === false && ' (not applicable)'}`, attackSuccessRate, 'hit'))}${toldSuites(
  { suites },
).map((suite) => bar(`any of ${suite.name}`, suite.attackSuccessRate, 'hit', 'all'))}${
  attacks.length > 1 && bar('any of them', overall.attackSuccessRate, 'hit', 'all')
}</ul>
`;

/** One line of a list of the class `bars`: a name, the rate drawn, the rate in figures. */
export const bar = (name: Content, rate: Rate, tone: Tone, kind = ''): Markup =>
  html`<li class="${kind}"><span class="name">${name}</span>${intervalBar(rate, tone)}<span class="figure">${rateCell(rate)}</span></li>\n`;
