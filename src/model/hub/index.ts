/** @file A model from the Hugging Face Hub, as files in the cache: only those the loader reads. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { shardsOf, weightFileOf } from '../../convert/checkpoint/open.js';
import { shardNames, TFJS_FILE } from '../../convert/tfjs/model-file.js';
import { ModelError } from '../../core/errors.js';
import { nearest } from '../../core/suggest.js';
import { unsupported } from '../fasttext/read.js';
import { dataLocations } from '../graph-facts.js';
import { readJsonObject } from '../json-file.js';
import { COMPANIONS, fastTextFile, homeOf, tokenizerFiles } from '../layout.js';
import { filesOf, type Manifest, parseManifest } from '../manifest.js';
import type { FastTextFile, OnnxFiles } from '../resolve.js';
import { cachedRepositories, defaultCache, RepositoryCache } from './cache.js';
import { chooseModel } from './choose-model.js';
import { HubClient, type StoredFile } from './client.js';
import { download } from './download.js';
import { downloadAll } from './download-all.js';
import type { Download, HubOptions } from './options.js';
import { type HubSpec, nameOf, parseHubSpec, pinnedSpec } from './spec.js';

/** `weights`: those, where a graph of them is there too. */
type WantedFiles = 'any' | 'weights';

const withoutGraphs = (names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...names].filter((name) => !name.endsWith('.onnx')));

/** The files of one commit. */
interface Snapshot {
  readonly commit: string;
  readonly names: ReadonlySet<string>;
  /** Sees to it that these of the names are here. */
  fetch(names: readonly string[]): Promise<void>;
  /** All that is needed is here. */
  done(): Promise<void>;
}

/**
 * Finds, and fetches unless offline, what `hf:org/name` or `hf:org/name@revision` names. Without a revision it is the main
 * branch, of which the cached copy serves when the Hub cannot be reached. Throws ModelError, UsageError.
 */
export async function fromHub(
  text: string,
  options: HubOptions,
  onWarning: (message: string) => void,
  wanted: WantedFiles = 'any',
): Promise<OnnxFiles | FastTextFile> {
  const spec = parseHubSpec(text);
  const cache = new RepositoryCache(options.cache ?? defaultCache(), spec);
  const snapshot = options.offline ? offline(cache, spec) : await online(cache, spec, options, onWarning);
  const { commit, names } = snapshot;
  const at: HubSpec = { id: spec.id, revision: commit };
  const called = { name: `${spec.id}@${commit.slice(0, 7)}`, pinned: pinnedSpec(spec.id, commit) };

  const bag = fastTextFile(names);
  if (bag !== undefined) {
    if (bag.endsWith('.ftz')) throw unsupported(`${bag} of ${spec.id}`, 'quantised weights');
    await snapshot.fetch([bag]);
    await snapshot.done();
    return { kind: 'fasttext', ...called, path: cache.path(commit, bag) };
  }
  const home = homeOf((name) => names.has(name));
  const tokenizer = tokenizerFiles((name) => names.has(home + name));
  const companions = [...COMPANIONS, ...tokenizer].map((name) => home + name);
  await snapshot.fetch(companions.filter((name) => names.has(name)));
  const manifest = names.has(`${home}robust.json`)
    ? await manifestAt(cache.path(commit, `${home}robust.json`))
    : undefined;
  const model = modelOf(wanted === 'any' ? names : withoutGraphs(names), home, manifest, at, onWarning);
  needTokenizer(names, home, manifest, at);
  if (!model.endsWith('.onnx') && posix.basename(model) !== TFJS_FILE)
    await checkFamily(cache.path(commit, 'config.json'));
  const beside = manifest?.input === undefined ? [] : Object.values(filesOf(manifest.input)).map((file) => home + file);
  for (const name of [...beside, model]) if (names.has(name)) await snapshot.fetch([name]);

  const path = cache.path(commit, model);
  const folder = posix.dirname(model) === '.' ? '' : `${posix.dirname(model)}/`;
  const parts = (await partsOf(path)).map((location) => folder + location);
  // What leads elsewhere is no name of the listing; the loader refuses it.
  await snapshot.fetch(parts.filter((name) => names.has(name)));
  if (wanted === 'weights') await fetchModules(snapshot, cache);
  await snapshot.done();
  return {
    kind: 'onnx',
    ...called,
    folder: cache.path(commit, home.replace('/', '')),
    model: path,
  };
}

async function online(
  cache: RepositoryCache,
  spec: HubSpec,
  options: HubOptions,
  onWarning: (message: string) => void,
): Promise<Snapshot> {
  const client = new HubClient(options);
  try {
    const { commit, files } = await client.listing(spec);
    const at: HubSpec = { id: spec.id, revision: commit };
    return {
      commit,
      names: new Set(files.keys()),
      fetch: async (wanted) => {
        const all = await Promise.all(wanted.map(async (name) => files.get(name) ?? client.look(at, name)));
        const missing = all.filter(({ name, size }) => !cache.has(cache.path(commit, name), size));
        const fetchOne = async (file: StoredFile, tell: (now: Download) => void): Promise<void> => {
          await download(client, cache, at, file, tell);
          await cache.link(commit, file.name, file.hash);
        };
        await downloadAll(missing, fetchOne, options.onDownload ?? (() => {}));
      },
      done: () => cache.keep(spec, commit),
    };
  } catch (error) {
    const known = error instanceof ModelError && error.code === 'HUB_UNREACHABLE' && cached(cache, spec);
    if (!known) throw error;
    onWarning(`${error.message}; the cached copy is used, commit ${known.commit}`);
    return known;
  }
}

function offline(cache: RepositoryCache, spec: HubSpec): Snapshot {
  const known = cached(cache, spec);
  if (known !== undefined) return known;
  const near = nearest(spec.id, cachedRepositories(cache.cache));
  const other = near === undefined || near === spec.id ? '' : ` Or did you mean "hf:${near}"?`;
  throw new ModelError(`${cache.cache} holds no model of ${spec.id} at "${spec.revision}", and the network is off`, {
    code: 'HUB_NOT_CACHED',
    hint: `Run once without --offline and HF_HUB_OFFLINE to fetch it.${other}`,
  });
}

/** What is here of a revision, if there is a model among it. */
function cached(cache: RepositoryCache, { revision }: HubSpec): Snapshot | undefined {
  const commit = cache.commitOf(revision);
  if (commit === undefined) return undefined;
  const names = cache.names(commit);
  const models = [...names].some((name) => name.endsWith('.onnx') || posix.basename(name) === TFJS_FILE);
  const others = weightFileOf((name) => names.has(name)) ?? fastTextFile(names);
  if (!models && others === undefined) return undefined;
  return { commit, names, fetch: async () => {}, done: async () => {} };
}

/** What sentence-transformers keeps behind an encoder, each part in a folder of its own. */
async function fetchModules({ commit, names, fetch }: Snapshot, cache: RepositoryCache): Promise<void> {
  const { MODULES_FILE, moduleFolders } = await import('../../convert/sentence.js');
  if (!names.has(MODULES_FILE)) return;
  await fetch([MODULES_FILE]);
  const folders = moduleFolders(cache.path(commit, MODULES_FILE)).flatMap(({ folder }) => folder || []);
  const files = folders.flatMap((folder) => {
    const at = (name: string) => posix.join(folder, name);
    const weights = weightFileOf((name) => names.has(at(name)));
    return [at('config.json'), ...(weights === undefined ? [] : [at(weights)])];
  });
  await fetch(files.filter((name) => names.has(name)));
}

/** Of a checkpoint, before its weights are fetched. Throws ModelError where no graph can be drawn of it. */
async function checkFamily(config: string): Promise<void> {
  const { familyOf } = await import('../../convert/families/index.js');
  familyOf(existsSync(config) ? await readJsonObject(config) : {}, config);
}

/** The files beside a model that hold the rest of it: the data of a graph, the shards of a checkpoint or of TF.js. */
async function partsOf(path: string): Promise<readonly string[]> {
  if (path.endsWith('.onnx')) return dataLocations(path);
  if (posix.basename(path) === TFJS_FILE) return shardNames(await readFile(path, 'utf8'));
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
      code: 'MODEL_FILE_NOT_FOUND',
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
    code: 'TOKENIZER_NOT_FOUND',
    hint: `Export it yourself, with a fast tokenizer: optimum-cli export onnx --model ${at.id} ./${nameOf(at)}, then --model ./${nameOf(at)}.`,
  });
}
