/** @file From the rows of a text to the scores of its labels: the mean of the rows, a product, and the model's loss (loss.cc). */
import type { FastTextModel, Matrix } from './read.js';

/** Scores in the order of the labels: probabilities that sum to 1, or independent ones of a one-vs-all loss. */
export function predictor(model: FastTextModel): (rows: readonly number[]) => Float32Array {
  const { input, output, loss, labelCounts } = model;
  const paths = loss === 'hierarchical' ? pathsOf(labelCounts) : [];
  return (rows) => {
    const hidden = meanOf(input, rows);
    const products = Float64Array.from({ length: output.rows }, (_, row) => product(output, row, hidden));
    if (loss === 'softmax') return softmax(products);
    if (loss === 'independent') return Float32Array.from(products, tabledSigmoid);
    return Float32Array.from(paths, (path) =>
      path.reduce((sum, { node, right }) => {
        const yes = 1 / (1 + Math.exp(-products[node]!));
        return sum * (right ? yes : 1 - yes);
      }, 1),
    );
  };
}

function meanOf({ values, columns }: Matrix, rows: readonly number[]): Float64Array {
  const mean = new Float64Array(columns);
  for (const row of rows) {
    for (let at = 0; at < columns; at++) mean[at] = mean[at]! + values[row * columns + at]!;
  }
  return rows.length === 0 ? mean : mean.map((sum) => sum / rows.length);
}

function product({ values, columns }: Matrix, row: number, hidden: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < columns; at++) sum += values[row * columns + at]! * hidden[at]!;
  return sum;
}

function softmax(products: Float64Array): Float32Array {
  const most = products.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const powers = products.map((x) => Math.exp(x - most));
  const sum = powers.reduce((a, b) => a + b, 0);
  return Float32Array.from(powers, (x) => x / sum);
}

/** fastText looks the sigmoid up in a table of 512 steps from -8 to 8: its answers are these steps. */
function tabledSigmoid(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  return 1 / (1 + Math.exp(8 - Math.floor((x + 8) * 32) / 32));
}

interface Turn {
  /** Row of the output matrix. */
  readonly node: number;
  readonly right: boolean;
}

/** The way from the root to each label in the Huffman tree of the labels' counts, which fall from label to label (loss.cc, buildTree). */
export function pathsOf(counts: readonly number[]): Turn[][] {
  const leaves = counts.length;
  const sums = [...counts];
  const turns: Turn[] = [];
  const parents: number[] = [];
  let [leaf, node] = [leaves - 1, leaves];
  for (let made = leaves; made < 2 * leaves - 1; made++) {
    for (const right of [false, true]) {
      // A node that is not made yet weighs more than any.
      const takesLeaf = leaf >= 0 && sums[leaf]! < (node < made ? sums[node]! : 1e15);
      const child = takesLeaf ? leaf-- : node++;
      parents[child] = made;
      turns[child] = { node: made - leaves, right };
      sums[made] = (sums[made] ?? 0) + sums[child]!;
    }
  }
  return counts.map((_, label) => {
    const path: Turn[] = [];
    for (let at = label; at !== 2 * leaves - 2; at = parents[at]!) path.unshift(turns[at]!);
    return path;
  });
}
