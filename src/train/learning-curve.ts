/**
 * @file The learning curve as an SVG: training and validation loss against the left axis, against the right one the score that chooses
 * the weights to keep; where the loss does, the accuracy, or Pearson's r of numbers.
 */
import type { Measurement } from './history.js';
import { type ScoreName, scoreOf } from './scores.js';

const WIDTH = 720;
const HEIGHT = 360;
const MARGIN = { left: 56, right: 56, top: 32, bottom: 44 };
const NAMES: Record<Exclude<ScoreName, 'loss'>, string> = {
  accuracy: 'validation accuracy',
  macroF1: 'validation macro-F1',
  microF1: 'validation micro-F1',
  entityF1: 'F1 of entities in the validation texts',
  pearson: "Pearson's r on the validation texts",
};

interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly side: 'left' | 'right';
  readonly values: readonly number[];
}

/** The same points give the same bytes. */
export function learningCurve(points: readonly Measurement[], metric: ScoreName): string {
  const attacked = points.flatMap(({ underAttack }) => (underAttack === undefined ? [] : [underAttack]));
  const ofNumbers = points.some(({ validation }) => validation.pearson !== undefined);
  const shown = ofNumbers ? 'pearson' : metric === 'loss' ? 'accuracy' : metric;
  const curves: Curve[] = [
    { name: 'training loss', colour: '#9a9a9a', side: 'left', values: points.map(({ loss }) => loss) },
    { name: 'validation loss', colour: '#d1495b', side: 'left', values: points.map((p) => p.validation.loss) },
    { name: NAMES[shown], colour: '#00798c', side: 'right', values: points.map((p) => scoreOf(p.validation, shown)) },
    ...(attacked.length > 0
      ? [{ name: 'accuracy, perturbed', colour: '#edae49', side: 'right', values: attacked } as const]
      : []),
  ];
  const steps = points.map(({ step }) => step);
  const x = scale([0, Math.max(1, ...steps)], [MARGIN.left, WIDTH - MARGIN.right]);
  const range = (side: Curve['side']) => bounds(curves.filter((curve) => curve.side === side).flatMap((c) => c.values));
  const y = {
    left: scale(range('left'), [HEIGHT - MARGIN.bottom, MARGIN.top]),
    right: scale(range('right'), [HEIGHT - MARGIN.bottom, MARGIN.top]),
  };
  const lines = curves.flatMap(({ name, colour, side, values }, at) => {
    const path = values
      .map((value, k) => [steps[k]!, value] as const)
      .filter(([, value]) => Number.isFinite(value))
      .map(([step, value]) => `${x(step).toFixed(1)},${y[side](value).toFixed(1)}`)
      .join(' ');
    const legend = MARGIN.left + at * 160;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<text x="${legend}" y="18" fill="${colour}">${name}</text>`,
    ];
  });
  const kept = points.filter((point) => point.best).at(-1);
  const mark = kept
    ? `<circle cx="${x(kept.step).toFixed(1)}" cy="${y.right(scoreOf(kept.validation, shown)).toFixed(1)}" r="5" fill="none" stroke="#00798c" stroke-width="2"><title>kept: step ${kept.step}, ${scoreOf(kept.validation, shown).toFixed(4)}</title></circle>`
    : '';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<title>Learning curve</title>
<rect width="100%" height="100%" fill="#fff"/>
${axis(range('left'), y.left, MARGIN.left - 8, 'end')}
${axis(range('right'), y.right, WIDTH - MARGIN.right + 8, 'start')}
<text x="${MARGIN.left}" y="${HEIGHT - 24}">0</text>
<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 24}" text-anchor="end">${Math.max(0, ...steps)} steps</text>
${lines.join('\n')}
${mark}
</svg>
`;
}

type Range = readonly [number, number];

const scale =
  ([low, high]: Range, [from, to]: Range) =>
  (value: number): number =>
    from + ((value - low) / (high - low || 1)) * (to - from);

/** Lowest and highest of the finite values, with a little air. */
function bounds(values: readonly number[]): Range {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const air = (high - low || Math.abs(high) || 1) * 0.05;
  return [low - air, high + air];
}

function axis([low, high]: Range, y: (value: number) => number, x: number, anchor: string): string {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => low + share * (high - low));
  return ticks
    .map(
      (value) => `<text x="${x}" y="${(y(value) + 4).toFixed(1)}" text-anchor="${anchor}">${value.toFixed(3)}</text>`,
    )
    .join('\n');
}
