/** @file The way into this room: a model by name, ready to classify. */
import type { Task } from '../convert/task.js';
import { ModelError } from '../core/errors.js';
import type { ChatModel, ChatQuestion } from './classifiers/chat-model.js';
import { openOnnx } from './classifiers/onnx-classifier.js';
import type { Translator } from './classifiers/translator.js';
import { noWindows } from './classifiers/windows.js';
import { isHubSpec } from './hub/spec.js';
import type { LoadedModel, LoadOptions } from './loaded-model.js';
import { withGraph } from './opening/conversion.js';
import { describedEndpoint } from './opening/describe-endpoint.js';
import { type ModelSource, type OnnxFiles, pipelineFile, resolve, splitBase } from './opening/resolve.js';

export type { RemoteAccess } from '../remote/access.js';
export type { ChatQuestion } from './classifiers/chat-model.js';
export type { Translator } from './classifiers/translator.js';
export type { Download, HubOptions } from './hub/options.js';
export type { LoadedModel, LoadOptions } from './loaded-model.js';
export { bundledModels, pipelineFile } from './opening/resolve.js';

/**
 * Loads a model by a bundled name, a path, a pipeline (`pipeline:./guard.yaml`), an endpoint (`kserve+http://...`, `http:./endpoint.yaml`),
 * or `hf:org/name[@revision]` of the Hugging Face Hub. A folder has the Hugging Face layout with ONNX or safetensors, a robust.json, or a
 * model.json of TF.js. A file is an .onnx file, a .bin file of fastText, or a module whose default export is a Classifier. Throws ModelError,
 * UsageError.
 */
export async function loadModel(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  const pipeline = pipelineFile(spec);
  if (pipeline !== undefined) {
    checkExact(spec, 'a pipeline', options);
    return (await import('./classifiers/pipeline/open.js')).openPipeline(pipeline, options, loadModel);
  }
  const endpoint = await describedEndpoint(spec);
  if (options.decision === 'tags' && endpoint === undefined)
    return (await import('./classifiers/tagger.js')).openTagger(await locate(spec, options, 'tags'), options);
  const source = endpoint ?? (await locate(spec, options));
  if (source.kind === 'onnx') return openOnnx(source, options);
  if (options.guard !== undefined) throw notAsked(spec, WITHOUT_GRAPH[source.kind]);
  checkExact(spec, WITHOUT_GRAPH[source.kind], options);
  if (options.windows !== undefined) throw noWindows(spec, WITHOUT_GRAPH[source.kind]);
  // One kind of a few is loaded: most starts are of an ONNX model.
  if (source.kind === 'endpoint') return (await import('./classifiers/endpoint-model.js')).openRemote(source, options);
  if (source.kind === 'module') return (await import('./classifiers/module-classifier.js')).openModule(source, options);
  return (await import('./classifiers/fasttext/open.js')).openFastText(source, options);
}

/** Throws ModelError where an approximation is wanted of what has none. */
function checkExact(spec: string, got: string, { precision, device }: LoadOptions): void {
  if (precision === 'int8' || precision === 'int4') {
    throw new ModelError(`${spec}: expected an ONNX model, got ${got}: only a graph can be computed in fewer bits`, {
      code: 'PRECISION_UNAVAILABLE',
      hint: 'Leave --runtime precision=... out.',
    });
  }
  if (device !== undefined && !['cpu', 'auto'].includes(device)) {
    throw new ModelError(`--device ${device}: expected an ONNX model in ${spec}, got ${got}`, {
      code: 'DEVICE_UNAVAILABLE',
      hint: 'Leave --device out.',
    });
  }
}

const notAsked = (spec: string, got: string): ModelError =>
  new ModelError(`${spec}: --prompt and --answers: expected the checkpoint of a causal language model, got ${got}`, {
    code: 'NOT_A_CLASSIFIER',
    hint: 'Leave --answers out; the answers of a chat endpoint are --labels.',
  });

const WITHOUT_GRAPH = { module: 'a module', fasttext: 'one of fastText', endpoint: 'an endpoint' } as const;

/** Opens a chat model that answers questions about texts. Throws UsageError CHAT_MODEL, ModelError. */
export const loadChatModel = async (spec: string, question: ChatQuestion, options: LoadOptions): Promise<ChatModel> =>
  (await import('./classifiers/chat-model.js')).openChatModel(spec, question, options);

/** A service that translates texts, opened on first use. Throws UsageError TRANSLATOR. */
export const translatorAt = async (
  spec: string,
  language: string,
  options: LoadOptions,
): Promise<() => Promise<Translator>> =>
  (await import('./classifiers/translator.js')).translatorAt(spec, language, options);

/**
 * The files `spec` names, fetched first where they lie in the Hub, and with a graph drawn where there are only weights, which
 * must be of a model of the `wanted` kind. Throws ModelError, UsageError.
 */
export async function locate(spec: string, options: LoadOptions = {}, wanted: Task = 'classify'): Promise<ModelSource> {
  const source = await filesOf(spec, options);
  return source.kind === 'onnx' ? withGraph(source, options, wanted) : source;
}

/** The checkpoint that `spec` names: a folder with weights, beside which there may be an ONNX file too. Throws ModelError, UsageError. */
export async function locateCheckpoint(
  named: string,
  { hub = {}, onWarning = () => {} }: LoadOptions = {},
): Promise<OnnxFiles> {
  const { spec, base } = splitBase(named);
  const source = isHubSpec(spec) ? await (await hubRoom()).fromHub(spec, hub, onWarning, 'weights') : resolve(spec);
  if (source.kind === 'onnx') return base === undefined ? source : { ...source, base };
  throw new ModelError(`expected a folder with config.json and weights, got the file ${spec}`, {
    code: 'CHECKPOINT_NOT_FOUND',
    hint: 'Name a folder as save_pretrained writes it, or hf:org/name.',
  });
}

/** The files that `spec` names, as they are. Throws ModelError, UsageError. */
async function filesOf(named: string, { hub = {}, onWarning = () => {} }: LoadOptions = {}): Promise<ModelSource> {
  const { spec, base } = splitBase(named);
  const source = isHubSpec(spec) ? await (await hubRoom()).fromHub(spec, hub, onWarning) : resolve(spec);
  return source.kind === 'onnx' && base !== undefined ? { ...source, base } : source;
}

const hubRoom = () => import('./hub/index.js');
