/**
 * @file Adds the loss as ONNX nodes after the logits, so that differentiating the graph needs no knowledge of it. Additional inputs:
 * `targets` [batch, labels], one row of probabilities per text (one-hot or smoothed), and `importance` [batch], which
 * includes the averaging over the batch. For regression, the target is the number. If each token has a label, both have a row for each token:
 * [batch, sequence, labels] and [batch, sequence].
 */
import type { GraphBuilder } from '../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../packages/onnx/src/graph/data-type.js';
import type { LogitsOf } from './architectures/architecture-builder.js';

/** Columns compete (softmax), each answers for itself (sigmoid: one logit, or several labels at once), or the one column is a number. */
export type LossHead = 'softmax' | 'sigmoid' | 'number';

export const TARGETS = 'targets';
export const IMPORTANCE = 'importance';

const ROWS: Readonly<Record<LogitsOf, readonly string[]>> = { text: ['batch'], token: ['batch', 'sequence'] };

/** Appends the loss, a scalar, and returns its name: sum over texts of importance x sum over columns of the cross-entropy, or of a number's squared error. */
export function appendLoss(
  g: GraphBuilder,
  logits: string,
  columns: number,
  head: LossHead,
  of: LogitsOf = 'text',
): string {
  const targets = g.input(TARGETS, DataType.float, [...ROWS[of], columns]);
  const importance = g.input(IMPORTANCE, DataType.float, ROWS[of]);
  let terms: string; // [batch, labels], what each column loses, negated
  if (head === 'number') {
    const error = g.sub(logits, targets);
    terms = g.neg(g.mul(error, error));
  } else if (head === 'softmax') {
    const logs = g.op('LogSoftmax', [logits], { axis: -1 });
    terms = g.mul(targets, logs);
  } else {
    const yes = logSigmoid(g, g.neg(logits));
    const no = logSigmoid(g, logits);
    terms = g.add(g.mul(targets, yes), g.mul(g.sub(g.float(1), targets), no));
  }
  const perText = g.sum(terms, [ROWS[of].length], false); // [batch], or [batch, sequence]
  const total = g.op('ReduceSum', [g.mul(perText, importance)], { keepdims: 0 });
  return g.neg(total);
}

/** log sigmoid(-x) = -softplus(x). */
const logSigmoid = (g: GraphBuilder, negated: string): string => g.neg(g.op('Softplus', [negated]));
