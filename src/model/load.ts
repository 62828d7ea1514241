/** @file The way into this room: a model by name, ready to classify. */
import { dirname } from 'node:path';
import { addressIn, isCommand } from '../remote/index.js';
import type { ChatModel, ChatQuestion } from './classifiers/chat-model.js';
import type { EndpointDescription } from './classifiers/endpoint-model.js';
import { openOnnx } from './classifiers/onnx-classifier.js';
import { type HonouredOption, refuseOthers } from './honoured.js';
import { isHubSpec } from './hub/spec.js';
import type { LoadedModel, LoadOptions } from './loaded-model.js';
import { filesOf } from './locate.js';
import { withGraph } from './opening/conversion.js';
import { describedEndpoint } from './opening/describe-endpoint.js';
import type { ModuleFile, OnnxFiles, TfjsModelFile } from './opening/resolve.js';

export type { RemoteAccess } from '../remote/access.js';
export type { ChatQuestion } from './classifiers/chat-model.js';
export type { Download, HubOptions } from './hub/options.js';
export type { LoadedModel, LoadOptions } from './loaded-model.js';
export { locate, locateCheckpoint } from './locate.js';
export { bundledModels } from './opening/resolve.js';

/** Where the models of each kind are found. */
interface Sources {
  onnx: OnnxFiles;
  module: ModuleFile;
  tfjs: TfjsModelFile;
  endpoint: EndpointDescription;
}

/** A kind of models. */
interface LoadableKind<Source> {
  /** One of them, for messages. */
  readonly what: string;
  /** The options it honours of those that not every kind does. The others are refused. */
  readonly honours: readonly HonouredOption[];
  open(source: Source, options: LoadOptions): Promise<LoadedModel>;
}

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
  tfjs: {
    what: 'one of TF.js',
    honours: ['windows'],
    open: ({ path, ...named }, options) =>
      openOnnx({ ...named, kind: 'onnx', folder: dirname(path), model: path }, options),
  },
  endpoint: {
    what: 'an endpoint',
    honours: ['tags'],
    open: async (source, options) => (await import('./classifiers/endpoint-model.js')).openRemote(source, options),
  },
};

/**
 * Loads a model by a bundled name, a path, an endpoint (`kserve+http://...`, `http:./endpoint.yaml`), a program (`cmd:python3 victim.py`), or `hf:org/name[@revision]` of the
 * Hugging Face Hub. A folder has the Hugging Face layout with ONNX or safetensors, a robust.json, or a model.json of TF.js. A file is an
 * .onnx file, or a module whose default export is a Classifier. Throws ModelError, RobustError.
 */
export async function loadModel(spec: string, options: LoadOptions = {}): Promise<LoadedModel> {
  return open(spec, (await describedEndpoint(spec)) ?? (await filesOf(spec, options)), options);
}

/**
 * Where a name leads besides the files of a model: to a description that is read, an address, the Hub, a program that is run. These are the
 * parsers that `loadModel` opens it with; a name that nearly is an address leads there too.
 */
export function leadOf(spec: string): { readonly file?: string; readonly code?: true } | undefined {
  if (isHubSpec(spec)) return {};
  const code = isCommand(spec) && { code: true as const };
  try {
    const address = addressIn(spec);
    const described = address?.kind === 'program' ? address.command : address;
    return address && { ...code, ...(described && 'path' in described && { file: described.path }) };
  } catch {
    return { ...code };
  }
}

function open<Kind extends keyof Sources>(
  spec: string,
  source: Sources[Kind] & { readonly kind: Kind },
  options: LoadOptions,
): Promise<LoadedModel> {
  const kind = KINDS[source.kind];
  refuseOthers(kind.honours, spec, kind.what, options);
  return kind.open(source, options);
}

/** Opens a chat model that answers questions about texts. Throws RobustError ADDRESS_INVALID, ModelError. */
export const loadChatModel = async (spec: string, question: ChatQuestion, options: LoadOptions): Promise<ChatModel> =>
  (await import('./classifiers/chat-model.js')).openChatModel(spec, question, options);
