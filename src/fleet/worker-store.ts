/** @file Where a worker reads and delivers: at the coordinator, in a folder that both see, or in a store of objects. */
import { CoordinatorLink, type LinkOptions } from './coordinator-link.js';
import type { WorkerStore } from './executor.js';
import { objectWorkerStore } from './object-exchange.js';
import { isObjectStore, ObjectStore, type StoreAccess } from './object-store.js';
import { sharedFolder } from './shared-folder.js';

export interface StoreChoice {
  /** A folder or s3://bucket/prefix; null where the coordinator is asked. */
  readonly store: string | null;
  readonly access: StoreAccess | null;
  /** For large content. */
  readonly cache: string;
}

/** Throws what `ObjectStore.open` throws. */
export async function workerStore(
  run: string,
  { store, access, cache }: StoreChoice,
  options: LinkOptions,
): Promise<WorkerStore> {
  if (store === null) return new CoordinatorLink(cache, options);
  if (!isObjectStore(store)) return sharedFolder(store, run);
  const objects = await ObjectStore.open(store, access ?? undefined, options);
  return objectWorkerStore(objects, run, cache, () => options.where() === 'over');
}
