/** @file The inputs of a graph model, as a user of ONNX feeds them. */
import type { GraphBuilder } from '../../../onnx/builder.js';
import { DataType } from '../../../onnx/data-type.js';
import { unsupported } from '../refusal.js';
import { type GraphDef, type GraphNode, keyOf } from './graph-def.js';
import type { TensorNames } from './tensor-names.js';
import { CODES, type Dims, type ElementType, type TensorValue } from './value.js';

interface Placeholder {
  readonly node: GraphNode;
  readonly type: ElementType;
  readonly dims: Dims;
}

/** Draws the placeholders; output key -> what it holds. Throws ModelError. */
export function drawInputs(g: GraphBuilder, path: string, def: GraphDef, names: TensorNames): Map<string, TensorValue> {
  const fed = ({ op, name }: GraphNode) =>
    op === 'Placeholder' || (op === 'PlaceholderWithDefault' && def.inputKeys.has(name));
  const placeholders = def.nodes.filter(fed).map((node): Placeholder => {
    const type = node.attributes.type('dtype');
    if (type === undefined)
      throw unsupported(
        path,
        'inputs of numbers',
        `"${node.name}" of ${node.attributes.typeName('dtype')}`,
        'Save the model without the layer that reads the text itself, and say in robust.json how texts become numbers.',
      );
    return { node, type, dims: node.attributes.shape('shape') };
  });
  if (placeholders.length === 0) throw unsupported(path, 'a model with inputs', 'none that an output reads');
  const ragged = raggedPair(placeholders);
  return new Map(
    ragged
      ? drawRagged(g, ragged, names)
      : placeholders.map((each) => [keyOf({ node: each.node.name, output: 0 }), draw(g, def, each, names)]),
  );
}

/** Where the file does not say a shape, it is [texts, tokens], which is what will be fed. */
function draw(
  g: GraphBuilder,
  def: GraphDef,
  { node, type, dims = [null, null] }: Placeholder,
  names: TensorNames,
): TensorValue {
  const name = names.take(def.inputKeys.get(node.name) ?? node.name);
  const axes = dims.map((size, at) => size ?? (['batch', 'sequence'][at] || null));
  const asIds = type === 'float' && onlyCast(def, node.name);
  g.input(name, asIds ? DataType.int64 : CODES[type], axes);
  return { type: asIds ? 'int' : type, name, dims, known: undefined };
}

/** Keras declares ids as floating-point numbers and casts them: they may come as whole numbers at once. */
const onlyCast = ({ nodes }: GraphDef, name: string): boolean => {
  const readers = nodes.filter(({ inputs }) => inputs.some(({ node }) => node === name));
  return (
    readers.length > 0 && readers.every(({ op, attributes }) => op === 'Cast' && attributes.type('DstT') === 'int')
  );
};

interface Ragged {
  readonly indices: Placeholder;
  readonly values: Placeholder;
}

/** Two inputs of whole numbers, places [n, 2] and ids [n]: texts of several lengths in one row, as the Universal Sentence Encoder has them. */
function raggedPair(placeholders: readonly Placeholder[]): Ragged | undefined {
  if (placeholders.length !== 2 || placeholders.some(({ type }) => type !== 'int')) return undefined;
  const indices = placeholders.find(({ dims }) => dims?.length === 2 && dims[0] === null && dims[1] === 2);
  const values = placeholders.find(({ dims }) => dims?.length === 1 && dims[0] === null);
  return indices && values && { indices, values };
}

/** Texts of one length [batch, sequence], their ids in a row and the place of each. */
function drawRagged(g: GraphBuilder, { indices, values }: Ragged, names: TensorNames): [string, TensorValue][] {
  const ids = g.input(names.take('input_ids'), DataType.int64, ['batch', 'sequence']);
  const row = g.reshape(ids, [-1]);
  const all = g.expand(g.int(1), g.shape(ids));
  const places = g.transpose(g.op('NonZero', [all]), [1, 0]);
  const value = (name: string, dims: Dims): TensorValue => ({ type: 'int', name, dims, known: undefined });
  return [
    [keyOf({ node: indices.node.name, output: 0 }), value(places, [null, 2])],
    [keyOf({ node: values.node.name, output: 0 }), value(row, [null])],
  ];
}
