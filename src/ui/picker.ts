/** @file Attacks by suite, with a search: one to choose in the playground, any number of them for a run. */
import { type HtmlContent, html, type Markup, raw } from '../../reports/html/markup.js';
import { quantity } from '../core/figure-text.js';
import type { UiSource } from './source.js';

const SEARCH = html`<label class="search">Search attacks<input type="search" autocomplete="off" spellcheck="false"></label>`;

const suite = (name: string, content: HtmlContent): Markup =>
  html`<fieldset><legend>${name}</legend>${content}</fieldset>\n`;

const choice = (
  kind: 'checkbox' | 'radio',
  field: string,
  value: string,
  chosen: boolean,
  content: HtmlContent,
): Markup =>
  html`<label><input type="${kind}" name="${field}" value="${value}"${chosen && raw(' checked')}> <span>${content}</span></label>\n`;

/** Selects one attack; the summary shows the choice. */
export const attackPicker = (attacks: UiSource['attacks'], chosen: string): Markup =>
  html`<details class="picker" id="attack-picker"><summary>Attack: <b id="attack-name">${chosen}</b></summary>
${SEARCH}${attacks.map(({ suite: name, members }) =>
  suite(
    name,
    members.map((one) =>
      choice('radio', 'attack', one.name, one.name === chosen, html`<b>${one.name}</b> ${one.summary}`),
    ),
  ),
)}</details>`;

/** Whole suites, and attacks by themselves. */
export const attacksPicker = (
  attacks: UiSource['attacks'],
  suites: readonly string[],
  chosen: readonly string[],
): Markup =>
  html`<div class="picker">${SEARCH}${attacks.map(({ suite: name, size, members }) =>
    suite(name, [
      name !== 'others' &&
        choice(
          'checkbox',
          'suite',
          name,
          suites.includes(name),
          html`<b>The whole suite</b> ${quantity(size, 'attack')}`,
        ),
      ...members.map(({ spec, name: attack, summary }) =>
        choice('checkbox', 'attack', spec, chosen.includes(spec), html`<b>${attack}</b> ${summary}`),
      ),
    ]),
  )}</div>`;
