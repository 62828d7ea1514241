/**
 * @file What a classifier's graph does last, read back from its output: whether it answers logits or has made probabilities of
 * them already, so that no activation is applied twice and none is forgotten.
 */

import { attributesOf } from '../../onnx/attributes.js';
import type { GraphBuilder } from '../../onnx/builder.js';
import { DataType } from '../../onnx/data-type.js';
import { producers } from '../../onnx/edit.js';
import type { Graph, Node } from '../../onnx/model.js';
import type { Tensor } from '../../onnx/tensor.js';
import type { OutputActivation } from '../opening/manifest.js';

/**
 * What a row of the output holds: numbers of any size; probabilities that need not sum to 1; a distribution; its logarithms;
 * or `[1 - s, s]` of a margin s, as LinearClassifier writes it, which is no probability though it sums to 1.
 */
type ScoreKind = 'logits' | 'probabilities' | 'distribution' | 'log-distribution' | 'margins';

export interface OutputHead {
  readonly scores: ScoreKind;
  /** The operator that tells: "Sigmoid". */
  readonly by: string;
  /** Where a loss can begin, before anything has saturated; absent where more than a change of shape follows. */
  readonly start?: LossStart;
}

export interface LossStart {
  /** Logits; as many as the output has columns, or half as many where each stands for two. */
  readonly logits: string;
  readonly activation: 'softmax' | 'sigmoid';
  /** The output is [1 - p, p], or [p, 1 - p], of one column of logits. */
  readonly pair?: 'no first' | 'yes first';
  /** Nothing but a copy or a change of type lies between: the logits have the output's shape. */
  readonly shaped: boolean;
}

/** Further back than any head reaches; a file that goes on wants to overflow the stack. */
const MAX_DEPTH = 200;

/** Operators whose output holds their first input's numbers in the same order. */
const COPIES = new Set(['Identity', 'Cast', 'CastLike', 'Dropout', 'QuantizeLinear', 'DequantizeLinear']);
const RESHAPES = new Set(['Reshape', 'Squeeze', 'Unsqueeze', 'Flatten']);
/** Operators that move numbers about, keep some of them, or keep them within bounds. */
const MOVES = new Set(['Transpose', 'ZipMap']);
const CHOICES = new Set([
  'Gather',
  'GatherElements',
  'GatherND',
  'Slice',
  'Split',
  'ArrayFeatureExtractor',
  'ReduceMax',
]);
const MEAN_OPERATORS = new Set(['ReduceMean', 'Mean', 'GlobalAveragePool', 'AveragePool']);
const LINEAR = new Set([
  'Gemm',
  'MatMul',
  'FusedMatMul',
  'TransposeMatMul',
  'MatMulInteger',
  'MatMulIntegerToFloat',
  'DynamicQuantizeMatMul',
  'MatMulNBits',
  'QLinearMatMul',
  'QGemm',
  'Einsum',
  'Conv',
]);

const FLOATS: ReadonlySet<number> = new Set([DataType.float, DataType.float16, DataType.bfloat16, DataType.double]);

/** How the graph makes its output `name`; undefined where it does not tell. The values must still be held against it. */
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
  return g.op('Reshape', [logits, g.ints([-1, pair === undefined ? width : width / 2])]);
}

/** Reads tensors backwards, each once: two inputs may be one tensor. */
class HeadReader {
  readonly #graph: Graph;
  readonly #made: ReadonlyMap<string, Node>;
  readonly #known = new Map<string, OutputHead | undefined>();

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#made = producers(graph);
  }

  head(name: string, depth: number): OutputHead | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    // A file whose tensors make themselves must not be followed in circles.
    this.#known.set(name, undefined);
    const node = this.#made.get(name);
    const found = node === undefined || depth > MAX_DEPTH ? undefined : this.#of(node, name, depth + 1);
    this.#known.set(name, found);
    return found;
  }

  #of(node: Node, name: string, depth: number): OutputHead | undefined {
    const { op } = node;
    const [input = '', second = ''] = node.inputs;
    const before = () => this.head(input, depth);
    if (LINEAR.has(op)) return { scores: 'logits', by: op };
    if (COPIES.has(op)) return before();
    if (RESHAPES.has(op)) return reshaped(before());
    if (MOVES.has(op)) return without(before());
    // A bag of words whose table holds each word's say.
    if (op === 'Gather' && this.#graph.initializers.has(input)) return { scores: 'logits', by: op };
    if (CHOICES.has(op)) return some(before());
    if (MEAN_OPERATORS.has(op)) return only(before(), ['logits', 'probabilities', 'distribution']);
    if (node.domain === 'ai.onnx.ml') return ofClassifier(node, name);
    switch (op) {
      case 'Softmax':
      case 'QLinearSoftmax':
        return {
          scores: 'distribution',
          by: op,
          ...(op === 'Softmax' && overColumns(node) && starts(input, 'softmax')),
        };
      case 'LogSoftmax':
        return { scores: 'log-distribution', by: op };
      case 'Sigmoid':
      case 'HardSigmoid':
      case 'QLinearSigmoid':
        return { scores: 'probabilities', by: op, ...(op === 'Sigmoid' && starts(input, 'sigmoid')) };
      case 'FusedGemm': {
        const fused = attributesOf(node).string('activation', '');
        if (fused === '') return { scores: 'logits', by: op };
        return fused === 'Sigmoid' ? { scores: 'probabilities', by: fused } : undefined;
      }
      case 'Clip':
        return without(before());
      case 'Exp':
        return before()?.scores === 'log-distribution' ? { scores: 'distribution', by: 'Exp' } : undefined;
      case 'Log':
        return only(before(), ['distribution'], 'log-distribution');
      case 'Concat':
        return this.#concat(node, depth);
      case 'Sub':
        // 1 - p is a probability where p is one.
        if (this.#constant(input) === 1)
          return only(this.head(second, depth), ['probabilities', 'distribution'], 'probabilities');
        return this.#combined(node, depth);
      case 'Div':
        if (this.#isTotal(second, input)) return { scores: 'distribution', by: 'division by the sum' };
        if (this.#constant(input) === 1 && this.#isOnePlusExp(second))
          return { scores: 'probabilities', by: '1 / (1 + exp(-x))' };
        return this.#combined(node, depth);
      case 'Reciprocal':
        return this.#isOnePlusExp(input) ? { scores: 'probabilities', by: '1 / (1 + exp(-x))' } : undefined;
      case 'Add':
      case 'Mul':
        return this.#combined(node, depth);
      case 'Neg':
      case 'Sum':
      case 'ReduceSum':
      case 'ReduceL1':
        return only(before(), ['logits']);
      default:
        return undefined;
    }
  }

  /** A bias, a scale (of a mask, too), or a sum of logits: logits. Of anything else nothing is known. */
  #combined(node: Node, depth: number): OutputHead | undefined {
    const moving = node.inputs.filter((name) => !this.#isConstant(name)).map((name) => this.head(name, depth));
    const logits = moving.find((head) => head?.scores === 'logits');
    const fits = (head: OutputHead | undefined) =>
      head?.scores === 'logits' || (head === undefined && node.op === 'Mul');
    return moving.every(fits) ? without(logits) : undefined;
  }

  #concat(node: Node, depth: number): OutputHead | undefined {
    const parts = node.inputs.map((name) => this.head(name, depth));
    const [first] = parts;
    if (first === undefined) return undefined;
    const pair = this.#pair(node.inputs);
    if (pair !== undefined) {
      const p = this.head(pair.p, depth);
      const scores = { scores: 'distribution', by: `${p?.by} and 1 - p` } as const;
      const { start } = p ?? {};
      return start?.activation === 'sigmoid' && start.pair === undefined
        ? { ...scores, start: { ...start, pair: pair.order, shaped: false } }
        : scores;
    }
    if (parts.every((part) => part?.scores === 'logits')) return without(first);
    const within = ['probabilities', 'distribution'];
    return parts.every((part) => part !== undefined && within.includes(part.scores))
      ? { scores: 'probabilities', by: first.by }
      : undefined;
  }

  /** Is this 1 - p beside p? */
  #pair(inputs: readonly string[]): { p: string; order: 'no first' | 'yes first' } | undefined {
    if (inputs.length !== 2) return undefined;
    const [a, b] = inputs as [string, string];
    if (this.#isComplement(a, b)) return { p: b, order: 'no first' };
    return this.#isComplement(b, a) ? { p: a, order: 'yes first' } : undefined;
  }

  #isComplement(no: string, yes: string): boolean {
    const node = this.#made.get(this.#source(no));
    const [one = '', of = ''] = node?.inputs ?? [];
    return node?.op === 'Sub' && this.#constant(one) === 1 && this.#source(of) === this.#source(yes);
  }

  /** Where a tensor's numbers come from, through copies and changes of shape. */
  #source(name: string): string {
    let at = name;
    for (let steps = 0; steps < MAX_DEPTH; steps++) {
      const node = this.#made.get(at);
      if (node === undefined || !(COPIES.has(node.op) || RESHAPES.has(node.op))) break;
      at = node.inputs[0] ?? '';
    }
    return at;
  }

  /** Is `total` the sum of `terms`, kept from being 0 perhaps? */
  #isTotal(total: string, terms: string): boolean {
    let at = this.#source(total);
    for (let steps = 0; steps < MAX_DEPTH; steps++) {
      const node = this.#made.get(at);
      if (node?.op === 'ReduceSum' || node?.op === 'ReduceL1')
        return this.#source(node.inputs[0] ?? '') === this.#source(terms);
      const guard = node !== undefined && ['Clip', 'Max', 'Add', 'Expand'].includes(node.op);
      if (!guard) return false;
      at = this.#source(node.inputs.find((name) => !this.#isConstant(name)) ?? '');
    }
    return false;
  }

  #isOnePlusExp(name: string): boolean {
    const node = this.#made.get(this.#source(name));
    if (node?.op !== 'Add' || !node.inputs.some((input) => this.#constant(input) === 1)) return false;
    return node.inputs.some((input) => this.#made.get(this.#source(input))?.op === 'Exp');
  }

  #tensor(name: string): Tensor | undefined {
    const source = this.#source(name);
    const node = this.#made.get(source);
    return (
      this.#graph.initializers.get(source) ?? (node?.op === 'Constant' ? attributesOf(node).tensor('value') : undefined)
    );
  }

  #isConstant(name: string): boolean {
    return this.#tensor(name) !== undefined || this.#made.get(this.#source(name))?.op === 'Constant';
  }

  /** The value of a constant of one number. */
  #constant(name: string): number | undefined {
    const node = this.#made.get(this.#source(name));
    if (node?.op === 'Constant' && node.attributes.has('value_float'))
      return attributesOf(node).float('value_float', Number.NaN);
    const tensor = this.#tensor(name);
    return tensor?.size === 1 && FLOATS.has(tensor.type) ? tensor.floats()[0] : undefined;
  }
}

/** scikit-learn's classifiers: scores are the second output. */
function ofClassifier(node: Node, name: string): OutputHead | undefined {
  const { op } = node;
  if (op === 'Normalizer')
    return attributesOf(node).string('norm', 'MAX') === 'L1' ? { scores: 'distribution', by: op } : undefined;
  if (node.outputs[1] !== name) return undefined;
  const transform = attributesOf(node).string('post_transform', 'NONE');
  const by = `${op} (${transform})`;
  // One margin s for two labels: onnxruntime writes 1 - s beside s, or 1 - p beside p where it is told LOGISTIC.
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

/** Some columns of the scores: a part of a distribution is none. */
function some(head: OutputHead | undefined): OutputHead | undefined {
  if (head?.scores === 'logits' || head?.scores === 'probabilities') return without(head);
  return head?.scores === 'distribution' ? { scores: 'probabilities', by: head.by } : undefined;
}

const only = (
  head: OutputHead | undefined,
  scores: readonly ScoreKind[],
  become = head?.scores,
): OutputHead | undefined =>
  head !== undefined && become !== undefined && scores.includes(head.scores)
    ? { scores: become, by: head.by }
    : undefined;
