/** @file Which .onnx file of a repository is the model. */
import { adapterFileOf } from '../../../packages/onnx/src/convert/adapter/open.js';
import { weightFileOf } from '../../../packages/onnx/src/convert/checkpoint/open.js';
import { ModelError } from '../../core/errors.js';
import { TFJS_FILE } from '../../tfjs/model-file.js';
import { type HubSpec, nameOf } from './spec.js';

/** Precision of the weights by file name; higher precision is preferred. */
const PRECISIONS = [/q4|int4|bnb4|4bit/, /q8|int8|quant/, /fp16|float16|f16|bf16/];

/** Rank 0: nothing said, so as exported. */
const rank = (name: string): number => {
  const at = PRECISIONS.findIndex((precision) => precision.test(baseOf(name)));
  return at === -1 ? 0 : PRECISIONS.length - at;
};

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1).toLowerCase();

export interface ChosenModel {
  readonly name: string;
  /** It has not the usual name: the others it was chosen from, itself included. */
  readonly among: readonly string[] | undefined;
}

/**
 * The usual names first (model.onnx: full precision), else the most precise of the others, else the weights that a graph can be
 * drawn from, else a model of TF.js. Throws ModelError for a repository without one.
 */
export function chooseModel(names: Iterable<string>, home: string, spec: HubSpec): ChosenModel {
  const files = [...names];
  const models = files.filter((name) => name.endsWith('.onnx'));
  const usual = [`${home}model.onnx`, 'model.onnx', 'onnx/model.onnx'].find((name) => models.includes(name));
  if (usual !== undefined) return { name: usual, among: undefined };
  const depth = (name: string) => name.split('/').length;
  models.sort((a, b) => rank(a) - rank(b) || depth(a) - depth(b) || (a < b ? -1 : 1));
  const [name] = models;
  if (name !== undefined) return { name, among: models };
  // A checkpoint, whose graph is drawn.
  const checkpoint = weightFileOf((file) => files.includes(file));
  if (checkpoint !== undefined) return { name: checkpoint, among: undefined };
  const adapter = adapterFileOf((file) => files.includes(file));
  if (adapter !== undefined) return { name: adapter, among: undefined };
  if (files.includes(home + TFJS_FILE)) return { name: home + TFJS_FILE, among: undefined };
  const weights = files.filter((file) => /\.(safetensors|bin|h5|msgpack|pt|pth|gguf|ot)$/.test(file)).slice(0, 3);
  const instead = weights.length === 0 ? '' : `, found ${weights.join(', ')}`;
  throw new ModelError(
    `${spec.id} at ${spec.revision}: expected model.onnx, onnx/model.onnx or model.safetensors${instead}`,
    {
      code: 'MODEL_DAMAGED',
      hint: `Export it yourself: optimum-cli export onnx --model ${spec.id} ./${nameOf(spec)}, then --model ./${nameOf(spec)}.`,
    },
  );
}
