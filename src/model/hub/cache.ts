/**
 * @file One repository in the cache that the Hub's libraries share (https://huggingface.co/docs/hub/local-cache):
 *
 *  models--org--name/blobs/HASH                     contents
 *  models--org--name/snapshots/COMMIT/onnx/model.onnx -> ../../../blobs/HASH
 *  models--org--name/refs/main                      the last known commit of a branch or tag
 *  datasets--org--name/listings/COMMIT.json         specific to robust: names of all files of a commit, fetched or not
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { ModelError } from '../../core/errors.js';
import { readFileSync } from '../../files/read.js';
import { makeFolders, replaceByLink, replaceFile, writeAll } from '../../files/write.js';
import { type HubSpec, isCommit, type RepositoryKind } from './spec.js';

export const defaultCache = (): string => join(homedir(), '.cache', 'huggingface', 'hub');

/** The repositories of a kind that a cache knows, by name. */
export function cachedRepositories(cache: string, kind: RepositoryKind = 'models'): string[] {
  if (!existsSync(cache)) return [];
  const folders = readdirSync(cache).filter((folder) => folder.startsWith(`${kind}--`));
  return folders.map((folder) => folder.slice(kind.length + 2).replaceAll('--', '/'));
}

/** Where a repository lies in a cache. */
export const repositoryFolder = (cache: string, id: string, kind: RepositoryKind = 'models'): string =>
  join(cache, `${kind}--${id.replaceAll('/', '--')}`);

export class RepositoryCache {
  /** The folder of all repositories. */
  readonly cache: string;
  readonly #root: string;

  constructor(cache: string, { id, kind }: HubSpec) {
    this.cache = cache;
    this.#root = repositoryFolder(cache, id, kind);
  }

  blob(hash: string): string {
    return join(this.#root, 'blobs', hash);
  }

  snapshot(commit: string): string {
    return join(this.#root, 'snapshots', commit);
  }

  path(commit: string, name: string): string {
    return join(this.snapshot(commit), ...name.split('/'));
  }

  /** The commit a revision stood for when it was last asked for, if ever. */
  commitOf(revision: string): string | undefined {
    if (isCommit(revision)) return revision;
    try {
      const commit = readFileSync(this.#ref(revision), 'utf8').trim();
      return isCommit(commit) ? commit : undefined;
    } catch {
      return undefined;
    }
  }

  /** The files of a commit that are here, `/` between the parts of their names. */
  names(commit: string): Set<string> {
    const folder = this.snapshot(commit);
    if (!existsSync(folder)) return new Set();
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    // A link whose blob is gone does not exist.
    const files = entries.filter((entry) => statSync(join(folder, entry), { throwIfNoEntry: false })?.isFile());
    return new Set(files.map((file) => file.split(sep).join('/')));
  }

  /** Whether a file of this size is here; another size is that of a file cut short. */
  has(path: string, size: number): boolean {
    try {
      return statSync(path).size === size;
    } catch {
      return false;
    }
  }

  /** Links a name in a commit to a blob. */
  async link(commit: string, name: string, hash: string): Promise<void> {
    const path = this.path(commit, name);
    await onDisk(path, async () => {
      makeFolders(dirname(path));
      replaceByLink(path, relative(dirname(path), this.blob(hash)));
    });
  }

  /** Records the commit of a branch or tag. */
  async keep({ revision }: HubSpec, commit: string): Promise<void> {
    if (this.commitOf(revision) !== commit) await writeIn(this.#ref(revision), commit);
  }

  /** Notes the names of all files of a commit. */
  async keepListing(commit: string, names: ReadonlySet<string>): Promise<void> {
    await writeIn(this.#listing(commit), JSON.stringify([...names]));
  }

  /** The names of all files of a commit, where they were noted. */
  listing(commit: string): ReadonlySet<string> | undefined {
    try {
      const names: unknown = JSON.parse(readFileSync(this.#listing(commit), 'utf8'));
      return Array.isArray(names) ? new Set(names.map(String)) : undefined;
    } catch {
      return undefined;
    }
  }

  #listing(commit: string): string {
    return join(this.#root, 'listings', `${commit}.json`);
  }

  #ref(revision: string): string {
    return join(this.#root, 'refs', ...revision.split('/'));
  }
}

const writeIn = (path: string, text: string): Promise<void> =>
  onDisk(path, async () => {
    makeFolders(dirname(path));
    replaceFile(path, (file) => writeAll(file, Buffer.from(text)));
  });

/** Writes into the cache. Throws ModelError (OUTPUT_UNREACHABLE) where the system does not let us. */
export async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code, syscall, message } = cause as NodeJS.ErrnoException;
    if (syscall === undefined) throw cause;
    const full = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG';
    throw new ModelError(`the Hub's cache cannot be written: ${path}: ${message}`, {
      code: 'OUTPUT_UNREACHABLE',
      hint: full
        ? 'Free some space, or set HF_HUB_CACHE to a folder on another disk, then run again: the download goes on where it ended.'
        : 'Make the folder writable, or set HF_HUB_CACHE to one that is.',
      cause,
    });
  }
}
