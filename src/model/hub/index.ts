/** @file A model from the Hugging Face Hub, as files in the cache: only those the loader reads. */
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { ADAPTER_CONFIG } from '../../../packages/onnx/src/convert/adapter/config.js';
import { adapterFileOf } from '../../../packages/onnx/src/convert/adapter/open.js';
import { shardsOf, weightFileOf } from '../../../packages/onnx/src/convert/checkpoint/open.js';
import {
  ENCODER_FILE,
  isSetFit,
  MODULES_FILE,
  SETFIT_FILES,
} from '../../../packages/onnx/src/convert/sentence-files.js';
import { ModelError } from '../../core/errors.js';
import { readFile } from '../../files/read.js';
import { isTfjsFile, shardNames } from '../../tfjs/model-file.js';
import { dataLocations } from '../opening/graph-facts.js';
import { readJsonObject } from '../opening/json-file.js';
import { COMPANIONS, homeOf, tokenizerFiles } from '../opening/layout.js';
import { filesOf, type Manifest, parseManifest } from '../opening/manifest.js';
import type { OnnxFiles, TfjsModelFile } from '../opening/resolve.js';
import { chooseModel } from './choose-model.js';
import type { HubOptions } from './options.js';
import { type CachedNames, openSnapshot, type Snapshot } from './snapshot.js';
import { type HubSpec, nameOf, parseHubSpec, pinnedSpec } from './spec.js';

/** `weights`: those, where a graph of them is there too. */
type WantedFiles = 'any' | 'weights';

const withoutGraphs = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => !name.endsWith('.onnx')));

/**
 * Finds, and fetches unless offline, the files of `hf:org/name` or `hf:org/name@revision`. The default revision is the main branch, whose
 * cached copy is used if the Hub cannot be reached. Throws ModelError, RobustError.
 */
export async function fromHub(
  text: string,
  options: HubOptions,
  onWarning: (message: string) => void,
  wanted: WantedFiles = 'any',
): Promise<OnnxFiles | TfjsModelFile> {
  const spec = parseHubSpec(text);
  const snapshot = await openSnapshot(spec, options, cachedModel, onWarning);
  const { commit, names } = snapshot;
  const at: HubSpec = { id: spec.id, revision: commit };
  const called = { name: `${spec.id}@${commit.slice(0, 7)}`, pinned: pinnedSpec(spec.id, commit) };

  const home = homeOf((name) => names.has(name));
  const tokenizer = tokenizerFiles((name) => names.has(home + name));
  const companions = [...COMPANIONS, ...tokenizer].map((name) => home + name);
  await snapshot.fetch(companions.filter((name) => names.has(name)));
  const manifest = names.has(`${home}robust.json`) ? await manifestAt(snapshot.path(`${home}robust.json`)) : undefined;
  const modules = wanted === 'weights' || isSetFit((name) => names.has(name));
  const model = modelOf(modules ? withoutGraphs(names) : names, home, manifest, at, onWarning);
  const adapter = adapterFileOf((name) => name === model) !== undefined;
  // The base model has the config, and perhaps the tokenizer.
  if (adapter) await snapshot.fetch([ADAPTER_CONFIG].filter((name) => names.has(name)));
  else needTokenizer(names, home, manifest, at);
  if (!adapter && !model.endsWith('.onnx') && !isTfjsFile(model)) await checkFamily(snapshot.path('config.json'));
  const beside = manifest?.input === undefined ? [] : Object.values(filesOf(manifest.input)).map((file) => home + file);
  for (const name of [...beside, model]) if (names.has(name)) await snapshot.fetch([name]);

  const path = snapshot.path(model);
  const folder = posix.dirname(model) === '.' ? '' : `${posix.dirname(model)}/`;
  const parts = (await partsOf(path)).map((location) => folder + location);
  // Names outside the listing are ignored; the loader rejects them.
  await snapshot.fetch(parts.filter((name) => names.has(name)));
  if (modules) await fetchModules(snapshot);
  await snapshot.done();
  if (isTfjsFile(model)) return { kind: 'tfjs', ...called, path };
  return { kind: 'onnx', ...called, folder: snapshot.path(home.replace('/', '')), model: path };
}

/** Cached files of a commit, if they include a model. */
const cachedModel: CachedNames = (cache, commit) => {
  const names = cache.names(commit);
  const models = [...names].some((name) => name.endsWith('.onnx') || isTfjsFile(name));
  const others = weightFileOf((name) => names.has(name)) ?? adapterFileOf((name) => names.has(name));
  return models || others !== undefined ? names : undefined;
};

/** The modules that sentence-transformers stores after an encoder, each in its own folder. */
async function fetchModules({ names, path, fetch }: Snapshot): Promise<void> {
  if (!names.has(MODULES_FILE)) return;
  const { moduleFolders } = await import('../../../packages/onnx/src/convert/sentence.js');
  await fetch([MODULES_FILE, ENCODER_FILE, ...SETFIT_FILES].filter((name) => names.has(name)));
  const folders = moduleFolders(path(MODULES_FILE)).flatMap(({ folder }) => folder || []);
  const files = folders.flatMap((folder) => {
    const at = (name: string) => posix.join(folder, name);
    const weights = weightFileOf((name) => names.has(at(name)));
    return [at('config.json'), ...(weights === undefined ? [] : [at(weights)])];
  });
  await fetch(files.filter((name) => names.has(name)));
}

/** Checks a checkpoint before its weights are fetched. Throws ModelError where no graph can be drawn of it. */
async function checkFamily(config: string): Promise<void> {
  const { familyOf } = await import('../../../packages/onnx/src/convert/families/index.js');
  familyOf(existsSync(config) ? await readJsonObject(config) : {}, config);
}

/** The files beside a model that hold the rest of it: the data of a graph, the shards of a checkpoint or of TF.js. */
async function partsOf(path: string): Promise<readonly string[]> {
  if (path.endsWith('.onnx')) return dataLocations(path);
  if (isTfjsFile(path)) return shardNames(await readFile(path, 'utf8'));
  return path.endsWith('.index.json') ? shardsOf(path, await readFile(path, 'utf8')) : [];
}

const manifestAt = async (path: string): Promise<Manifest> => parseManifest(await readJsonObject(path), path);

function modelOf(
  names: ReadonlySet<string>,
  home: string,
  manifest: Manifest | undefined,
  at: HubSpec,
  onWarning: (message: string) => void,
): string {
  if (manifest?.model !== undefined) {
    if (names.has(home + manifest.model)) return home + manifest.model;
    throw new ModelError(`${at.id}: robust.json names the model "${manifest.model}", which ${at.id} does not have`, {
      code: 'MODEL_DAMAGED',
      hint: 'The owner of the repository has to add it, or to correct the manifest.',
    });
  }
  const { name, among } = chooseModel(names, home, at);
  if (among !== undefined) {
    const others = among.length === 1 ? '' : `, the most precise of ${among.join(', ')}`;
    onWarning(`${at.id} has no model.onnx: ${name} is used${others}`);
  }
  return name;
}

/** Before a large download, not after it. */
function needTokenizer(names: ReadonlySet<string>, home: string, manifest: Manifest | undefined, at: HubSpec): void {
  if (
    (manifest?.input ?? { kind: 'tokenizer' }).kind !== 'tokenizer' ||
    tokenizerFiles((name) => names.has(home + name)).length > 0
  )
    return;
  throw new ModelError(`${at.id} at ${at.revision}: expected tokenizer.json beside the model, found none`, {
    code: 'TOKENIZER_DAMAGED',
    hint: `Export it yourself, with a fast tokenizer: optimum-cli export onnx --model ${at.id} ./${nameOf(at)}, then --model ./${nameOf(at)}.`,
  });
}
