/** @file Explanations as one HTML file: coloured words, forces, bars, two models side by side, and attention to walk through. */
import type { Attribution, Explanation, ExplanationReport, Renderer } from '../src/index.js';
import { disagreements } from './disagreements.js';
import { told } from './explanation-figures.js';
import { attentionView } from './html/attention-view.js';
import { globalWords } from './html/global-words.js';
import { type Content, html, type Markup } from './html/markup.js';
import { facts, page, section } from './html/page.js';
import { trust } from './html/trust.js';
import { colouredText, type Forces, forcePlot, heaviest, wordBars } from './html/word-weights.js';
import { TRUST } from './trust-terminal.js';

/** Bars of one text; of longer texts the heaviest words. */
const ROWS = 60;
/** Characters of a text in a heading. */
const HEADING = 80;

export const explanationHtml: Renderer<ExplanationReport> = {
  name: 'html',
  extension: 'html',
  *render(report) {
    const { explanations, models, global, warnings } = report;
    const names = global
      ? global.methods[0]?.models.map(({ model }) => model)
      : explanations.slice(0, models).map(({ model }) => model.name);
    const groups = Array.from({ length: Math.ceil(explanations.length / models) }, (_, at) =>
      explanations.slice(at * models, (at + 1) * models),
    );
    const [first] = explanations;
    yield* page({
      title: `Why? ${names?.join(' and ') ?? ''}`,
      lead: global
        ? `Which words drive ${global.label === null ? 'the predicted label' : global.label}, over ${global.texts} texts`
        : groups.length > 1
          ? `${groups.length} texts, word by word`
          : `What each word does to ${first?.scale === 'logit' ? 'the log-odds' : 'the probability'} of ${first?.label ?? ''}`,
      scripts: ['attention.js'],
      styles: ['explanation.css'],
      body: (function* (): Iterable<Content> {
        if (warnings.length > 0) {
          yield html`<ul class="warnings warn">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`;
        }
        if (global) yield* globalWords(global);
        for (const [at, group] of groups.entries()) yield oneText(group, at, groups.length);
        yield section('provenance', 'Provenance', provenance(report));
      })(),
    });
  },
};

function oneText(group: readonly Explanation[], which: number, texts: number): Markup {
  const [first] = group as [Explanation];
  const { text } = first;
  const short = text.length > HEADING ? `${text.slice(0, HEADING).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  const views = group.map((one, model) => attentionView(`${which}-${model}`, one));
  return section(
    `text-${which + 1}`,
    texts > 1 ? `${which + 1}. ${short}` : 'The text',
    html`<div class="beside">${group.map((one) => html`<div>${answer(one)}</div>`)}</div>`,
    first.methods.map((_, method) => oneMethod(group, method)),
    views.some((view) => view !== false) &&
      html`<h3>Attention, layer by layer</h3>
<p class="note">Lines run from the place that looks (left) to what it looks at (right); stronger is more attention, the weakest are left out. Point at a token to see its lines alone; press it to leave its word out and see what the model then says.</p>
${beside(group, (_, at) => views[at] || false)}`,
    group.some((one) => one.trust) &&
      html`<h3>Can these weights be trusted?</h3>
<p class="note">${TRUST}</p>
${group.map((one) => one.trust && html`${group.length > 1 && html`<h4>${one.model.name}</h4>\n`}${trust(one.trust)}`)}`,
  );
}

/** A column a model, under its name where there are two. */
const beside = (group: readonly Explanation[], of: (one: Explanation, at: number) => Content): Markup =>
  html`<div class="beside">${group.map((one, at) => html`<div>${group.length > 1 && html`<p class="note">${one.model.name}</p>`}${of(one, at)}</div>`)}</div>`;

/** What the model says, and of which label the weights are. */
function answer({ model, label, probabilities, read }: Explanation): Markup {
  const predicted = probabilities.indexOf(Math.max(...probabilities));
  const p = (at: number): string => (probabilities[at] as number).toFixed(2);
  const explained = model.labels.indexOf(label);
  return html`<p class="answer"><span>${model.name} says</span><b>${model.labels[predicted]} ${p(predicted)}</b>${explained !== predicted && html`<span>explained: ${label} ${p(explained)}</span>`}</p>
${read && html`<p class="note warn">It reads ${read.words} of ${read.of} words; the others have no weight.</p>`}`;
}

function oneMethod(group: readonly Explanation[], method: number): Markup {
  const [first] = group as [Explanation];
  const sides = group.map((one) => ({ name: one.model.name, attribution: one.methods[method] as Attribution }));
  const differing = disagreements(sides.map(({ attribution }) => attribution));
  const scale = first.scale === 'logit' ? `log-odds of ${first.label}` : `probability of ${first.label}`;
  return html`<h3>${sides[0]?.attribution.name}</h3>
<div class="beside">${group.map((one, at) => {
    const { attribution } = sides[at] as (typeof sides)[number];
    const forces = forcesOf(attribution);
    return html`<div>${group.length > 1 && html`<p class="note">${one.model.name}</p>`}${colouredText(one.text, attribution, differing)}${forces && forcePlot(attribution, forces, scale, group.length)}<p class="note">${told(attribution)}</p></div>`;
  })}</div>
${wordBars(sides, rowsOf(sides.map(({ attribution }) => attribution)), differing)}`;
}

/** Where a method says what the value is without words. */
function forcesOf({ check: { baseValue, value, intercept, localPrediction } }: Attribution): Forces | undefined {
  if (typeof baseValue === 'number' && typeof value === 'number') return { base: baseValue, value };
  if (typeof intercept !== 'number' || typeof localPrediction !== 'number') return undefined;
  return { base: intercept, value: localPrediction, name: 'fitted' };
}

/** Places in text order; of long texts the heaviest words by any side. */
function rowsOf(sides: readonly Attribution[]): number[] {
  const count = Math.max(...sides.map(({ words }) => words.length));
  const share = (at: number): number =>
    Math.max(...sides.map(({ words }) => Math.abs(words[at]?.weight ?? 0) / heaviest(words)));
  return Array.from({ length: count }, (_, at) => at)
    .sort((a, b) => share(b) - share(a) || a - b)
    .slice(0, ROWS)
    .sort((a, b) => a - b);
}

function provenance({ explanations, models, global }: ExplanationReport): Markup {
  const [first] = explanations;
  const scale = (first ?? global)?.scale;
  const baseline = (first ?? global)?.baseline;
  return facts([
    ...explanations
      .slice(0, models)
      .map(({ model }): [Content, Content] => [model.name, html`<code>sha256 ${model.sha256}</code>`]),
    ['Weights are of', scale === 'logit' ? 'the log-odds ln(p / (1 − p))' : 'the probability'],
    [
      'A word left out is',
      { delete: 'deleted', unknown: 'the unknown token', mask: 'the mask token' }[baseline ?? 'delete'],
    ],
    ['Seed', (first ?? global)?.seed ?? ''],
    [
      'Colours',
      html`<span class="for-5">for the label</span> <span class="against-5">against it</span>; <span class="differs">underlined</span>: two models disagree`,
    ],
  ]);
}
