/** @file From a graph's raw output to probabilities. */
import { sigmoid, softmax } from '../../core/statistics/softmax.js';
import type { OutputActivation } from '../opening/manifest.js';

export interface OutputRule {
  readonly activation: OutputActivation;
  /** Divide each row by its sum. */
  readonly normalise: boolean;
  /** Columns of the graph's output; one logit becomes two columns, 1 - p and p, unless it is a `number`. */
  readonly width: number;
  /** A regression: the one score stands for itself. */
  readonly number?: true;
}

/** Activations that convert each score by itself. */
const ELEMENTWISE: Readonly<Partial<Record<OutputActivation, (x: number) => number>>> = {
  sigmoid,
  'log-softmax': Math.exp,
};

/** Columns of the probabilities. */
export const columns = ({ width, number }: OutputRule): number => (number ? 1 : Math.max(2, width));

/** `raw`, row-major [texts, width], to probabilities, row-major [texts, columns]. Throws RangeError: see `normalise`. */
export function activate(raw: ArrayLike<number>, rule: OutputRule): Float32Array {
  const { width } = rule;
  const wide = columns(rule);
  const texts = raw.length / width;
  const each = ELEMENTWISE[rule.activation] ?? ((x: number) => x);
  const out = new Float32Array(texts * wide);
  for (let text = 0; text < texts; text++) {
    const row = out.subarray(text * wide, (text + 1) * wide);
    for (let at = 0; at < width; at++) row[wide - width + at] = each(Math.fround(raw[text * width + at]!));
    if (wide > width) row[0] = 1 - row[1]!;
    else if (rule.activation === 'softmax') softmax(row);
    if (rule.normalise) normalise(row);
  }
  return out;
}

/** Throws RangeError where no score is above 0: such a row speaks for no label. */
function normalise(row: Float32Array): void {
  const total = row.reduce((a, b) => a + b, 0);
  if (total <= 0) throw new RangeError(`expected a score above 0 to divide the row by its sum, got ${row.join(', ')}`);
  for (let at = 0; at < row.length; at++) row[at] = row[at]! / total;
}
