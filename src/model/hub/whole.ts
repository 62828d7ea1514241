/** @file A repository of the Hub with all its files, to examine them: nothing of it is opened here. */
import { defaultCache, repositoryFolder } from './cache.js';
import type { HubOptions } from './options.js';
import { openSnapshot } from './snapshot.js';
import { parseHubSpec, pinnedSpec } from './spec.js';

export interface WholeRepository {
  readonly name: string;
  /** Names these very files for good. */
  readonly pinned: string;
  readonly folder: string;
  /** The cache's folder of the repository, which the files are links into. */
  readonly home: string;
  /** Files that were not fetched, and why. */
  readonly left: readonly string[];
}

/** Fetches the files of a repository, the small ones first, up to `maxBytes` in all. Throws ModelError, RobustError. */
export async function wholeRepository(
  text: string,
  options: HubOptions,
  maxBytes: number,
  onWarning: (message: string) => void,
): Promise<WholeRepository> {
  const spec = parseHubSpec(text);
  const snapshot = await openSnapshot(
    spec,
    options,
    (cache, commit) => {
      const names = cache.names(commit);
      return names.size > 0 ? names : undefined;
    },
    onWarning,
  );
  const { commit, names, size, fetch } = snapshot;
  const bySize = [...names].sort((a, b) => (size(a) ?? 0) - (size(b) ?? 0) || (a < b ? -1 : 1));
  const wanted: string[] = [];
  const left: string[] = [];
  let bytes = 0;
  for (const name of bySize) {
    const own = size(name) ?? 0;
    if (bytes + own <= maxBytes) {
      bytes += own;
      wanted.push(name);
    } else left.push(`${name}: not fetched, ${own} bytes (--max-download)`);
  }
  await fetch(wanted);
  await snapshot.done();
  return {
    name: `${spec.id}@${commit.slice(0, 7)}`,
    pinned: pinnedSpec(spec.id, commit),
    folder: snapshot.path(''),
    home: repositoryFolder(options.cache ?? defaultCache(), spec.id),
    left,
  };
}
