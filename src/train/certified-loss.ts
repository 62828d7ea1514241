/**
 * @file The loss of a certificate: the cross-entropy of the worst logits that the bound of src/verify/bounds.ts leaves possible. Training on
 * the bound itself follows Wong and Kolter, "Provable Defenses via the Convex Outer Adversarial Polytope" (ICML 2018).
 */
import type { GraphBuilder } from '../onnx/builder.js';
import { DataType } from '../onnx/data-type.js';
import { logitScale, VOTES } from './architectures/char-cnn.js';

export interface CertifiedLoss {
  /** Edits of a text that must not change its prediction. */
  readonly edits: number;
  /** Its share of the loss; the rest is the cross-entropy of the unedited texts. */
  readonly share: number;
  /** Tokens in a window of the model. */
  readonly window: number;
  /** Neighbouring windows that the widest edit changes: `window` for a replaced word, one more for two swapped characters. */
  readonly widest: number;
}

/**
 * The loss of each text, [batch], negated as in `appendLoss`. With w = v_y - v_c + 1 >= 0 for the votes v of a window, true label y and
 * another label c, an edit lowers the difference of the sums of votes by at most the sum of w over the windows that contain it:
 * `widest` neighbouring ones. `targets` [batch, labels] are one-hot.
 */
export function certifiedTerms(
  g: GraphBuilder,
  targets: string,
  { edits, window, widest: run }: CertifiedLoss,
): string {
  const present = g.unsqueeze(g.cast('attention_mask', DataType.float), [2]); // [batch, sequence, 1]
  const chosen = g.unsqueeze(targets, [1]);
  const own = g.sum(g.mul(VOTES, chosen), [2]);
  const lead = g.sub(own, VOTES); // [batch, sequence, labels], v_y - v_c
  const atRisk = g.op('Pad', [g.add(lead, present), g.ints([0, run, 0, 0, 0, 0])]);
  const sums = g.op('CumSum', [atRisk, g.int(1)]);
  const runs = g.sub(g.slice(sums, 1, run), g.slice(sums, 1, 0, -run));
  const lost = g.reduce('ReduceMax', runs, [1], false); // [batch, labels]
  const margin = g.sub(g.sum(lead, [1], false), g.mul(lost, g.float(edits)));
  const others = g.sub(g.float(1), targets);
  const worst = g.mul(g.neg(margin), g.mul(others, g.float(logitScale(window))));
  const logs = g.op('LogSoftmax', [worst], { axis: -1 });
  return g.sum(g.mul(targets, logs), [1], false);
}
