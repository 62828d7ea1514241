/**
 * @file Determines the last operations of a classifier's graph, backwards from its output: whether it returns logits or already
 * probabilities, so that an activation is neither applied twice nor forgotten.
 */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import type { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import type { Graph, Node } from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import type { Moves } from '../../../packages/onnx/src/graph/operators/operator.js';
import type { OutputActivation } from '../opening/manifest.js';
import { Expressions, MAX_DEPTH } from './expressions.js';

/**
 * Content of an output row: numbers of any size; probabilities that need not sum to 1; a distribution; its logarithms; or `[1 - s, s]` for
 * a margin s, as written by LinearClassifier, which sums to 1 but is not a probability.
 */
type ScoreKind = 'logits' | 'probabilities' | 'distribution' | 'log-distribution' | 'margins';

export interface OutputHead {
  readonly scores: ScoreKind;
  /** The operator that determines it: "Sigmoid". */
  readonly by: string;
  /** Where a loss can begin, before anything has saturated; absent where more than a change of shape follows. */
  readonly start?: LossStart;
}

export interface LossStart {
  /** Logits; as many as the output has columns, or half as many if each covers two. */
  readonly logits: string;
  readonly activation: 'softmax' | 'sigmoid';
  /** The output is [1 - p, p], or [p, 1 - p], of one column of logits. */
  readonly pair?: 'no first' | 'yes first';
  /** Nothing but a copy or a change of type lies between: the logits have the output's shape. */
  readonly shaped: boolean;
}

/** How the graph computes its output `name`; undefined if it is not recognised. The values must still be checked. */
export function headOf(graph: Graph, name: string): OutputHead | undefined {
  return new HeadReader(graph).head(name, 0);
}

/**
 * Where a loss of an output that is read with `activation` can begin; undefined where the output holds probabilities, and what
 * made them cannot be undone.
 */
export function lossStart(graph: Graph, output: string, activation: OutputActivation): LossStart | undefined {
  // The logarithms of a distribution are logits of it.
  if (activation === 'softmax' || activation === 'log-softmax') return starts(output, 'softmax').start;
  if (activation === 'sigmoid') return starts(output, 'sigmoid').start;
  return headOf(graph, output)?.start;
}

/** The logits of a loss as [batch, columns]. `output` is the tensor they lead to. */
export function logitsTable(
  g: GraphBuilder,
  output: string,
  { logits, shaped, pair }: LossStart,
  width: number,
): string {
  const rank = g.graph().outputs.find(({ name }) => name === output)?.dims?.length;
  if (shaped && rank === 2) return logits;
  return g.reshape(logits, [-1, pair === undefined ? width : width / 2]);
}

/** A node on the way back from the output, and what is known of the tensors before it. */
interface HeadNode {
  readonly node: Node;
  /** The output of the node that is read. */
  readonly name: string;
  readonly expressions: Expressions;
  /** The head of an input. @default the first */
  before(input?: number): OutputHead | undefined;
}

type HeadRule = (at: HeadNode) => OutputHead | undefined;

/** Reads tensors backwards, each once: two inputs may be one tensor. */
class HeadReader {
  readonly #expressions: Expressions;
  readonly #known = new Map<string, OutputHead | undefined>();

  constructor(graph: Graph) {
    this.#expressions = new Expressions(graph);
  }

  head(name: string, depth: number): OutputHead | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    // A file whose tensors make themselves must not be followed in circles.
    this.#known.set(name, undefined);
    const node = this.#expressions.maker(name);
    const before = (input = 0) => this.head(node?.inputs[input] ?? '', depth + 1);
    const found =
      node === undefined || depth > MAX_DEPTH
        ? undefined
        : headOfNode({ node, name, expressions: this.#expressions, before });
    this.#known.set(name, found);
    return found;
  }
}

function headOfNode(at: HeadNode): OutputHead | undefined {
  const { node, name, expressions, before } = at;
  const operator = operatorOf(node);
  // A product, or a bag of words whose table holds the score of each word.
  const scored = node.op === 'Gather' && expressions.isInitializer(node.inputs[0] ?? '');
  if (operator?.linear || scored) return { scores: 'logits', by: node.op };
  const moved = operator?.moves && MOVED[operator.moves.how];
  if (moved !== undefined) return moved(before());
  return node.domain === 'ai.onnx.ml' ? ofClassifier(node, name) : RULES.get(node.op)?.(at);
}

const logits: HeadRule = ({ before }) => only(before(), ['logits']);
const mean: HeadRule = ({ before }) => only(before(), ['logits', 'probabilities', 'distribution']);

/** A bias, a scale (also of a mask), or a sum of logits gives logits. Other combinations are unknown. */
const combined: HeadRule = ({ node, expressions, before }) => {
  const moving = node.inputs.flatMap((name, input) => (expressions.isConstant(name) ? [] : [before(input)]));
  const fits = (head: OutputHead | undefined) => head?.scores === 'logits' || (head === undefined && node.op === 'Mul');
  return moving.every(fits) ? without(moving.find((head) => head?.scores === 'logits')) : undefined;
};

const LOGISTIC: OutputHead = { scores: 'probabilities', by: '1 / (1 + exp(-x))' };

/** Operator -> the head that its output has. */
const RULES: ReadonlyMap<string, HeadRule> = new Map<string, HeadRule>([
  ...['QuantizeLinear', 'DequantizeLinear'].map((op): [string, HeadRule] => [op, ({ before }) => before()]),
  ...['ReduceMean', 'Mean', 'GlobalAveragePool', 'AveragePool'].map((op): [string, HeadRule] => [op, mean]),
  ...['Neg', 'Sum', 'ReduceSum', 'ReduceL1'].map((op): [string, HeadRule] => [op, logits]),
  ...['Add', 'Mul'].map((op): [string, HeadRule] => [op, combined]),
  ['ReduceMax', ({ before }) => some(before())],
  [
    'Softmax',
    ({ node }) => ({
      scores: 'distribution',
      by: node.op,
      ...(overColumns(node) && starts(node.inputs[0] ?? '', 'softmax')),
    }),
  ],
  ['QLinearSoftmax', ({ node }) => ({ scores: 'distribution', by: node.op })],
  ['LogSoftmax', ({ node }) => ({ scores: 'log-distribution', by: node.op })],
  ['Sigmoid', ({ node }) => ({ scores: 'probabilities', by: node.op, ...starts(node.inputs[0] ?? '', 'sigmoid') })],
  ...['HardSigmoid', 'QLinearSigmoid'].map((op): [string, HeadRule] => [
    op,
    () => ({ scores: 'probabilities', by: op }),
  ]),
  ['FusedGemm', ({ node }) => fused(node)],
  ['Clip', ({ before }) => without(before())],
  ['Exp', ({ before }) => only(before(), ['log-distribution'], 'distribution', 'Exp')],
  ['Log', ({ before }) => only(before(), ['distribution'], 'log-distribution')],
  ['Concat', concatenated],
  [
    'Sub',
    (at) =>
      // 1 - p is a probability where p is one.
      at.expressions.constant(at.node.inputs[0] ?? '') === 1
        ? only(at.before(1), ['probabilities', 'distribution'], 'probabilities')
        : combined(at),
  ],
  ['Div', quotientHead],
  ['Reciprocal', ({ node, expressions }) => (expressions.isOnePlusExp(node.inputs[0] ?? '') ? LOGISTIC : undefined)],
]);

function fused(node: Node): OutputHead | undefined {
  const activation = attributesOf(node).string('activation', '');
  if (activation === '') return { scores: 'logits', by: node.op };
  return activation === 'Sigmoid' ? { scores: 'probabilities', by: activation } : undefined;
}

function quotientHead(at: HeadNode): OutputHead | undefined {
  const { expressions, node } = at;
  const [input = '', divisor = ''] = node.inputs;
  if (expressions.isTotal(divisor, input)) return { scores: 'distribution', by: 'division by the sum' };
  return expressions.constant(input) === 1 && expressions.isOnePlusExp(divisor) ? LOGISTIC : combined(at);
}

function concatenated({ node, expressions, before }: HeadNode): OutputHead | undefined {
  const parts = node.inputs.map((_, input) => before(input));
  const [first] = parts;
  if (first === undefined) return undefined;
  const yes = yesOfPair(node.inputs, expressions);
  if (yes !== undefined) return pairOf(parts[yes], yes === 1 ? 'no first' : 'yes first');
  if (parts.every((part) => part?.scores === 'logits')) return without(first);
  const within = ['probabilities', 'distribution'];
  return parts.every((part) => part !== undefined && within.includes(part.scores))
    ? { scores: 'probabilities', by: first.by }
    : undefined;
}

/** Which of two inputs is p, where the other is 1 - p. */
function yesOfPair(inputs: readonly string[], expressions: Expressions): 0 | 1 | undefined {
  const [a = '', b = ''] = inputs;
  if (inputs.length !== 2) return undefined;
  if (expressions.isComplement(a, b)) return 1;
  return expressions.isComplement(b, a) ? 0 : undefined;
}

function pairOf(p: OutputHead | undefined, pair: 'no first' | 'yes first'): OutputHead {
  const scores = { scores: 'distribution', by: `${p?.by} and 1 - p` } as const;
  const { start } = p ?? {};
  return start?.activation === 'sigmoid' && start.pair === undefined
    ? { ...scores, start: { ...start, pair, shaped: false } }
    : scores;
}

/** scikit-learn's classifiers: scores are the second output. */
function ofClassifier(node: Node, name: string): OutputHead | undefined {
  const { op } = node;
  if (op === 'Normalizer')
    return attributesOf(node).string('norm', 'MAX') === 'L1' ? { scores: 'distribution', by: op } : undefined;
  if (node.outputs[1] !== name) return undefined;
  const transform = attributesOf(node).string('post_transform', 'NONE');
  const by = `${op} (${transform})`;
  // One margin s for two labels: onnxruntime writes [1 - s, s], or [1 - p, p] with post_transform LOGISTIC.
  const rows = attributesOf(node).floats('intercepts')?.length ?? new Set(attributesOf(node).ints('class_ids')).size;
  const single = labelsOf(node) === 2 && rows === 1;
  if (transform === 'LOGISTIC') return { scores: single ? 'distribution' : 'probabilities', by };
  if (single && op === 'LinearClassifier') return { scores: 'margins', by };
  if (transform === 'SOFTMAX') return { scores: 'distribution', by };
  if (transform === 'NONE' && op === 'LinearClassifier') return { scores: 'logits', by };
  return undefined;
}

function labelsOf(node: Node): number {
  const { strings, ints } = attributesOf(node);
  return (strings('classlabels_strings') ?? ints('classlabels_ints') ?? []).length;
}

/** The last axis of a table of rows: 1 or -1, and what is meant where a Softmax does not say. */
const overColumns = (softmax: Node): boolean => [1, -1].includes(attributesOf(softmax).int('axis', -1));

const starts = (logits: string, activation: LossStart['activation']) => ({
  start: { logits, activation, shaped: true },
});

const reshaped = (head: OutputHead | undefined): OutputHead | undefined =>
  head?.start === undefined ? head : { ...head, start: { ...head.start, shaped: false } };

/** The same scores, from which no loss can begin any more. */
const without = (head: OutputHead | undefined): OutputHead | undefined => head && { scores: head.scores, by: head.by };

/** Some columns of the scores; a part of a distribution is not a distribution. */
function some(head: OutputHead | undefined): OutputHead | undefined {
  if (head?.scores === 'logits' || head?.scores === 'probabilities') return without(head);
  return head?.scores === 'distribution' ? { scores: 'probabilities', by: head.by } : undefined;
}

const only = (
  head: OutputHead | undefined,
  scores: readonly ScoreKind[],
  become = head?.scores,
  by = head?.by,
): OutputHead | undefined =>
  head !== undefined && become !== undefined && by !== undefined && scores.includes(head.scores)
    ? { scores: become, by }
    : undefined;

/** The head after an operator that only moves its values. */
const MOVED: Partial<Record<Moves['how'], (head: OutputHead | undefined) => OutputHead | undefined>> = {
  copy: (head) => head,
  reshape: reshaped,
  reorder: without,
  pick: some,
};
