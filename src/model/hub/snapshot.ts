/** @file The files of one commit of a repository: those of the Hub, fetched as they are wanted, or those of the cache. */
import { ModelError } from '../../core/errors.js';
import { nearest } from '../../core/suggest.js';
import { cachedRepositories, defaultCache, RepositoryCache } from './cache.js';
import { HubClient, type StoredFile } from './client.js';
import { download } from './download.js';
import { downloadAll } from './download-all.js';
import type { Download, HubOptions } from './options.js';
import { type HubSpec, nounOf } from './spec.js';

export interface Snapshot {
  readonly commit: string;
  readonly names: ReadonlySet<string>;
  /** Bytes of a file, if the listing states them. */
  size(name: string): number | undefined;
  /** Where a file lies once it is here. */
  path(name: string): string;
  /** Sees to it that these of the names are here. Throws ModelError. */
  fetch(names: readonly string[]): Promise<void>;
  /** All that is needed is here. */
  done(): Promise<void>;
}

/** The cached files of a commit that are required offline; undefined if the cache is known to be incomplete. */
export type CachedNames = (cache: RepositoryCache, commit: string) => ReadonlySet<string> | undefined;

/**
 * The revision as the Hub has it; where the Hub cannot be reached, or offline, as the cache has it, which `cachedNames` judges.
 * Throws ModelError.
 */
export async function openSnapshot(
  spec: HubSpec,
  options: HubOptions,
  cachedNames: CachedNames,
  onWarning: (message: string) => void,
): Promise<Snapshot> {
  const cache = new RepositoryCache(options.cache ?? defaultCache(), spec);
  return options.offline ? offline(cache, spec, cachedNames) : online(cache, spec, options, cachedNames, onWarning);
}

async function online(
  cache: RepositoryCache,
  spec: HubSpec,
  options: HubOptions,
  cachedNames: CachedNames,
  onWarning: (message: string) => void,
): Promise<Snapshot> {
  const client = new HubClient(options);
  try {
    const { commit, files } = await client.listing(spec);
    const at: HubSpec = { ...spec, revision: commit };
    const names = new Set(files.keys());
    return {
      commit,
      names,
      size: (name) => files.get(name)?.size,
      path: (name) => cache.path(commit, name),
      fetch: async (wanted) => {
        const all = await Promise.all(wanted.map(async (name) => files.get(name) ?? client.look(at, name)));
        const missing = all.filter(({ name, size }) => !cache.has(cache.path(commit, name), size));
        const fetchOne = async (file: StoredFile, connections: number, report: (now: Download) => void) => {
          await download({ client, cache, spec: at, connections }, file, report);
          await cache.link(commit, file.name, file.hash);
        };
        await downloadAll(missing, fetchOne, options.onDownload ?? (() => {}));
      },
      done: async () => {
        // A part of a data set looks like the whole: what there is must be known without the Hub, too.
        if (spec.kind === 'datasets') await cache.keepListing(commit, names);
        await cache.keep(spec, commit);
      },
    };
  } catch (error) {
    const known = error instanceof ModelError && error.code === 'HUB_UNREACHABLE' && cached(cache, spec, cachedNames);
    if (!known) throw error;
    onWarning(`${error.message}; the cached copy is used, commit ${known.commit}`);
    return known;
  }
}

function offline(cache: RepositoryCache, spec: HubSpec, cachedNames: CachedNames): Snapshot {
  const known = cached(cache, spec, cachedNames);
  if (known !== undefined) return known;
  const near = nearest(spec.id, cachedRepositories(cache.cache, spec.kind));
  const other = near === undefined || near === spec.id ? '' : ` Or did you mean "hf:${near}"?`;
  throw new ModelError(
    `${cache.cache} holds no ${nounOf(spec)} of ${spec.id} at "${spec.revision}", and the network is off`,
    { code: 'HUB_NOT_CACHED', hint: `Run once without offline=true and HF_HUB_OFFLINE to fetch it.${other}` },
  );
}

function cached(cache: RepositoryCache, spec: HubSpec, cachedNames: CachedNames): Snapshot | undefined {
  const commit = cache.commitOf(spec.revision);
  const names = commit === undefined ? undefined : cachedNames(cache, commit);
  if (commit === undefined || names === undefined) return undefined;
  return {
    commit,
    names,
    size: () => undefined,
    path: (name) => cache.path(commit, name),
    fetch: async (wanted) => {
      const here = cache.names(commit);
      const missing = wanted.find((name) => !here.has(name));
      if (missing === undefined) return;
      throw new ModelError(`${cache.cache} holds ${spec.id} at "${spec.revision}" without ${missing}`, {
        code: 'HUB_NOT_CACHED',
        hint: 'Run once with the Hub in reach, without offline=true and HF_HUB_OFFLINE, to fetch it.',
      });
    },
    done: async () => {},
  };
}
