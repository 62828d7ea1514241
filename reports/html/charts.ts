/**
 * @file The charts of a page: bars (of a rate, a signed figure or a score), forces, and lines over an axis. Each chart has its figures in
 * words for screen readers.
 */
import type { Rate } from '../../src/core/statistics/rate.js';
import type { Chart, ChartLine, Point } from '../../src/results/report/document.js';
import type { Attribution } from '../../src/results/report/explanation.js';
import { interval, percent } from '../figures.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';

/** `hit`: what an attacker gains; `hold`: what the model keeps; `plain`: neither. */
export type Tone = 'hit' | 'hold' | 'plain';

/** A share of the width. */
const at = (share: number): string => `${(100 * Math.min(1, Math.max(0, share))).toFixed(2)}%`;

interface Whisker {
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
}

interface BarDrawing extends Whisker {
  /** Where the bar begins and ends; no bar without an end. */
  readonly from?: number;
  readonly to?: number | undefined;
  readonly tone: Tone;
  /** The chart in words. Without them it is hidden from screen readers, because the neighbouring text says the same. */
  readonly label?: string;
  /** A vertical line: zero, or a threshold. */
  readonly mark?: { readonly kind: 'zero' | 'threshold'; readonly at: number };
  /** The whole width is shaded. */
  readonly track?: boolean;
}

/** As wide as the place it is put in; every number is a share of that width. `low` and `high` are drawn as a whisker. */
function bar({ from = 0, to, low, high, tone, label, mark, track = false }: BarDrawing): Markup {
  const cap = (x: number): Markup => html`<line class="whisker" x1="${at(x)}" x2="${at(x)}" y1="5" y2="13"/>`;
  const whisker =
    typeof low === 'number' &&
    typeof high === 'number' &&
    html`<line class="whisker" x1="${at(low)}" x2="${at(high)}" y1="9" y2="9"/>${cap(low)}${cap(high)}`;
  const [left, right] = [Math.min(from, to ?? from), Math.max(from, to ?? from)];
  return html`<svg class="interval" ${label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`} width="100%" height="18">${
    track && html`<rect class="track" x="0" y="4" width="100%" height="10"/>`
  }${to !== undefined && html`<rect class="${tone}" x="${at(left)}" y="4" width="${at(right - left)}" height="10"/>`}${
    mark && html`<line class="${mark.kind}" x1="${at(mark.at)}" x2="${at(mark.at)}" y1="0" y2="18"/>`
  }${whisker}</svg>`;
}

/** As words: `81.5 %, 95 % interval 75-87, n = 161`; `whole`: with the value, which neighbouring text may give. */
export const rateInWords = (rate: Rate, whole = true): string =>
  rate.value === null
    ? 'nothing to measure'
    : `${whole ? `${percent(rate.value)}, ` : ''}95\u00A0% interval ${interval(rate)}, n = ${rate.n}`;

/** From 0 on the left to 100 % on the right. */
export const intervalBar = (rate: Rate, tone: Tone): Markup =>
  bar({ to: rate.value ?? undefined, low: rate.low, high: rate.high, tone, label: rateInWords(rate), track: true });

/** A score from 0 to 1 without an interval. */
export const scoreBar = (score: number, tone: Tone, threshold?: number): Markup =>
  bar({ to: score, tone, track: true, ...(threshold !== undefined && { mark: { kind: 'threshold', at: threshold } }) });

/** From zero in the middle to the right for +, to the left for -; `most` is the figure at the edge. */
export function signedBar(
  { value, low, high }: { readonly value: number } & Whisker,
  most: number,
  tone: Tone,
  label: string,
): Markup {
  const place = (figure: number | null | undefined): number | undefined =>
    typeof figure === 'number' ? 0.5 + figure / Math.max(1e-12, most) / 2.1 : undefined;
  return bar({
    from: 0.5,
    to: place(value),
    low: place(low),
    high: place(high),
    tone,
    label,
    mark: { kind: 'zero', at: 0.5 },
  });
}

/** `81.5 %` and its interval beside it, dimmed, the figures of a column under one another. */
export const rateCell = (rate: Rate): Markup =>
  rate.value === null
    ? html`<span class="none">–</span>`
    : html`<span class="rate">${percent(rate.value)}</span> <span class="bounds">${interval(rate)}</span>`;

/** A weight with its sign: `+0.202`. */
export const signed = (weight: number): string => `${weight < 0 ? '−' : '+'}${Math.abs(weight).toFixed(3)}`;

/** Figures of a force plot: the value without words and with them. */
export interface Forces {
  readonly base: number;
  readonly value: number;
  /** Name of the value, if it is not the model's own. */
  readonly name?: string;
}

/** Characters that fit on a line of the narrowest chart, and of a wide page. */
const NARROW = 42;
const WIDE = 120;

/**
 * All weights as forces that push the value from its base without words to its final place, like shap's force plot. Weights for the label
 * push from the left, those against it from the right, the heaviest where they meet. `columns`: charts side by side.
 */
export function forcePlot(
  { words }: Attribution,
  { base, value, name = '' }: Forces,
  scale: string,
  columns: number,
): Markup {
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

const WIDTH = 440;
const HEIGHT = 240;
/** With more points than this their dots would run together. */
const MOST_DOTS = 30;
const MARGIN = { left: 46, right: 16, top: 30, bottom: 40 };

/** A panel of a chart with its caption, its legend, and its numbers in a table for who cannot see it. */
export function lineChart({ title, lines }: Chart['panels'][number], { x, y }: Chart): Markup {
  const points = lines.flatMap((line) => finite(line.points));
  const steps = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const across =
    x.spacing === 'even'
      ? (value: number) => scale(steps.indexOf(value), 0, steps.length - 1, MARGIN.left, WIDTH - MARGIN.right)
      : (value: number) => scale(value, steps[0] ?? 0, steps.at(-1) ?? 1, MARGIN.left, WIDTH - MARGIN.right);
  const ys = points.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]);
  const levels = ticks(y.min ?? Math.min(...ys), y.max ?? Math.max(...ys));
  const bottom = HEIGHT - MARGIN.bottom;
  const up = (value: number) => scale(value, levels[0] ?? 0, levels.at(-1) ?? 1, bottom, MARGIN.top);
  const [showX, showY] = [x.format ?? String, y.format ?? String];
  const marks = x.spacing === 'even' ? steps : ticks(steps[0] ?? 0, steps.at(-1) ?? 1, false);
  return html`<figure class="chart">
<figcaption>${title}</figcaption>
<p class="legend">${lines.map((line) => html`<span class="key ${line.tone}">${line.name}</span> `)}</p>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${y.label} against ${x.label}">
${levels.map((level) => html`<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${up(level)}" y2="${up(level)}"/><text x="${MARGIN.left - 8}" y="${up(level) + 4}" text-anchor="end">${showY(level)}</text>`)}
${marks.map((mark) => html`<text x="${across(mark)}" y="${bottom + 18}" text-anchor="middle">${showX(mark)}</text>`)}
<text class="axis" x="0" y="14">${y.label}</text>
<text class="axis" x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 4}" text-anchor="middle">${x.label}</text>
${lines.map((line) => band(line, across, up))}
${lines.map((line) => drawLine(line, across, up))}
</svg>
<details><summary>Figures</summary>
${table(
  title,
  [{ title: x.label }, ...lines.map((line) => ({ title: line.name, align: 'right' as const }))],
  steps.map((step) => [
    showX(step),
    ...lines.map((line) => {
      const point = line.points.find((each) => each.x === step);
      return point === undefined ? '' : showY(point.y);
    }),
  ]),
)}</details>
</figure>
`;
}

type AxisScale = (value: number) => number;

const finite = (points: readonly Point[]): Point[] => points.filter((point) => Number.isFinite(point.y));

/** Bands lie under all lines. */
function band({ tone, points }: ChartLine, across: AxisScale, up: AxisScale): Markup | false {
  const known = finite(points).flatMap(({ x, low, high }) =>
    low === undefined || high === undefined ? [] : [{ x, low, high }],
  );
  if (known.length === 0 || known.length < finite(points).length) return false;
  const upper = known.map(({ x, high }) => `${across(x)},${up(high)}`);
  const lower = known.map(({ x, low }) => `${across(x)},${up(low)}`).reverse();
  return html`<polygon class="band ${tone}" points="${[...upper, ...lower].join(' ')}"/>`;
}

function drawLine({ tone, points }: ChartLine, across: AxisScale, up: AxisScale): Markup {
  const places = finite(points).map(({ x, y }) => [across(x), up(y)] as const);
  return html`<polyline class="line ${tone}" points="${places.join(' ')}"/>${
    places.length <= MOST_DOTS && places.map(([x, y]) => html`<circle class="dot ${tone}" cx="${x}" cy="${y}" r="3"/>`)
  }`;
}

/** A position on the chart, to a tenth of a unit. */
const scale = (value: number, from: number, to: number, start: number, end: number): number =>
  Math.round((to === from ? (start + end) / 2 : start + ((value - from) / (to - from)) * (end - start)) * 10) / 10;

/** Round numbers that divide a range into about five: multiples of 1, 2 or 5 times a power of ten. `outer` covers the range. */
function ticks(min: number, max: number, outer = true): number[] {
  if (!(Number.isFinite(min) && Number.isFinite(max))) return [0, 1];
  if (min === max) return outer ? [min - 1, min, min + 1] : [min];
  const rough = (max - min) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = outer
    ? [Math.floor(min / step + 1e-9), Math.ceil(max / step - 1e-9)]
    : [Math.ceil(min / step - 1e-9), Math.floor(max / step + 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
