/** @file Lines over a common axis, with bands of uncertainty: sweeps over a perturbation's size, learning curves. */
import type { Chart, ChartLine, Point } from '../../src/plugin.js';
import { html, type Markup } from './markup.js';
import { table } from './page.js';

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
${lines.map((line) => drawn(line, across, up))}
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

function drawn({ tone, points }: ChartLine, across: AxisScale, up: AxisScale): Markup {
  const places = finite(points).map(({ x, y }) => [across(x), up(y)] as const);
  return html`<polyline class="line ${tone}" points="${places.join(' ')}"/>${
    places.length <= MOST_DOTS && places.map(([x, y]) => html`<circle class="dot ${tone}" cx="${x}" cy="${y}" r="3"/>`)
  }`;
}

/** A place on the drawing, to a tenth of a unit. */
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
