/**
 * @file Shapes of a graph's tensors before anything runs: dimensions are numbers or symbols, two equal symbols are equal sizes.
 * Integer tensors that shapes are computed from are followed element by element. What is not known for certain is left out, so
 * whoever acts on a shape found here acts on a fact. Each operator's rules are in its row of the table (operators/).
 */
import type { Graph, Node } from './model.js';
import { followedElements } from './operators/constants.js';
import { operatorOf } from './operators/index.js';
import { NodeView } from './operators/operator.js';
import type { SymbolicDim } from './symbolic-dim.js';
import { isNumber, MAX_FOLLOWED_ELEMENTS, type SymbolicShape, type SymbolicShapes } from './symbolic-shape.js';

/** `inputs`: the shapes of the graph's inputs; those not named are unknown. */
export function symbolicShapes(graph: Graph, inputs: ReadonlyMap<string, SymbolicShape>): SymbolicShapes {
  const shapes = new Map<string, SymbolicShape>(inputs);
  const values = new Map<string, readonly SymbolicDim[]>();
  const known: SymbolicShapes = { shape: (name) => shapes.get(name), values: (name) => values.get(name) };
  const learn = (
    name: string,
    shape: SymbolicShape | undefined,
    elements: readonly SymbolicDim[] | undefined,
  ): void => {
    if (shape !== undefined) shapes.set(name, shape);
    if (elements !== undefined && elements.length <= MAX_FOLLOWED_ELEMENTS) values.set(name, elements);
  };
  const follow = ({ initializers, nodes }: Pick<Graph, 'initializers' | 'nodes'>): void => {
    for (const [name, tensor] of initializers) learn(name, tensor.dims, followedElements(tensor));
    for (const node of nodes) {
      const [output = ''] = node.outputs;
      if (output === '') continue;
      const branch = takenBranch(node, known);
      if (branch !== undefined) {
        follow(branch);
        const [{ name } = { name: '' }] = branch.outputs;
        learn(output, shapes.get(name), values.get(name));
        continue;
      }
      const operator = operatorOf(node);
      if (operator === undefined) continue;
      const at = new NodeView(node, known);
      learn(output, operator.shape?.(at), operator.values?.(at));
    }
  };
  follow(graph);
  return known;
}

/** The branch of an If whose condition is known. */
function takenBranch(node: Node, known: SymbolicShapes): Graph | undefined {
  if (node.op !== 'If' || (node.domain !== '' && node.domain !== 'ai.onnx')) return undefined;
  const [condition] = known.values(node.inputs[0] ?? '') ?? [];
  const branch = node.attributes.get(condition === 0 ? 'else_branch' : 'then_branch');
  return isNumber(condition) && branch?.kind === 'graph' ? branch.value : undefined;
}
