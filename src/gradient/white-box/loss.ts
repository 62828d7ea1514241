/** @file The loss that attacks maximise: the loss of one label, as nodes behind a model's output. */
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import type { Dimension, Model } from '../../../packages/onnx/src/graph/model.js';
import type { OutputRule } from '../../model/output/activation.js';
import { logitsTable, lossStart } from '../../model/output/head.js';

/** The input of targets [batch, width]: 1 in the label's column, else 0; for a single column 1 for label 1, 0 for label 0. */
export const TARGET = 'target of the loss';

export interface ModelWithLoss {
  /** The model with the loss behind it. */
  readonly model: Model;
  /** The tensor of losses, [batch]. */
  readonly losses: string;
  /** Which loss it is. */
  readonly name: string;
}

/**
 * Appends the loss that fits how the output is read:
 * - softmax, log-softmax: cross-entropy, -log softmax(z)_label;
 * - sigmoid, one column or several labels at once: binary cross-entropy, the sum over columns of softplus(z) - t z;
 * - 1 - p beside p = s(z): binary cross-entropy;
 * - sigmoids divided by their sum: -log(s(z)_label / sum s(z));
 * - probabilities: -log(p_label / sum p).
 * `batch` is the first dimension of the model's inputs. Where the graph ends in a Softmax or Sigmoid of its own, the loss starts before it, where nothing has saturated.
 */
export function appendLoss(model: Model, output: string, rule: OutputRule, batch: Dimension = 'batch'): ModelWithLoss {
  const g = new GraphBuilder({ base: model });
  const target = g.input(TARGET, DataType.float, [batch, rule.width]);
  const start = lossStart(model.graph, output, rule.activation);
  const logits = logitsTable(g, output, start ?? { logits: output, activation: 'softmax', shaped: true }, rule.width);
  const columns = (terms: string) => {
    const keep = { keepdims: 0 };
    return g.opset >= 13
      ? g.op('ReduceSum', [terms, g.ints([1])], keep)
      : g.op('ReduceSum', [terms], { axes: [1], ...keep });
  };
  const choose = (terms: string) => columns(g.mul(terms, target));
  const log = (x: string) => g.op('Log', [g.op('Max', [x, g.float(1e-30)])]);
  const normalised = rule.normalise && rule.width > 1;
  let losses: string;
  let name: string;
  if (start?.pair !== undefined) {
    // -log s(z) = softplus(-z), -log (1 - s(z)) = softplus(z)
    const opposite = g.neg(logits);
    const terms = start.pair === 'no first' ? [logits, opposite] : [opposite, logits];
    losses = choose(g.op('Softplus', [g.op('Concat', terms, { axis: 1 })]));
    name = 'binary cross-entropy';
  } else if (start?.activation === 'softmax') {
    losses = g.neg(choose(g.op('LogSoftmax', [logits], { axis: -1 })));
    name = 'cross-entropy';
  } else if (start?.activation === 'sigmoid' && normalised) {
    // -log s(z) = softplus(-z)
    const label = choose(g.op('Softplus', [g.neg(logits)]));
    losses = g.add(label, log(columns(g.op('Sigmoid', [logits]))));
    name = 'negative log-likelihood of normalised sigmoids';
  } else if (start?.activation === 'sigmoid') {
    losses = columns(g.sub(g.op('Softplus', [logits]), g.mul(logits, target)));
    name = 'binary cross-entropy';
  } else if (rule.width === 1) {
    const yes = g.mul(log(logits), target);
    const no = g.mul(log(g.sub(g.float(1), logits)), g.sub(g.float(1), target));
    losses = g.neg(columns(g.add(yes, no)));
    name = 'binary cross-entropy';
  } else {
    losses = g.sub(log(columns(logits)), choose(log(logits)));
    name = 'negative log-likelihood';
  }
  return { model: g.model(), losses, name };
}
