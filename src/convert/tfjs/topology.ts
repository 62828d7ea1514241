/** @file The layers of a model.json and who feeds whom: Sequential and functional models in one form. */
import { isObject, type JsonObject } from '../../core/json.js';
import { damaged } from '../checkpoint/stored-tensor.js';
import { unsupported } from './refusal.js';

export interface TopologyLayer {
  readonly name: string;
  /** "Dense" */
  readonly kind: string;
  readonly config: JsonObject;
  /** For each call of the layer the outputs it takes, as keys; none for an input. */
  readonly calls: readonly (readonly string[])[];
}

export interface Topology {
  /** In the order of the file. */
  readonly layers: readonly TopologyLayer[];
  /** Key of the answer. */
  readonly output: string;
}

/** Key of the output of a layer's call. */
export const outputKey = (layer: string, call: number): string => `${layer} ${call}`;

/** Throws ModelError where the file is malformed or holds what is not supported. */
export function topologyOf(path: string, json: JsonObject): Topology {
  const top = objectIn(path, json, 'modelTopology');
  const model = typeof top.model_config === 'object' ? objectIn(path, top, 'model_config') : top;
  const kind = model.class_name;
  const listed = Array.isArray(model.config) ? { layers: model.config } : objectIn(path, model, 'config');
  const { layers } = listed;
  if (!Array.isArray(layers) || layers.length === 0) throw damaged(path, 'a topology without layers');
  if (kind === 'Sequential') return sequential(path, layers);
  if (kind === 'Model' || kind === 'Functional') return functional(path, listed, layers);
  throw unsupported(path, `a Sequential or functional model`, `the class ${JSON.stringify(kind)}`);
}

function objectIn(path: string, json: JsonObject, key: string): JsonObject {
  const value = json[key];
  if (isObject(value)) return value;
  throw damaged(path, `no object under ${key}`);
}

function partsOf(path: string, value: unknown): { name: string; kind: string; config: JsonObject; nodes: unknown } {
  const layer = isObject(value) ? value : {};
  const config = objectIn(path, layer, 'config');
  const name = config.name ?? layer.name;
  if (typeof name !== 'string' || typeof layer.class_name !== 'string')
    throw damaged(path, 'a layer without a name or class_name');
  return { name, kind: layer.class_name, config, nodes: layer.inbound_nodes };
}

/** Each takes what the one before gives. The first may carry the shape of the input itself. */
function sequential(path: string, listed: readonly unknown[]): Topology {
  const layers: TopologyLayer[] = [];
  for (const each of listed) {
    const { name, kind, config } = partsOf(path, each);
    let before = layers.at(-1);
    if (before === undefined && kind !== 'InputLayer') {
      before = { name: `${name}_input`, kind: 'InputLayer', config, calls: [[]] };
      layers.push(before);
    }
    layers.push({ name, kind, config, calls: [before === undefined ? [] : [outputKey(before.name, 0)]] });
  }
  return { layers, output: outputKey(layers.at(-1)!.name, 0) };
}

function functional(path: string, model: JsonObject, listed: readonly unknown[]): Topology {
  const layers = listed.map((each): TopologyLayer => {
    const { name, kind, config, nodes } = partsOf(path, each);
    if (!Array.isArray(nodes)) throw damaged(path, `no inbound_nodes of the layer "${name}"`);
    const calls = nodes.map((node) => {
      if (!Array.isArray(node))
        throw unsupported(
          path,
          'inbound_nodes as lists, as TF.js writes them',
          `${JSON.stringify(node)?.slice(0, 80)} at "${name}"`,
        );
      return node.map((inbound) => keyOf(path, inbound));
    });
    return { name, kind, config, calls: kind === 'InputLayer' ? [[]] : calls };
  });
  const outputs = model.output_layers;
  const [output] = Array.isArray(outputs) ? (Array.isArray(outputs[0]) ? outputs : [outputs]) : [];
  if (!Array.isArray(outputs) || (Array.isArray(outputs[0]) && outputs.length !== 1))
    throw unsupported(path, 'one output', JSON.stringify(outputs)?.slice(0, 80) ?? 'none');
  return { layers, output: keyOf(path, output) };
}

/** [layer, call, output, options] */
function keyOf(path: string, inbound: unknown): string {
  const [name, call, output, options] = Array.isArray(inbound) ? inbound : [];
  if (typeof name !== 'string' || !Number.isInteger(call) || output !== 0)
    throw unsupported(path, 'the one output of a layer', JSON.stringify(inbound)?.slice(0, 80) ?? 'nothing');
  if (options && Object.keys(options).some((key) => key !== 'training'))
    throw unsupported(path, 'layers called with tensors alone', `options ${JSON.stringify(options).slice(0, 80)}`);
  return outputKey(name, call);
}
