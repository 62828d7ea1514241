/** @file A PEFT adapter as a model: its base is found, and both are converted together. */
import { existsSync, statSync } from 'node:fs';
import { resolve as absolute, basename, join } from 'node:path';
import { ADAPTER_CONFIG } from '../../../packages/onnx/src/convert/adapter/config.js';
import { adapterFileOf, PeftAdapter } from '../../../packages/onnx/src/convert/adapter/open.js';
import { openCheckpoint, weightFileOf } from '../../../packages/onnx/src/convert/checkpoint/open.js';
import { ModelError, RobustError } from '../../core/errors.js';
import type { JsonObject } from '../../core/json.js';
import { copyFile, writeWhole } from '../../files/write.js';
import { isHubSpec } from '../hub/spec.js';
import type { LoadOptions } from '../loaded-model.js';
import type { ComposedSource } from './drawing-source.js';
import { readJsonObject } from './json-file.js';
import { TOKENIZER_FILES, tokenizerFiles } from './layout.js';
import { type OnnxFiles, resolve } from './resolve.js';

/** Whether a folder holds an adapter, and no whole model. */
export function isAdapter({ folder, model }: Pick<OnnxFiles, 'folder' | 'model'>): boolean {
  const at = (name: string) => existsSync(join(folder, name));
  if (model !== undefined) return adapterFileOf((name) => name === basename(model)) !== undefined;
  return at(ADAPTER_CONFIG) && !at('model.onnx') && !(at('config.json') && weightFileOf(at) !== undefined);
}

interface AdapterSource extends ComposedSource {
  /** The config.json of the merged model. */
  readonly config: JsonObject;
}

/** The base and the adapter together. Throws ModelError. */
export async function adapterSource(files: OnnxFiles, options: LoadOptions): Promise<AdapterSource> {
  const { folder } = files;
  const adapter = new PeftAdapter(folder);
  const base = await baseOf(files, adapter, options);
  const optional = async (path: string): Promise<JsonObject> => (existsSync(path) ? readJsonObject(path) : {});
  const own = join(folder, 'config.json');
  const path = join(base, 'config.json');
  const config = adapter.configOf(await readJsonObject(path), await optional(own));
  const tokenizer = tokenizerFiles((name) => existsSync(join(folder, name))).length > 0 ? folder : base;
  const texts = TOKENIZER_FILES.filter((name) => existsSync(join(tokenizer, name)));
  return {
    files: [
      ...[path, own].filter((each) => existsSync(each)),
      ...openCheckpoint(base).files,
      ...adapter.files,
      ...texts.map((name) => join(tokenizer, name)),
    ],
    called: `adapter of ${basename(base)}`,
    draw: async (half = false) =>
      (await import('../../../packages/onnx/src/convert/index.js')).convertCheckpoint(base, config, {
        adapter,
        half,
        continued: true,
      }),
    config,
    describe: (aside) => {
      for (const name of texts) copyFile(join(tokenizer, name), join(aside, name));
      writeWhole(join(aside, 'config.json'), `${JSON.stringify(config, null, 2)}\n`, 'config.json');
    },
  };
}

/**
 * The folder of the base: what the user named, else `base` in the adapter's folder, else a folder that the adapter names, else a repository
 * of the Hub in its cache. It is fetched only for an adapter that came from the Hub itself: a file must not decide what is asked for.
 */
async function baseOf(files: OnnxFiles, { config }: PeftAdapter, options: LoadOptions): Promise<string> {
  const { folder, base: named, pinned } = files;
  if (named !== undefined) return fromSpec(named, options);
  const inside = join(folder, 'base');
  if (existsSync(join(inside, 'config.json'))) return fromSpec(inside, options);
  const { base, revision } = config;
  if (base === undefined || base === '') throw missing(files, config.path, 'no name of one');
  const local = [absolute(folder, base), absolute(base)].find(isFolder);
  if (local !== undefined && !isShare(base)) return fromSpec(local, options);
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(base)) throw missing(files, config.path, base);
  const offline = options.hub?.offline === true || pinned === undefined;
  try {
    const spec = `hf:${base}${revision ? `@${revision}` : ''}`;
    return await fromSpec(spec, { ...options, hub: { ...options.hub, offline } });
  } catch (error) {
    if (!(error instanceof RobustError) || !['HUB_NOT_CACHED', 'HUB_INVALID'].includes(error.code)) throw error;
    throw missing(files, config.path, base);
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** A place on another machine, as Windows and some systems write it. */
const isShare = (path: string): boolean => /^[\\/]{2}/.test(path);

async function fromSpec(spec: string, { hub = {}, onWarning = () => {} }: LoadOptions): Promise<string> {
  const source = isHubSpec(spec)
    ? await (await import('../hub/index.js')).fromHub(spec, hub, onWarning, 'weights')
    : resolve(spec);
  if (source.kind === 'onnx' && existsSync(join(source.folder, 'config.json'))) return source.folder;
  throw new ModelError(`${spec}: expected the base model of an adapter, a folder with config.json and weights`, {
    code: 'MODEL_DAMAGED',
    hint: 'Name a folder as save_pretrained writes it, or hf:org/name.',
  });
}

const missing = ({ folder, name }: OnnxFiles, path: string, base: string): ModelError =>
  new ModelError(
    `${path}: expected the base model "${base}" in ${join(folder, 'base')}, as a folder or in the Hub's cache, found it in neither`,
    {
      code: 'MODEL_NOT_FOUND',
      hint: `Name it behind the adapter: ./${name}:base=hf:org/name, or ./${name}:base=./folder.`,
    },
  );
