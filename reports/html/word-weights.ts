/** @file Words and their weights, drawn: the text in colours, a bar a word, and all of them as forces on the answer. */
import type { Attribution, Explanation, WordWeight } from '../../src/plugin.js';
import { disagreements, shownWords } from '../explained-words.js';
import { html, type Markup, raw, visibleHtml } from './markup.js';

/** Bars of one text; of longer texts the heaviest words. */
const MAX_BARS = 60;
/** Shades of a colour. */
const SHADES = 5;

/** Largest |weight| of a method, never 0. */
export const heaviest = (words: readonly WordWeight[]): number =>
  Math.max(1e-12, ...words.map(({ weight }) => Math.abs(weight)));

const signed = (weight: number): string => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(3)}`;

/** `+0.202 (95 % interval +0.198 to +0.206)` */
const inWords = ({ weight, low, high }: WordWeight): string =>
  low === undefined || high === undefined
    ? signed(weight)
    : `${signed(weight)} (95 % interval ${signed(low)} to ${signed(high)})`;

/**
 * The text, its words on blue where they speak for the label, on red where against it; deeper is stronger. Each tells its
 * weight when it is pointed at, touched, or reached by keyboard. `differs`: places of words to underline; `most`: the weight
 * of the deepest shade.
 */
export function colouredText(
  text: string,
  { words }: Attribution,
  differs: ReadonlySet<number> = new Set(),
  most = heaviest(words),
): Markup {
  const parts: Markup[] = [];
  let from = 0;
  words.forEach((one, at) => {
    const { word, start, weight } = one;
    const shade = Math.round((SHADES * Math.abs(weight)) / most);
    const side = shade === 0 ? '' : ` ${weight > 0 ? 'for' : 'against'}-${shade}`;
    parts.push(
      visibleHtml(text.slice(from, start)),
      html`<span class="weighed${side}${differs.has(at) && ' differs'}" tabindex="0" data-tip="${inWords(one)}">${visibleHtml(word)}</span>`,
    );
    from = start + word.length;
  });
  return html`<p class="text" dir="auto">${parts}${visibleHtml(text.slice(from))}</p>\n`;
}

/** A place as a share of the width. */
const at = (share: number): string => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

/** From the middle to the right for +, to the left for -; a whisker from bound to bound. */
function signedBar(one: WordWeight, most: number): Markup {
  const { weight, low, high } = one;
  const place = (value: number): number => 0.5 + value / most / 2.1;
  const [left, right] = [Math.min(0, weight), Math.max(0, weight)];
  const whisker =
    low !== undefined &&
    high !== undefined &&
    html`<line class="whisker" x1="${at(place(low))}" x2="${at(place(high))}" y1="9" y2="9"/>`;
  return html`<svg class="interval" role="img" aria-label="${inWords(one)}" width="100%" height="18"><rect class="${weight < 0 ? 'hit' : 'hold'}" x="${at(place(left))}" y="4" width="${at(place(right) - place(left))}" height="10"/><line class="zero" x1="50%" x2="50%" y1="0" y2="18"/>${whisker}</svg>`;
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
    sides.map(({ attribution: { words } }) => {
      const one = words[row];
      if (one === undefined) return html`<span></span><span class="figure none">not read</span>`;
      return html`${signedBar(one, most)}<span class="figure">${one.weight === 0 ? '0' : signed(one.weight)}</span>`;
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

/** Figures of a force plot: the value without words and with them. */
interface Forces {
  readonly base: number;
  readonly value: number;
  /** What the value is called, where it is not the model's own. */
  readonly name?: string;
}

/** Characters that fit beside each other on the narrowest drawing, and on a wide page. */
const NARROW = 42;
const WIDE = 120;

/**
 * All weights as forces that push the value from where it is without words to where it is: those for the label from the left, those against it
 * from the right, the heaviest where they meet (in the manner of shap's force plot). `columns`: drawings beside each other.
 */
function forcePlot({ words }: Attribution, { base, value, name = '' }: Forces, scale: string, columns: number): Markup {
  const sum = (sign: 1 | -1): number => words.reduce((total, { weight }) => total + Math.max(0, sign * weight), 0);
  const [pushing, pulling] = [sum(1), sum(-1)];
  const reach = Math.max(1e-9, pushing + pulling);
  const [low, high] = [value - pushing - 0.04 * reach, value + pulling + 0.04 * reach];
  const place = (of: number): number => (of - low) / (high - low);
  const side = (sign: 1 | -1): Markup[] => {
    let edge = value;
    return words
      .filter(({ weight }) => sign * weight > 0)
      .sort((a, b) => sign * (b.weight - a.weight) || a.start - b.start)
      .map((one) => {
        const next = edge - one.weight;
        const [from, to] = [Math.min(edge, next), Math.max(edge, next)];
        edge = next;
        const share = place(to) - place(from);
        const label =
          one.word.length < share * NARROW
            ? 'label'
            : one.word.length < share * (WIDE / columns)
              ? 'label wide-only'
              : '';
        return html`<rect class="${sign > 0 ? 'hold' : 'hit'} force" x="${at(place(from))}" y="22" width="${at(share)}" height="18"><title>${one.word} ${signed(one.weight)}</title></rect>${label !== '' && html`<text class="${label}" x="${at((place(from) + place(to)) / 2)}" y="56" text-anchor="middle">${one.word}</text>`}`;
      });
  };
  const mark = (name: string, of: number, kind: string): Markup => {
    const x = place(of);
    const anchor = x < 0.2 ? 'start' : x > 0.8 ? 'end' : 'middle';
    return html`<line class="${kind}" x1="${at(x)}" x2="${at(x)}" y1="17" y2="44"/><text class="${kind}" x="${at(x)}" y="12" text-anchor="${anchor}">${name} ${of.toFixed(3)}</text>`;
  };
  // Two labels on one place would be read as one.
  const apart = Math.abs(place(base) - place(value)) > 0.3;
  return html`<svg class="forces" role="img" aria-label="${scale}: ${base.toFixed(3)} without words; words raise it by ${pushing.toFixed(3)} and lower it by ${pulling.toFixed(3)}, to ${value.toFixed(3)}" width="100%" height="62">
${side(1)}${side(-1)}${apart ? mark('without words', base, 'base') : html`<line class="base" x1="${at(place(base))}" x2="${at(place(base))}" y1="17" y2="44"/>`}${mark(name, value, 'value')}
</svg>
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
