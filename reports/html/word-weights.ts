/** @file Words and their weights, drawn: the text in colours, a bar a word, and all of them as forces on the answer. */
import type { Attribution, Explanation, WordWeight } from '../../src/results/report/explanation.js';
import { disagreements, isUndirected, shownWords } from '../explained-words.js';
import { type Forces, forcePlot, signed, signedBar } from './charts.js';
import { html, type Markup, raw, visibleHtml } from './markup.js';

/** Bars of one text; of longer texts the heaviest words. */
const MAX_BARS = 60;
/** Shades of a colour. */
const SHADES = 5;

/** Largest |weight| of a method, never 0. */
export const heaviest = (words: readonly WordWeight[]): number =>
  Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));

const figureOf = (weight: number, undirected: boolean): string => signed(weight).slice(undirected ? 1 : 0);

/** `+0.202 (95 % interval +0.198 to +0.206)` */
const inWords = ({ weight, low, high }: WordWeight, undirected = false): string =>
  low === undefined || high === undefined
    ? figureOf(weight, undirected)
    : `${signed(weight)} (95 % interval ${signed(low)} to ${signed(high)})`;

/**
 * The text, with words for the label on blue and words against it on red; deeper is stronger. A word shows its weight on hover, touch or
 * keyboard focus. `differs`: places of words to underline; `most`: the weight of the deepest shade.
 */
export function colouredText(
  text: string,
  { name, words }: Attribution,
  differs: ReadonlySet<number> = new Set(),
  most = heaviest(words),
): Markup {
  const undirected = isUndirected({ name });
  const parts: Markup[] = [];
  let from = 0;
  words.forEach((one, at) => {
    const { word, start, weight } = one;
    const shade = Math.round((SHADES * Math.abs(weight)) / most);
    const side = shade === 0 ? '' : ` ${undirected ? 'looked' : weight > 0 ? 'for' : 'against'}-${shade}`;
    parts.push(
      visibleHtml(text.slice(from, start)),
      html`<span class="weighed${side}${differs.has(at) && ' differs'}" tabindex="0" data-tip="${inWords(one, undirected)}">${visibleHtml(word)}</span>`,
    );
    from = start + word.length;
  });
  return html`<p class="text" dir="auto">${parts}${visibleHtml(text.slice(from))}</p>\n`;
}

interface Side {
  readonly name: string;
  readonly attribution: Attribution;
}

/**
 * A line a word: its name, then for each side (one model, or two) bar and figure. The bars of both sides have one scale.
 * `rows`: places of the words shown.
 */
function wordBars(sides: readonly Side[], rows: readonly number[], differs: ReadonlySet<number>): Markup {
  const most = Math.max(...sides.map(({ attribution }) => heaviest(attribution.words)));
  const cells = (row: number): Markup[] =>
    sides.map(({ attribution }) => {
      const one = attribution.words[row];
      if (one === undefined) return html`<span></span><span class="figure none">not read</span>`;
      const undirected = isUndirected(attribution);
      const tone = undirected ? 'plain' : one.weight < 0 ? 'hit' : 'hold';
      return html`${signedBar({ value: one.weight, ...one }, most, tone, inWords(one, undirected))}<span class="figure">${one.weight === 0 ? '0' : figureOf(one.weight, undirected)}</span>`;
    });
  const name = (row: number): string =>
    sides.map(({ attribution }) => attribution.words[row]?.word).find((word) => word !== undefined) ?? '';
  return html`<ul class="word-bars${sides.length > 1 && ' two'}">
${sides.length > 1 && html`<li class="head"><span></span>${sides.map((side) => html`<span class="side">${side.name}</span>`)}</li>\n`}${rows.map(
  (row) =>
    html`<li${differs.has(row) && raw(' class="differs-row"')}><span class="name">${visibleHtml(name(row))}${differs.has(row) && html`<abbr title="the models disagree"> ≠</abbr>`}</span>${cells(row)}</li>\n`,
)}</ul>
`;
}

/** Each method's words: the text in colours, forces and bars; the models of one text side by side. */
export const methodsBeside = (explanations: readonly Explanation[]): Markup =>
  html`${explanations[0]?.methods.map((_, method) => oneMethod(explanations, method))}`;

function oneMethod(explanations: readonly Explanation[], method: number): Markup {
  const [first] = explanations as [Explanation];
  const sides = explanations.map((one) => ({ name: one.model.name, attribution: one.methods[method] as Attribution }));
  const attributions = sides.map(({ attribution }) => attribution);
  const differing = disagreements(attributions);
  const scale = first.scale === 'logit' ? `log-odds of ${first.label}` : `probability of ${first.label}`;
  return html`<h3>${attributions[0]?.name}</h3>
<div class="beside">${explanations.map(({ text }, at) => {
    const { name, attribution } = sides[at] as Side;
    const forces = forcesOf(attribution);
    return html`<div>${sides.length > 1 && html`<p class="note">${name}</p>`}${colouredText(text, attribution, differing)}${forces && forcePlot(attribution, forces, scale, sides.length)}</div>`;
  })}</div>
${wordBars(sides, shownWords(attributions, MAX_BARS), differing)}`;
}

/** Where a method says what the value is without words. */
function forcesOf({ check: { baseValue, value, intercept, localPrediction } }: Attribution): Forces | undefined {
  if (typeof baseValue === 'number' && typeof value === 'number') return { base: baseValue, value };
  if (typeof intercept !== 'number' || typeof localPrediction !== 'number') return undefined;
  return { base: intercept, value: localPrediction, name: 'fitted' };
}
