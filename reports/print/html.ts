/** @file A document as one page: tables, charts with the same figures in words, texts with their changes marked. */
import type {
  Bar,
  Block,
  DifferenceBar,
  Document,
  Inline,
  Marked,
  Piece,
  Section,
  Table,
  TextPair,
} from '../../src/results/report/document.js';
import type { Explanation } from '../../src/results/report/explanation.js';
import { percent } from '../figures.js';
import { attentionView } from '../html/attention-view.js';
import { changes } from '../html/changes.js';
import { intervalBar, lineChart, rateCell, rateInWords, signedBar } from '../html/charts.js';
import { type HtmlContent, html, type Markup, raw, visibleHtml } from '../html/markup.js';
import { page, section, table } from '../html/page.js';
import { colouredText, heaviest, methodsBeside } from '../html/word-weights.js';
import { excerpt, wordDiff } from '../word-diff.js';

/** Characters of unchanged text shown on each side of a change. */
const CONTEXT = 200;
/** Characters of a row's head that are not broken. */
const UNBROKEN_CHARACTERS = 30;

/** The page in chunks. `outcomes` stands where the document has all outcomes; `navigation` as pages have it. */
export function* asHtml(document: Document, outcomes: HtmlContent = undefined, navigation?: Markup): Iterable<string> {
  const { title, lead, verdict, sections } = document;
  const blocks = sections.flatMap((each) => each.blocks);
  const explained = blocks.some(
    (block) =>
      block.kind === 'weights' || (block.kind === 'texts' && block.pairs.some(({ explanation }) => explanation)),
  );
  yield* page({
    title,
    about: document.about,
    lead: html`${verdict !== undefined && html`<span class="badge ${verdict}">${verdict}</span>`}${renderInline(lead)}${document.summary !== undefined && html`<br>${renderInline(document.summary)}`}`,
    scripts: [
      ...(blocks.some(({ kind }) => kind === 'table' || kind === 'chart' || kind === 'outcomes')
        ? ['download.js']
        : []),
      ...(blocks.some((block) => block.kind === 'table' && block.sortable) ? ['sort.js'] : []),
      ...(blocks.some(({ kind }) => kind === 'outcomes') ? ['report.js'] : []),
      ...(blocks.some(({ kind }) => kind === 'attention') ? ['attention.js'] : []),
    ],
    styles: [...(explained ? ['explanation.css'] : []), ...(navigation ? ['ui.css'] : [])],
    navigation,
    aside: aside(document),
    body: (function* (): Iterable<HtmlContent> {
      yield summary(document);
      for (const part of sections) yield renderSection(part, outcomes);
    })(),
  });
}

/** The sections alone, for a page that has a shell. */
export const sectionsAsHtml = ({ sections }: Pick<Document, 'sections'>): Markup =>
  html`${sections.map((each) => renderSection(each, undefined))}`;

/** Sections that are worth a list of links. */
const SEVERAL = 2;

function aside(document: Document): HtmlContent {
  const { sections, next = [] } = document;
  const links = [
    ...(summary(document) === undefined ? [] : [['summary', 'Summary']]),
    ...sections.flatMap(({ id, title }) => (title === undefined ? [] : [[id, title]])),
  ];
  if (links.length < SEVERAL && next.length === 0) return undefined;
  return html`<div class="aside"><nav aria-label="Contents"><h2>Contents</h2><ul>${links.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
${next.length > 0 && html`<section aria-labelledby="next"><h2 id="next">What to do next</h2>${next.map(({ purpose, command: line }) => html`<p>${purpose}</p>${command(line)}`)}</section>`}</div>\n`;
}

const command = (line: string): Markup =>
  html`<div class="command"><code>${line}</code><button type="button" class="copy" hidden>Copy</button></div>\n`;

/** Alarms, headline and notes, which readers need first; may be empty. */
function summary({ alarms = [], headline = [], inconclusive = [], warnings = [] }: Document): HtmlContent {
  const notes = [...inconclusive.map((reason) => `Inconclusive: ${reason}`), ...warnings];
  if (alarms.length + headline.length + notes.length === 0) return undefined;
  return section(
    'summary',
    'Summary',
    alarms.map((alarm) => html`<p class="warnings warn"><strong>${alarm}</strong></p>\n`),
    headline.length > 0 && html`<dl class="headline">\n${headline.map(figure)}</dl>\n`,
    notes.length > 0 && html`<ul class="warnings warn">${notes.map((each) => html`<li>${each}</li>`)}</ul>`,
  );
}

const figure = ({ name, rate, tone }: Bar): Markup =>
  html`<div><dt>${name}</dt><dd class="value">${percent(rate.value)}</dd><dd>${intervalBar(rate, tone)}<small>${rateInWords(rate, false)}</small></dd></div>\n`;

/** A section without a title of its own is called by its id for those who cannot see it. */
const renderSection = ({ id, title, blocks }: Section, outcomes: HtmlContent): Markup =>
  title === undefined
    ? html`<section id="${id}" aria-label="${id}">\n${blocks.map((block) => renderBlock(block, outcomes))}</section>\n`
    : section(
        id,
        title,
        blocks.map((block) => renderBlock(block, outcomes)),
      );

const TONES = { note: 'note', legend: 'note', warning: 'note warn', alarm: 'warnings warn' } as const;

function renderBlock(block: Block, outcomes: HtmlContent): HtmlContent {
  switch (block.kind) {
    case 'prose':
      if (block.tone === 'legend')
        return folded('What the figures mean', html`<p class="note">${renderInline(block.text)}</p>`);
      return html`<p${raw(block.tone === undefined ? '' : ` class="${TONES[block.tone]}"`)}>${renderInline(block.text)}</p>\n`;
    case 'heading':
      return html`<h3>${renderInline(block.text)}</h3>\n`;
    case 'list':
      return list(block);
    case 'facts':
      return html`<dl class="facts">${block.facts.map(([name, value]) => html`<div><dt>${renderInline(name)}</dt><dd>${renderInline(value)}</dd></div>\n`)}</dl>\n`;
    case 'table':
      return tableOf(block);
    case 'chart':
      return html`<div class="charts">${block.panels.map((panel) => lineChart(panel, block))}</div>\n`;
    case 'texts':
      return html`<ol class="texts">${block.pairs.map(pairOf)}</ol>\n`;
    case 'command':
      return command(block.line);
    case 'fold':
      return folded(
        block.title,
        block.blocks.map((each) => renderBlock(each, outcomes)),
      );
    case 'bars':
      return html`<p class="legend">0 to 100 %. The line across the end of a bar is the 95 % interval.</p>
<ul class="bars">\n${block.bars.map(bar)}</ul>\n`;
    case 'differences':
      return differences(block.title, block.bars);
    case 'weights':
      return methodsBeside(block.explanations);
    case 'attention':
      return attention(block.id, block.explanations);
    case 'outcomes':
      return outcomes;
  }
}

const folded = (title: string, content: HtmlContent): Markup =>
  html`<details><summary>${title}</summary>\n${content}</details>\n`;

function list({ items, tone, fold }: Extract<Block, { kind: 'list' }>): Markup {
  const written = html`<ul${raw(tone === undefined ? '' : ' class="note"')}>${items.map((item) => html`<li>${renderInline(item)}</li>`)}</ul>\n`;
  return fold !== undefined ? folded(fold, written) : written;
}

/** A name leads to the attack's texts. */
const bar = ({ name, rate, tone, attack, all }: Bar): Markup =>
  html`<li class="${all && 'all'}"><span class="name">${attack === undefined ? name : html`<a href="#texts" data-show-attack="${attack}">${name}</a>`}</span>${intervalBar(rate, tone)}<span class="figure">${rateCell(rate)}</span></li>\n`;

/** The widest bound of all is the edge of each bar. */
function differences(title: string, bars: readonly DifferenceBar[]): Markup {
  const most = Math.max(...bars.flatMap(({ value, low, high }) => [value, low ?? 0, high ?? 0].map(Math.abs)));
  return html`<h3>${title}</h3>
<p class="legend">Points left and right of zero. The line across the end of a bar is the 95 % interval; grey differences are not significant.</p>
<ul class="bars">\n${bars.map(
    ({ name, tone, text: [value, bounds], ...figure }) =>
      html`<li><span class="name">${name}</span>${signedBar(figure, most, tone, `${value}, 95 % interval ${bounds}`)}<span class="figure">${value} <span class="bounds">${bounds}</span></span></li>\n`,
  )}</ul>\n`;
}

function tableOf({ caption, columns, rows, shaded, sortable }: Table): Markup {
  const most = Math.max(1, ...rows.flat().map((cell) => (typeof cell === 'number' ? cell : 0)));
  const cell = (of: Inline, at: number): HtmlContent => {
    if (at === 0)
      return lengthOf(of) > UNBROKEN_CHARACTERS
        ? html`<span class="wrap">${renderInline(of)}</span>`
        : renderInline(of);
    if (!shaded || typeof of !== 'number') return renderInline(of);
    return html`<span class="heat-${Math.ceil((of / most) * 4)}">${of}</span>`;
  };
  return table(
    caption,
    columns.map(({ title, align, detail }) => ({ title: renderInline(title), align, detail })),
    rows.map((row) => row.map(cell)),
    sortable,
  );
}

const lengthOf = (of: Inline): number => (typeof of === 'string' ? of.length : 0);

const CLASSES = { dim: 'dim', good: 'passed', bad: 'failed', doubtful: 'inconclusive' } as const;

function renderInline(of: Inline): HtmlContent {
  if (typeof of === 'string' || typeof of === 'number') return of;
  if ('length' in of) return of.map(renderInline);
  return piece(of);
}

function piece(of: Piece): HtmlContent {
  if ('rate' in of) return rateCell(of.rate);
  if ('lines' in of) return of.lines.map((line, at) => [at > 0 && html`<br>`, renderInline(line)]);
  if ('before' in of) return changes(excerpt(wordDiff(of.before, of.after), CONTEXT));
  if (of.style === 'strong') return html`<b>${renderInline(of.text)}</b>`;
  if (of.style === 'code') return html`<code>${renderInline(of.text)}</code>`;
  return html`<span class="${CLASSES[of.style]}">${renderInline(of.text)}</span>`;
}

function pairOf({ of: [first = '', ...rest], found, before, after, note, explanation, marked }: TextPair): Markup {
  return html`<li><p class="about"><b>${renderInline(first)}</b>${rest.map((each) => html`<span>${renderInline(each)}</span>`)}<span>${renderInline(found)}</span></p>
${marked ? [markedText('Before', marked.before), markedText('After', marked.after)] : html`<p class="text" dir="auto">${changes(excerpt(wordDiff(before, after), CONTEXT))}</p>`}${note && html`<p class="note">${note}</p>`}${explanation && weighed([explanation.before, explanation.after])}</li>
`;
}

/** A text with its entities. Long stretches without one are cut. */
const markedText = (title: string, pieces: Marked): Markup =>
  html`<p class="text tagged" dir="auto"><b>${title}</b> ${pieces.map(({ text, mark, label }) =>
    mark === undefined
      ? visibleHtml(text.length <= 2 * CONTEXT ? text : `${text.slice(0, CONTEXT)} … ${text.slice(-CONTEXT)}`)
      : html`<mark class="${mark}">${visibleHtml(text)}${label && html`<small>${label}</small>`}</mark>`,
  )}</p>`;

/** The words of both texts on blue where they speak for the true label, on red where against it; shades of both mean the same. */
function weighed(explanations: readonly Explanation[]): Markup {
  const both = explanations.flatMap(({ text, methods: [one] }) => (one ? [{ text, one }] : []));
  const most = Math.max(...both.map(({ one }) => heaviest(one.words)));
  return html`<details class="weighed-text" open><summary>Which words counted for ${explanations[0]?.label}, before and after</summary>
${both.map(({ text, one }) => colouredText(text, one, undefined, most))}</details>`;
}

function attention(id: string, explanations: readonly Explanation[]): HtmlContent {
  const views = explanations.map((one, model) => attentionView(`${id}-${model}`, one));
  if (views.every((view) => view === false)) return undefined;
  return html`<h3>Attention, layer by layer</h3>
<p class="note">Lines run from the place that looks (left) to what it looks at (right); stronger is more attention, the weakest are left out. Point at a token to see its lines alone; press it to leave its word out and see what the model then says.</p>
<div class="beside">${explanations.map(({ model }, at) => html`<div>${explanations.length > 1 && html`<p class="note">${model.name}</p>`}${views[at]}</div>`)}</div>
`;
}
