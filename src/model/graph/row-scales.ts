/**
 * @file Graphs that were quantised dynamically (as onnxruntime's quantize_dynamic writes them) take the scale of an activation from all texts
 * of a batch: an answer then depends on company, and each text has to be run alone. This rewrite takes a scale from each row instead. Weights
 * stay as they are stored; answers are near those of the graph as it is, not equal to them.
 */
import { attributesOf } from '../../../packages/onnx/src/graph/attributes.js';
import { GraphBuilder } from '../../../packages/onnx/src/graph/builder.js';
import { DataType } from '../../../packages/onnx/src/graph/data-type.js';
import { everyNode, producers, prune } from '../../../packages/onnx/src/graph/edit.js';
import { type Model, type Node, opsetOf } from '../../../packages/onnx/src/graph/model.js';
import { operatorOf } from '../../../packages/onnx/src/graph/operators/index.js';
import { LEAST_OPSET, type RowProduct, RowQuantiser } from './row-quantiser.js';

/** Between the widths that were measured: see rowScalesGain. */
const LEAST_WIDTH = 512;

/** Does an answer of this graph depend on the other texts of its batch, by the scale of an activation? */
export const quantisesBatches = (model: Model): boolean =>
  everyNode(model.graph).some((node) => operatorOf(node)?.quantisesBatch);

/**
 * The model with a scale for each row. Undefined where it quantises no batches, or not only for products with stored weights of two
 * dimensions. Inputs and outputs keep their names and shapes.
 */
export function withRowScales(model: Model): Model | undefined {
  if (!quantisesBatches(model) || opsetOf(model) < LEAST_OPSET) return undefined;
  const { graph } = model;
  const g = new GraphBuilder({ base: model });
  const rows = new RowQuantiser(g);
  const find = productFinder(model);
  const nodes = graph.nodes.flatMap((each) => {
    const product = find(each);
    return product === undefined ? [each] : rows.nodes(product);
  });
  const whole = g.model();
  const made = { ...whole, graph: { ...prune({ ...whole.graph, nodes, valueInfos: [] }), inputs: whole.graph.inputs } };
  return quantisesBatches(made) ? undefined : made;
}

/**
 * Does the model with a scale for each row answer a batch faster than the model as it is answers text by text? Where most products are wide
 * enough: of width 768 a text takes 0.5 to 0.8 of the time, of width 256 0.7 to 1.1 (batches of 4 and 16 texts of 10 to 100 tokens).
 */
export function rowScalesGain(model: Model): boolean {
  if (withRowScales(model) === undefined) return false;
  const find = productFinder(model);
  const products = model.graph.nodes.flatMap((each) => find(each) ?? []);
  return 2 * products.filter(({ k }) => k >= LEAST_WIDTH).length >= products.length;
}

/** Finds the product that ends in a node, if it belongs to a batch quantised as a whole. */
function productFinder({ graph }: Model): (node: Node) => RowProduct | undefined {
  const makers = producers(graph);
  const fed = new Set(graph.inputs.map(({ name }) => name));
  const constantOf = (name = '') => (fed.has(name) ? undefined : graph.initializers.get(name));
  const maker = (name: string | undefined, op: string): Node | undefined => {
    const found = makers.get(name ?? '');
    return found?.op === op && operatorOf(found) !== undefined ? found : undefined;
  };
  const product = (
    rows: string,
    [weights = '', scales = '', zero = '', bias = '']: readonly (string | undefined)[],
    output: string,
  ): RowProduct | undefined => {
    const { dims } = constantOf(weights) ?? {};
    const plain = [scales, ...(zero === '' ? [] : [zero])].every((name) => (constantOf(name)?.dims.length ?? 2) < 2);
    if (dims?.length !== 2 || !plain) return undefined;
    return { rows, k: dims[0]!, weights, scales, zero, bias, output };
  };
  /** The activation that a quantised one was made of: a node reads all three outputs of one DynamicQuantizeLinear. */
  const activation = (q = '', scale = '', zero = ''): string | undefined => {
    const quantiser = maker(q, 'DynamicQuantizeLinear');
    const [values, step, point] = quantiser?.outputs ?? [];
    return values === q && step === scale && point === zero ? quantiser?.inputs[0] : undefined;
  };
  /** Cast(MatMulInteger(q, weights, zero of q, zero of weights)) * (scale of q * scales of weights). */
  const inParts = ([left, right]: readonly string[], output: string): RowProduct | undefined => {
    const cast = maker(left, 'Cast');
    const scaling = maker(right, 'Mul');
    const integers = cast && maker(cast.inputs[0], 'MatMulInteger');
    if (cast === undefined || integers === undefined || scaling === undefined) return undefined;
    if (attributesOf(cast).int('to', 0) !== DataType.float) return undefined;
    const [q, weights, qZero, zero] = integers.inputs;
    for (const [scale, scales] of [scaling.inputs, scaling.inputs.toReversed()]) {
      const rows = activation(q, scale, qZero);
      if (rows !== undefined) return product(rows, [weights, scales, zero], output);
    }
    return undefined;
  };
  return (node) => {
    const {
      op,
      inputs,
      outputs: [output = ''],
    } = node;
    if (operatorOf(node) === undefined) return undefined;
    if (op === 'Mul') return inParts(inputs, output) ?? inParts(inputs.toReversed(), output);
    if (op === 'DynamicQuantizeMatMul') {
      const [rows = '', weights, scales, zero, bias] = inputs;
      return product(rows, [weights, scales, zero, bias], output);
    }
    if (op !== 'MatMulIntegerToFloat') return undefined;
    const [q, weights, scale, scales, qZero, zero, bias] = inputs;
    const rows = activation(q, scale, qZero);
    return rows === undefined ? undefined : product(rows, [weights, scales, zero, bias], output);
  };
}
