/** @file A layers model of TF.js: its layers drawn one after the other, each with its weights. */
import { ModelError } from '../../core/errors.js';
import { GraphBuilder } from '../../onnx/builder.js';
import { DataType } from '../../onnx/data-type.js';
import type { Model } from '../../onnx/model.js';
import { damaged } from '../checkpoint/stored-tensor.js';
import { ModelConfig } from '../config.js';
import { type LayerKind, type LayerValue, refuseUnknown } from './layer.js';
import { PLAIN } from './layers/plain.js';
import { RECURRENT } from './layers/recurrent.js';
import { STEPS } from './layers/steps.js';
import { unsupported, WITH_TF2ONNX } from './refusal.js';
import { outputKey, type Topology, type TopologyLayer, topologyOf } from './topology.js';
import type { TfjsWeight } from './weights.js';

const LAYERS: Readonly<Record<string, LayerKind>> = { ...PLAIN, ...STEPS, ...RECURRENT };

/** Draws a layers model. Throws ModelError where a layer, one of its options or a weight is not known. */
export function drawLayers(
  path: string,
  json: Readonly<Record<string, unknown>>,
  stored: readonly TfjsWeight[],
): Model {
  const topology = topologyOf(path, json);
  const weights = new LayerWeights(path, stored);
  const g = new GraphBuilder({ opset: 17 });
  const output = draw(g, path, topology, weights);
  weights.finish();
  g.ops('Identity', [output.name], ['logits']);
  g.output(
    'logits',
    DataType.float,
    output.shape.map((size, at) => (at === 0 ? 'batch' : size)),
  );
  return g.model();
}

/** Layers are drawn as soon as all they take is there, whatever their order in the file. */
function draw(g: GraphBuilder, path: string, { layers, output }: Topology, weights: LayerWeights): LayerValue {
  const values = new Map<string, LayerValue>();
  const waiting = layers.flatMap((layer) =>
    layer.calls.map((takes, call) => ({ layer, takes, key: outputKey(layer.name, call) })),
  );
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ takes }) => takes.every((key) => values.has(key)));
    if (at === -1) throw damaged(path, `a layer that is fed by none: "${waiting[0]?.layer.name}"`);
    const [{ layer, takes, key }] = waiting.splice(at, 1) as [(typeof waiting)[number]];
    const inputs = takes.map((each) => values.get(each)!);
    values.set(
      key,
      layer.kind === 'InputLayer'
        ? input(g, path, layer, readers(layers, layer))
        : one(g, path, layer, inputs, weights),
    );
  }
  const answer = values.get(output);
  if (answer === undefined) throw damaged(path, `an output of no layer: "${output}"`);
  return answer;
}

const readers = (layers: readonly TopologyLayer[], { name }: TopologyLayer): TopologyLayer[] =>
  layers.filter(({ calls }) => calls.some((takes) => takes.includes(outputKey(name, 0))));

/** Ids where only tables read it, else numbers: TF.js calls both float32. */
function input(g: GraphBuilder, path: string, layer: TopologyLayer, users: readonly TopologyLayer[]): LayerValue {
  const given = layer.config.batch_input_shape ?? layer.config.batch_shape;
  if (
    !Array.isArray(given) ||
    given.length < 2 ||
    !given.slice(1).every((size) => size === null || (Number.isInteger(size) && size > 0))
  )
    throw unsupported(path, `an input shape [null, ...] of "${layer.name}"`, JSON.stringify(given) ?? 'none');
  const tables = users.filter(({ kind }) => kind === 'Embedding').length;
  if (tables > 0 && tables < users.length)
    throw unsupported(
      path,
      `an input that only tables read`,
      `"${layer.name}", which ${users.map(({ name }) => name).join(', ')} read`,
    );
  const shape = [null, ...given.slice(1)];
  const type = tables > 0 ? DataType.int64 : DataType.float;
  const names = shape.map((size, at) => size ?? (['batch', 'sequence'][at] || null));
  return { name: g.input(layer.name, type, names), shape, ...(tables > 0 && { ids: true }) };
}

function one(
  g: GraphBuilder,
  path: string,
  layer: TopologyLayer,
  inputs: readonly LayerValue[],
  weights: LayerWeights,
): LayerValue {
  const { name, kind } = layer;
  const known = Object.hasOwn(LAYERS, kind) ? LAYERS[kind] : undefined;
  if (known === undefined)
    throw unsupported(path, `one of the layers ${Object.keys(LAYERS).join(', ')}`, `${kind} ("${name}")`);
  const config = new ModelConfig(layer.config, `${path}: layer "${name}" (${kind})`, {}, WITH_TF2ONNX);
  refuseUnknown(config, known.keys);
  const [first] = inputs;
  if (first === undefined || (inputs.length > 1 && !known.merges))
    throw config.refuse('name', known.merges ? 'inputs' : 'one input');
  const mask = maskOf(config, inputs);
  const drawn = known.draw(
    { g, name, config, weight: (leaf, dims, part) => weights.take(config, name, leaf, dims, part) },
    [first, ...inputs.slice(1)],
  );
  return { ...drawn, mask: drawn.mask ?? (known.keepsMask || known.merges ? mask : undefined) };
}

/** The mask of all inputs; none where none has one. */
function maskOf(config: ModelConfig, inputs: readonly LayerValue[]): string | undefined {
  const masks = new Set(inputs.map(({ mask }) => mask));
  if (masks.size > 1) throw config.refuse('name', 'inputs of one mask');
  return [...masks][0];
}

/** Weights by layer. Names differ between TF.js, Keras 2 and Keras 3; all hold the layer's name and end with the weight's. */
class LayerWeights {
  readonly #path: string;
  readonly #weights: readonly (TfjsWeight & { readonly parts: readonly string[] })[];
  readonly #taken = new Set<string>();

  constructor(path: string, weights: readonly TfjsWeight[]) {
    this.#path = path;
    this.#weights = weights.map((weight) => ({ ...weight, parts: weight.name.replace(/:0$/, '').split('/') }));
  }

  take(config: ModelConfig, layer: string, leaf: string, dims: readonly number[], part?: string): Float32Array {
    const found = this.#weights.filter(
      ({ parts }) =>
        parts.at(-1) === leaf &&
        parts.slice(0, -1).includes(layer) &&
        (part === undefined || parts.slice(0, -1).some((each) => each !== layer && each.startsWith(part))),
    );
    const [weight] = found;
    const wanted = `one weight "${leaf}" [${dims}]${part === undefined ? '' : ` of the ${part} direction`}`;
    if (weight === undefined || found.length > 1)
      throw this.#wrong(config.path, wanted, found.length === 0 ? 'none' : found.map(({ name }) => name).join(' and '));
    if (String(weight.dims) !== String(dims)) throw this.#wrong(config.path, wanted, `${weight.name} [${weight.dims}]`);
    this.#taken.add(weight.name);
    return Float32Array.from(weight.values);
  }

  /** Throws ModelError for weights that no layer took. */
  finish(): void {
    const left = this.#weights.filter(({ name }) => !this.#taken.has(name)).map(({ name }) => name);
    if (left.length > 0) throw this.#wrong(this.#path, 'weights of its layers alone', left.slice(0, 5).join(', '));
  }

  #wrong(path: string, expected: string, got: string): ModelError {
    return new ModelError(`${path}: expected ${expected}, got ${got}`, {
      code: 'CHECKPOINT_MISMATCH',
      hint: 'Save the model again: model.json and its shards do not belong together, or it holds parts that are not supported.',
    });
  }
}
