/** @file From the name of a model to its files, fetched and converted where that is needed. */
import type { Task } from '../../packages/onnx/src/convert/task.js';
import { ModelError } from '../core/errors.js';
import { isHubSpec } from './hub/spec.js';
import type { LoadOptions } from './loaded-model.js';
import { withGraph } from './opening/conversion.js';
import { type ModelSource, type OnnxFiles, resolve, splitBase } from './opening/resolve.js';

/**
 * The files `spec` names, fetched first where they lie in the Hub, and with a graph drawn where there are only weights, which
 * must be of a model of the `wanted` kind. Throws ModelError, RobustError.
 */
export async function locate(spec: string, options: LoadOptions = {}, wanted: Task = 'classify'): Promise<ModelSource> {
  const source = await filesOf(spec, options);
  return source.kind === 'onnx' ? withGraph(source, options, wanted) : source;
}

/** The checkpoint that `spec` names: a folder with weights, beside which there may be an ONNX file too. Throws ModelError, RobustError. */
export async function locateCheckpoint(
  named: string,
  { hub = {}, onWarning = () => {} }: LoadOptions = {},
): Promise<OnnxFiles> {
  const { spec, base } = splitBase(named);
  const source = isHubSpec(spec) ? await (await hubRoom()).fromHub(spec, hub, onWarning, 'weights') : resolve(spec);
  if (source.kind === 'onnx') return base === undefined ? source : { ...source, base };
  const got = source.kind === 'tfjs' ? 'a model of TF.js' : 'the file';
  throw new ModelError(`expected a folder with config.json and weights, got ${got} ${spec}`, {
    code: 'MODEL_DAMAGED',
    hint:
      source.kind === 'tfjs'
        ? 'TF.js itself runs it: name it with --model. For an ONNX file convert the Keras or TensorFlow model with tf2onnx.'
        : 'Name a folder as save_pretrained writes it, or hf:org/name.',
  });
}

/** The files that `spec` names, as they are. Throws ModelError, RobustError. */
export async function filesOf(
  named: string,
  { hub = {}, onWarning = () => {} }: LoadOptions = {},
): Promise<ModelSource> {
  const { spec, base } = splitBase(named);
  const source = isHubSpec(spec) ? await (await hubRoom()).fromHub(spec, hub, onWarning) : resolve(spec);
  return source.kind === 'onnx' && base !== undefined ? { ...source, base } : source;
}

const hubRoom = () => import('./hub/index.js');
