/** @file The way into this room: a model by name, ready to classify. */
import { ModelError } from '../core/errors.js';
import type { ChatModel, ChatQuestion } from './classifiers/chat-model.js';
import type { EndpointDescription } from './classifiers/endpoint-model.js';
import { openOnnx } from './classifiers/onnx-classifier.js';
import type { Translator } from './classifiers/translator.js';
import { noWindows } from './classifiers/windows.js';
import { isFewBits, type LoadedModel, type LoadOptions } from './loaded-model.js';
import { filesOf } from './locate.js';
import { withGraph } from './opening/conversion.js';
import { describedEndpoint } from './opening/describe-endpoint.js';
import { type FastTextFile, type ModuleFile, type OnnxFiles, pipelineFile } from './opening/resolve.js';

export type { RemoteAccess } from '../remote/access.js';
export type { ChatQuestion } from './classifiers/chat-model.js';
export type { Translator } from './classifiers/translator.js';
export type { Download, HubOptions } from './hub/options.js';
export { isFewBits, type LoadedModel, type LoadOptions } from './loaded-model.js';
export { locate, locateCheckpoint } from './locate.js';
export { bundledModels, pipelineFile } from './opening/resolve.js';

/** Where the models of each kind are found. */
interface Sources {
  onnx: OnnxFiles;
  module: ModuleFile;
  fasttext: FastTextFile;
  endpoint: EndpointDescription;
  pipeline: { readonly kind: 'pipeline'; readonly path: string };
}

/** A kind of models. */
interface LoadableKind<Source> {
  /** One of them, for messages. */
  readonly what: string;
  /** The options it honours of those that not every kind does. The others are refused. */
  readonly honours: readonly (keyof typeof REFUSED)[];
  open(source: Source, options: LoadOptions): Promise<LoadedModel>;
}

/** Options that not every kind honours: the error where one that does not is given it. */
const REFUSED = {
  guard: (spec: string, what: string, { guard }: LoadOptions) => guard && notCausal(spec, what),
  precision: (spec: string, what: string, { precision }: LoadOptions) =>
    isFewBits(precision)
      ? new ModelError(`${spec}: expected an ONNX model, got ${what}: only a graph can be computed in fewer bits`, {
          code: 'PRECISION_UNAVAILABLE',
          hint: 'Leave --runtime precision=... out.',
        })
      : undefined,
  device: (spec: string, what: string, { device }: LoadOptions) =>
    device !== undefined && !['cpu', 'auto'].includes(device)
      ? new ModelError(`--device ${device}: expected an ONNX model in ${spec}, got ${what}`, {
          code: 'DEVICE_UNAVAILABLE',
          hint: 'Leave --device out.',
        })
      : undefined,
  windows: (spec: string, what: string, { windows }: LoadOptions) => windows && noWindows(spec, what),
  tags: (spec: string, what: string, { decision }: LoadOptions) =>
    decision === 'tags' ? notATagger(spec, what) : undefined,
} as const;

/** Each is loaded when it is needed, but the first: most starts are of an ONNX model. */
const KINDS: { readonly [Kind in keyof Sources]: LoadableKind<Sources[Kind]> } = {
  onnx: {
    what: 'an ONNX model',
    honours: ['guard', 'precision', 'device', 'windows', 'tags'],
    async open(files, options) {
      if (options.decision !== 'tags') return openOnnx(await withGraph(files, options, 'classify'), options);
      const { openTagger } = await import('./classifiers/tagger.js');
      return openTagger(await withGraph(files, options, 'tags'), options);
    },
  },
  module: {
    what: 'a module',
    honours: [],
    open: async (file, options) => (await import('./classifiers/module-classifier.js')).openModule(file, options),
  },
  fasttext: {
    what: 'one of fastText',
    honours: [],
    open: async (file, options) => (await import('./classifiers/fasttext/open.js')).openFastText(file, options),
  },
  endpoint: {
    what: 'an endpoint',
    honours: ['tags'],
    open: async (source, options) => (await import('./classifiers/endpoint-model.js')).openRemote(source, options),
  },
  pipeline: {
    what: 'a pipeline',
    honours: ['guard', 'windows'],
    open: async ({ path }, options) =>
      (await import('./classifiers/pipeline/open.js')).openPipeline(path, options, loadModel),
  },
};

/**
 * Loads a model by a bundled name, a path, a pipeline (`pipeline:./guard.yaml`), an endpoint (`kserve+http://...`, `http:./endpoint.yaml`),
 * or `hf:org/name[@revision]` of the Hugging Face Hub. A folder has the Hugging Face layout with ONNX or safetensors, a robust.json, or a
 * model.json of TF.js. A file is an .onnx file, a .bin file of fastText, or a module whose default export is a Classifier. Throws ModelError,
 * UsageError.
 */
export async function loadModel(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  const pipeline = pipelineFile(spec);
  if (pipeline !== undefined) return open(spec, { kind: 'pipeline', path: pipeline }, options);
  return open(spec, (await describedEndpoint(spec)) ?? (await filesOf(spec, options)), options);
}

/** Throws ModelError for an option that models of the kind do not honour. */
function open<Kind extends keyof Sources>(
  spec: string,
  source: Sources[Kind] & { readonly kind: Kind },
  options: LoadOptions,
): Promise<LoadedModel> {
  const { what, honours, open } = KINDS[source.kind];
  for (const [option, refusal] of Object.entries(REFUSED)) {
    const error = honours.some((each) => each === option) ? undefined : refusal(spec, what, options);
    if (error !== undefined) throw error;
  }
  return open(source, options);
}

const notCausal = (spec: string, what: string): ModelError =>
  new ModelError(`${spec}: --prompt and --answers: expected the checkpoint of a causal language model, got ${what}`, {
    code: 'NOT_A_CLASSIFIER',
    hint: 'Leave --answers out; the answers of a chat endpoint are --labels.',
  });

const notATagger = (spec: string, what: string): ModelError =>
  new ModelError(`${spec}: expected a model that tags tokens, got ${what}`, {
    code: 'NOT_A_TAGGER',
    hint: 'Name a model of the class ...ForTokenClassification, or leave --task tags out.',
  });

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
