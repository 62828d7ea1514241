import { describe, expect, test } from 'vitest';
import { gradientOf } from '../../packages/onnx/src/autodiff/gradient-graph.js';
import { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import { onnxEngine } from '../../src/gradient/white-box/onnx-engine.js';
import { targetFeeds } from '../../src/train/batch-feeds.js';
import { appendLoss, type LossHead } from '../../src/train/loss.js';
import { checkClasses, classImportance, fillTargets } from '../../src/train/targets.js';
import { matrix } from '../matrix.js';
import { refusal } from '../refusal.js';

const ROWS = matrix('2 -1 0.5; -3 0.2 0.1');

/** The loss of two rows of logits and its gradient, as the graph computes them. */
async function run(head: LossHead, targets: number[][], importance: number[], rows = ROWS) {
  const g = new GraphBuilder();
  const columns = rows[0].length;
  const logits = g.input('logits', DataType.float, ['batch', columns]);
  const loss = appendLoss(g, logits, columns, head);
  g.output(loss);
  const runner = await onnxEngine().backward(g.model(), [loss], [], loss, ['logits']);
  const feeds = new Map([
    ['logits', { type: DataType.float, dims: [rows.length, columns], data: Float32Array.from(rows.flat()) }],
    ...targetFeeds(Float32Array.from(targets.flat()), Float32Array.from(importance)),
  ]);
  const out = await runner.run(feeds);
  const result = { loss: out.get(loss)?.[0] as number, gradient: [...(out.get(gradientOf('logits')) as Float32Array)] };
  await runner.release();
  return result;
}

const softmax = (row: readonly number[]) => {
  const powers = row.map(Math.exp);
  const total = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / total);
};
const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** The same by the formulas of the papers, in doubles. */
function expected(head: LossHead, targets: number[][], importance: number[], rows = ROWS): number {
  const term = (p: number, t: number) => (t === 0 ? 0 : -t * Math.log(p));
  return sum(
    rows.map((row, at) => {
      const p = head === 'softmax' ? softmax(row) : row.map(sigmoid);
      const each = p.map((value, column) => {
        const t = targets[at][column];
        return term(value, t) + (head === 'sigmoid' ? term(1 - value, 1 - t) : 0);
      });
      return importance[at] * sum(each);
    }),
  );
}

const HARD = matrix('1 0 0; 0 1 0');
const SOFT = matrix('0.8 0.1 0.1; 0.3 0.3 0.4');

describe.each<LossHead>(['softmax', 'sigmoid'])('%s loss', (head) => {
  test.each([
    ['one-hot', HARD, [0.5, 0.5]],
    ['soft', SOFT, [0.5, 0.5]],
    ['weighted', HARD, [0.9, 0.1]],
  ] as const)('%s equals the formula, and its gradient central differences', async (_, targets, importance) => {
    const given = targets.map((row) => [...row]);
    const { loss, gradient } = await run(head, given, [...importance]);
    expect(loss).toBeCloseTo(expected(head, given, [...importance]), 5);
    ROWS.flat().forEach((_value, at) => {
      const shifted = (by: number) => ROWS.map((row, r) => row.map((x, c) => (r * 3 + c === at ? x + by : x)));
      const slope =
        (expected(head, given, [...importance], shifted(1e-5)) -
          expected(head, given, [...importance], shifted(-1e-5))) /
        2e-5;
      expect(gradient[at]).toBeCloseTo(slope, 4);
    });
  });

  test('a model that is certain and right has a finite gradient', async () => {
    const { loss, gradient } = await run(head, HARD, [0.5, 0.5], matrix('80 -80 -80; -80 80 -80'));
    expect(loss).toBeCloseTo(0, 5);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });
});

test('one column is binary cross-entropy', async () => {
  const { loss } = await run('sigmoid', [[1], [0]], [0.5, 0.5], [[1.2], [-0.3]]);
  expect(loss).toBeCloseTo(-0.5 * (Math.log(sigmoid(1.2)) + Math.log(1 - sigmoid(-0.3))), 5);
});

describe('targets', () => {
  const row = (columns: number, ...args: [number, number]) => {
    const filled = new Float32Array(columns);
    fillTargets(filled, ...args);
    return Array.from(filled, (value) => Number(value.toFixed(4)));
  };

  test('label smoothing spreads its share over all labels', () => {
    expect(row(3, 1, 0.3)).toEqual([0.1, 0.8, 0.1]);
    expect(row(1, 1, 0.2)).toEqual([0.9]);
    expect(row(1, 0, 0.2)).toEqual([0.1]);
  });

  test('balanced weights give every class the same say in all', async () => {
    const counts = [90, 10];
    const weights = classImportance(counts, 'balanced');
    expect(weights[0] * 90).toBeCloseTo(weights[1] * 10);
    expect(classImportance(counts, undefined)).toEqual([1, 1]);
    await refusal(() => classImportance(counts, [1]));
    await refusal(() => classImportance(counts, [1, 0]));
  });

  test('data with one class or an empty class are refused, naming it', async () => {
    expect(() => checkClasses('toy', [5, 0], ['no', 'yes'])).toThrow(
      /toy: expected examples of every label \(no, yes\), got only "no"/,
    );
    await refusal(() => checkClasses('toy', [5, 0, 1], ['a', 'b', 'c']));
    expect(() => checkClasses('toy', [5, 1], ['a', 'b'])).not.toThrow();
  });
});
