/**
 * @file Spells compound operators out in those that have rules, so that their gradients follow from the rules and each
 * spelling can be checked against the operator itself.
 */
import { prune, users } from '../../graph/edit.js';
import { type Model, type Node, node as newNode } from '../../graph/model.js';
import type { OperatorDomain, OperatorName } from '../../graph/operators/index.js';
import type { Shapes } from '../shapes.js';
import { Tape, Unsupported } from '../tape.js';
import { unsupportedAttribute } from '../unsupported.js';
import * as activation from './activation.js';
import * as attention from './attention.js';
import * as fused from './fused.js';
import { respellable, respellGelu } from './gelu.js';
import type { Lowering } from './lowering.js';
import * as normalisation from './normalisation.js';
import * as pooling from './pooling.js';

type Lowerings<D extends OperatorDomain> = Readonly<Record<OperatorName<D, 'lowering'>, Lowering>>;

const { BiasGelu, FastGelu, QuickGelu, ...activations } = activation;
const { SkipLayerNormalization, SkipSimplifiedLayerNormalization, EmbedLayerNormalization, ...norms } = normalisation;
const own: Lowerings<''> = { ...activations, ...pooling, ...norms };
const microsoft: Lowerings<'com.microsoft'> = {
  ...fused,
  ...attention,
  BiasGelu,
  FastGelu,
  Gelu: activation.Gelu,
  QuickGelu,
  SkipLayerNormalization,
  SkipSimplifiedLayerNormalization,
  EmbedLayerNormalization,
};

/** OperatorDomain -> operator -> its lowering, for every operator that the table (onnx/operators) marks as lowered. */
export const LOWERINGS: Readonly<Record<string, Readonly<Record<string, Lowering>>>> = {
  '': own,
  'com.microsoft': microsoft,
};

const refusals = new WeakMap<Node, string>();

/** Why a compound operator was left as it is. */
export const whyNotLowered = (node: Node): string | undefined => refusals.get(node);

/** Has the operator a lowering? */
export const compound = (node: Node): boolean => lowering(node) !== undefined;

const lowering = (node: Node): Lowering | undefined => LOWERINGS[node.domain]?.[node.op];

/** Is there anything to spell out? */
export const lowerable = ({ graph }: Model): boolean =>
  graph.nodes.some((node) => lowering(node) !== undefined && !refusals.has(node)) || respellable(graph);

/** The same graph in simpler operators. */
export function lower(model: Model, shapes: Shapes): Model {
  const g = new Tape(model, shapes);
  const nodes: Node[] = [];
  const read = users(model.graph);
  const wanted = new Set([...read.keys(), ...model.graph.outputs.map(({ name }) => name)]);
  for (const node of model.graph.nodes) {
    const outputs = spell(g, node, lowering(node), wanted);
    nodes.push(...g.take());
    if (outputs === undefined) nodes.push(node);
    else {
      node.outputs.forEach((name, i) => {
        if (name !== '' && outputs[i]) nodes.push(newNode('Identity', [outputs[i]], name));
      });
    }
  }
  const spelt = respellGelu({ ...model.graph, nodes }, g);
  const built = g.model();
  return { ...built, graph: prune({ ...built.graph, nodes: spelt.nodes }) };
}

/** `wanted`: the tensors that are read or are outputs of the graph. */
function spell(
  g: Tape,
  node: Node,
  lowering: Lowering | undefined,
  wanted: ReadonlySet<string>,
): readonly string[] | undefined {
  if (lowering === undefined) return undefined;
  try {
    const attribute = unsupportedAttribute(node);
    if (attribute !== undefined) throw new Unsupported(attribute);
    const outputs = lowering({ g, node, inputs: node.inputs, x: node.inputs[0]! });
    const missing = node.outputs.findIndex((name, i) => wanted.has(name) && !outputs[i]);
    if (missing >= 0) throw new Unsupported(`its output ${missing} is used`);
    return outputs;
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    refusals.set(node, error.message);
    return undefined;
  }
}
