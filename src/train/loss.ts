/**
 * @file Adds the loss as ONNX nodes after the logits, so that differentiating the graph needs no knowledge of it. Additional inputs:
 * `targets` [batch, labels], one row of probabilities per text (one-hot, smoothed, or a teacher's), and `importance` [batch], which
 * includes the averaging over the batch. For regression, the target is the number. If each token has a label, both have a row for each token:
 * [batch, sequence, labels] and [batch, sequence].
 */
import type { GraphBuilder } from '../onnx/builder.js';
import { DataType } from '../onnx/data-type.js';
import type { LogitsOf } from './architectures/architecture-builder.js';
import { type CertifiedLoss, certifiedTerms } from './certified-loss.js';

/** Columns compete (softmax), each answers for itself (sigmoid: one logit, or several labels at once), or the one column is a number. */
export type LossHead = 'softmax' | 'sigmoid' | 'number';

export const TARGETS = 'targets';
export const IMPORTANCE = 'importance';

export const PARTNER = 'partner';

export interface LossOptions {
  /**
   * Weight of the disagreement of two copies of each text, which are learnt at once under different noise: Liang et al., "R-Drop" (NeurIPS 2021),
   * eq. 4. The input `partner` [batch] holds the row of a text's other copy. 0 for none; softmax only.
   */
  readonly consistency: number;
  /** Trains for provable robustness to edits; `char-cnn` and one label a text only. */
  readonly certified?: CertifiedLoss | undefined;
}

const ROWS: Readonly<Record<LogitsOf, readonly string[]>> = { text: ['batch'], token: ['batch', 'sequence'] };

/** Appends the loss, a scalar, and returns its name: sum over texts of importance x sum over columns of the cross-entropy, or of a number's squared error. */
export function appendLoss(
  g: GraphBuilder,
  logits: string,
  columns: number,
  head: LossHead,
  { consistency, certified }: LossOptions,
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
    if (consistency > 0) terms = g.sub(terms, g.mul(disagreement(g, logs), g.float(consistency / 4)));
  } else {
    const yes = logSigmoid(g, g.neg(logits));
    const no = logSigmoid(g, logits);
    terms = g.add(g.mul(targets, yes), g.mul(g.sub(g.float(1), targets), no));
  }
  const plain = g.sum(terms, [ROWS[of].length], false); // [batch], or [batch, sequence]
  const perText = certified ? mixed(g, plain, certifiedTerms(g, targets, certified), certified.share) : plain;
  const total = g.op('ReduceSum', [g.mul(perText, importance)], { keepdims: 0 });
  return g.neg(total);
}

const mixed = (g: GraphBuilder, a: string, b: string, share: number): string =>
  g.add(g.mul(a, g.float(1 - share)), g.mul(b, g.float(share)));

/** Summed over columns, KL(p, q) + KL(q, p) = sum (p - q) (log p - log q), of a text's two copies; [batch, labels]. */
function disagreement(g: GraphBuilder, logs: string): string {
  const partner = g.input(PARTNER, DataType.int64, ['batch']);
  const others = g.op('Gather', [logs, partner], { axis: 0 });
  const apart = g.sub(g.exp(logs), g.exp(others));
  return g.mul(apart, g.sub(logs, others));
}

/** log sigmoid(-x) = -softplus(x). */
const logSigmoid = (g: GraphBuilder, negated: string): string => g.neg(g.op('Softplus', [negated]));
