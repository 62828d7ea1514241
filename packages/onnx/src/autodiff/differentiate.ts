/**
 * @file Reverse-mode differentiation of a graph: walks the nodes from the loss back to what it is differentiated by and lets
 * each operator's rule append the nodes that compute its gradient. The result is an ordinary ONNX graph.
 */
import { OnnxError } from '../errors.js';
import { reads, withGraph } from '../graph/edit.js';
import { type Model, type Node, opsetOf, subgraphs } from '../graph/model.js';
import { operatorOf } from '../graph/operators/index.js';
import { assertKnown, NEWEST_OPSET } from '../graph/versions.js';
import { whyNotLowered } from './lower/index.js';
import { MULTIPLE_OUTPUTS, RULES } from './rules/index.js';
import type { Shapes } from './shapes.js';
import { type InputGradient, Tape } from './tape.js';
import { Unsupported, type UnsupportedNode, unsupportedAttribute, unsupportedOps } from './unsupported.js';

/** Below it some operators mean something else. */
export const OLDEST_OPSET = 11;

export interface DifferentiatedGraph {
  /** The forward graph with the backward nodes after its own; its outputs are untouched. */
  readonly model: Model;
  /** Tensor -> the tensor of its gradient, of the same shape. Absent where the loss does not depend on it. */
  readonly gradients: ReadonlyMap<string, string>;
}

/** Throws OnnxError (GRADIENTS_UNSUPPORTED), OnnxError (GRADIENTS_UNSUPPORTED) for operators of another time. */
export function assertOpset(model: Model): void {
  assertKnown(model);
  const opset = opsetOf(model);
  if (opset < OLDEST_OPSET)
    throw new OnnxError(`expected opset ${OLDEST_OPSET} to ${NEWEST_OPSET} for gradients, got ${opset}`, {
      code: 'GRADIENTS_UNSUPPORTED',
      hint: 'Convert it with onnx.version_converter, or export it again. Black-box attacks need no gradients.',
    });
}

/**
 * The gradient of the sum of tensor `loss`'s elements with respect to each of `wrt`, any tensors of the graph.
 * Throws OnnxError that lists every operator in the way.
 */
export function differentiate(model: Model, shapes: Shapes, loss: string, wrt: readonly string[]): DifferentiatedGraph {
  assertOpset(model);
  const g = new Tape(model, shapes);
  const { nodes } = model.graph;
  const needed = between(g, nodes, wrt, loss);
  /** Gradients of a tensor, one from each of its readers. */
  const arrived = new Map<string, string[]>([[loss, [g.expandLike(g.float(1), loss)]]]);
  const total = (name: string): string | undefined => {
    const parts = arrived.get(name);
    if (parts === undefined) return undefined;
    const sum = parts.reduce((a, b) => g.total(a, b));
    arrived.set(name, [sum]);
    return sum;
  };
  const unsupportedNodes: UnsupportedNode[] = [];
  for (const node of nodes.toReversed()) {
    if (!reads(node).some((name) => needed.has(name)) || !node.outputs.some((name) => arrived.has(name))) continue;
    const dys = node.outputs.map((name) => (name === '' ? undefined : total(name)));
    let parts: (readonly [name: string, gradient: string])[];
    try {
      g.requireSingle([...node.inputs.filter((name) => needed.has(name)), ...node.outputs]);
      const gradients = visit(g, node, dys);
      parts = node.inputs.flatMap((name, i) => {
        if (!needed.has(name)) return [];
        const gradient = gradients[i];
        if (gradient === undefined) throw new Unsupported(`its input ${i} depends on what is differentiated by`);
        return gradient === 'flat' ? [] : [[name, gradient()] as const];
      });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      unsupportedNodes.push({ node, reason: error.message });
      // Continues with placeholders, to find further unsupported nodes.
      parts = reads(node)
        .filter((name) => needed.has(name))
        .map((name) => [name, name]);
    }
    for (const [name, part] of parts) arrived.set(name, [...(arrived.get(name) ?? []), part]);
  }
  if (unsupportedNodes.length > 0) throw unsupportedOps('onnx', model, unsupportedNodes);
  const gradients = new Map(
    wrt.flatMap((name) => {
      const gradient = total(name);
      return gradient === undefined ? [] : [[name, gradient] as const];
    }),
  );
  return { model: withExtraOutputs(g), gradients };
}

/** The differentiable tensors on a way from `from` to `to`. */
function between(g: Tape, nodes: readonly Node[], from: readonly string[], to: string): Set<string> {
  const after = new Set(from);
  for (const node of nodes) {
    if (!reads(node).some((name) => after.has(name))) continue;
    for (const output of node.outputs) if (g.real(output)) after.add(output);
  }
  const before = new Set([to]);
  for (const node of nodes.toReversed()) {
    if (node.outputs.some((name) => before.has(name))) for (const input of reads(node)) before.add(input);
  }
  return new Set(Array.from(after).filter((name) => before.has(name)));
}

function visit(g: Tape, node: Node, dys: readonly (string | undefined)[]): readonly InputGradient[] {
  if (subgraphs(node).length > 0) throw new Unsupported('control flow');
  if (operatorOf(node)?.gradient === 'none') return node.inputs.map(() => 'flat');
  const rule = node.domain === '' ? RULES[node.op] : undefined;
  const attribute = unsupportedAttribute(node);
  if (rule !== undefined && attribute !== undefined) throw new Unsupported(attribute);
  if (rule === undefined) throw new Unsupported(whyNotLowered(node) ?? 'no rule');
  if (!MULTIPLE_OUTPUTS.has(node.op)) {
    const other = dys.findIndex((dy, i) => i > 0 && dy !== undefined);
    if (other > 0) throw new Unsupported(`its output ${other} is used`);
  }
  const [x, y, dy] = [node.inputs[0]!, node.outputs[0]!, dys[0]!];
  return rule({ g, node, inputs: node.inputs, x, y, dy, dys });
}

/** The graph, with the optional outputs of forward nodes that rules asked for. */
function withExtraOutputs(g: Tape): Model {
  const model = g.model();
  const nodes = model.graph.nodes.map((node) => {
    const outputs = g.extraOutputs.get(node);
    return outputs === undefined ? node : { ...node, outputs };
  });
  return withGraph(model, { ...model.graph, nodes });
}
