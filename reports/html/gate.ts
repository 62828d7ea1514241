/** @file What the gate asked, what it found, and who answers for what was waived. */
import type { GateResult, Verdict } from '../../src/index.js';
import { type GateLine, gateLines } from '../documents/gate.js';
import { type Content, html, type Markup } from './markup.js';
import { table } from './page.js';

const WORDS: Readonly<Record<Exclude<Verdict, 'none'>, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  inconclusive: 'Inconclusive',
};

/** A verdict in a word, coloured; colour alone says nothing. */
export const badge = (verdict: Exclude<Verdict, 'none'>): Markup =>
  html`<span class="badge ${verdict}">${WORDS[verdict]}</span>`;

/** The verdict, then a row a question. */
export const gateTable = (gate: GateResult): Markup => html`<p>${badge(gate.verdict)}</p>
${gate.reasons.length > 0 && html`<ul class="warnings">${gate.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
${gateLines(gate).length > 0 && lines(gateLines(gate))}${
  gate.baseline !== undefined &&
  html`<p class="note">Baseline ${gate.baseline.file}, of ${gate.baseline.model.name}: the same examples, exact McNemar test, corrected for the number of changes judged.</p>`
}`;

const lines = (all: readonly GateLine[]): Markup =>
  table(
    'Questions of the gate',
    [{ title: 'Asked' }, { title: 'Found', align: 'left' }, { title: 'Verdict', align: 'left' }],
    all.map((line): Content[] => [
      html`<span class="wrap">${line.asked}</span>`,
      html`${line.found}${line.notes.map((note) => html`<br><span class="dim">${note}</span>`)}`,
      html`<span class="${line.waived ? 'none' : line.verdict}">${line.verdict}</span>${line.level === 'warn' && ' (warning)'}${line.waived && ' (waived)'}`,
    ]),
  );
