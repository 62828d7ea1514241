/**
 * @file Rewrites the exporters' Gelu, x (1 + erf(x / sqrt 2)) / 2, as c u (1 + erf u) with u = c x, c = 1 / sqrt 2. The number of operators
 * forward is the same. The backward pass needs only u, and the factor c merges with the next product.
 */
import { must } from '../../errors.js';
import { producers, users } from '../../graph/edit.js';
import type { Graph, Node } from '../../graph/model.js';
import type { Tensor } from '../../graph/tensor.js';
import type { Algebra } from '../algebra.js';

/** c u (1 + erf u) */
export function gelu(g: Algebra, x: string): string {
  const u = g.scale(x, Math.SQRT1_2);
  return geluOf(g, u, g.plus(g.op('Erf', [u]), 1));
}

/** Given u and 1 + erf u. */
const geluOf = (g: Algebra, u: string, s: string): string => g.scale(g.mul(u, s), Math.SQRT1_2);

/** A Gelu as several operators: its last node, its u and its 1 + erf u. */
interface SpeltOutGelu {
  readonly end: Node;
  readonly u: string;
  readonly s: string;
}

export const respellable = (graph: Graph): boolean => find(graph).length > 0;

/** The graph with every expanded Gelu rewritten. `prune` removes the unused parts. */
export function respellGelu(graph: Graph, g: Algebra): Graph {
  const ends = new Map(find(graph).map((spelt) => [spelt.end, spelt]));
  const nodes = graph.nodes.flatMap((node) => {
    const spelt = ends.get(node);
    if (spelt === undefined) return [node];
    const y = geluOf(g, spelt.u, spelt.s);
    return [...g.take(), { ...node, op: 'Identity', inputs: [y], attributes: new Map() }];
  });
  return { ...graph, nodes };
}

function find(graph: Graph): SpeltOutGelu[] {
  const made = producers(graph);
  const read = users(graph);
  const constant = (name: string | undefined): number | undefined => {
    const tensor: Tensor | undefined = graph.initializers.get(name ?? '');
    return tensor?.size === 1 && tensor.data instanceof Float32Array ? tensor.data[0] : undefined;
  };
  const is = (name: string | undefined, value: number) => Math.abs((constant(name) ?? Number.NaN) - value) < 1e-6;
  /** The one node that reads a tensor. */
  const reader = (name: string): Node | undefined => (read.get(name)?.length === 1 ? read.get(name)?.[0] : undefined);
  const other = (node: Node, name: string) => node.inputs.find((input) => input !== name);
  const halves = (node: Node | undefined) => node?.op === 'Mul' && node.inputs.some((input) => is(input, 0.5));

  /** x, of u = x / sqrt(2). */
  const unscaled = (u: string): string | undefined => {
    const scale = made.get(u);
    const root = scale?.op === 'Div' ? Math.SQRT2 : scale?.op === 'Mul' ? Math.SQRT1_2 : Number.NaN;
    return is(scale?.inputs[1], root) ? scale?.inputs[0] : undefined;
  };
  /** The last node of x s / 2, with the half last, first, or in the middle. */
  const endOf = (x: string, s: string): Node | undefined => {
    const product = reader(s);
    if (product?.op !== 'Mul') return undefined;
    const factor = other(product, s) ?? '';
    const next = reader(must(product.outputs[0]));
    if (factor === x && halves(next)) return next;
    const halved = made.get(factor);
    if (halves(halved) && halved?.inputs.includes(x)) return product;
    return is(factor, 0.5) && next?.op === 'Mul' && next.inputs.includes(x) ? next : undefined;
  };

  return graph.nodes.flatMap((erf) => {
    if (erf.op !== 'Erf') return [];
    const [u = ''] = erf.inputs;
    const x = unscaled(u);
    const plus = reader(must(erf.outputs[0]));
    if (x === undefined || plus?.op !== 'Add' || !is(other(plus, must(erf.outputs[0])), 1)) return [];
    const [s = ''] = plus.outputs;
    const end = endOf(x, s);
    return end === undefined ? [] : [{ end, u, s }];
  });
}
