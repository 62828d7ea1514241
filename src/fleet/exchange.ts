/**
 * @file How coordinator and workers exchange content and deliveries without reaching each other: through a folder that both see, or a store of
 * objects. Content lies there by its hash; deliveries go to the run's inbox until the coordinator has read them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RobustError } from '../core/errors.js';
import { sideBySide } from '../core/side-by-side.js';
import { ANY_SIZE, readFileSync } from '../files/read.js';
import { makeFolder, writeWhole } from '../files/write.js';
import { CoordinatorLink, type LinkOptions, type Receipt } from './coordinator-link.js';
import type { WorkerStore } from './executor.js';
import { FetchedContent } from './fetched-content.js';
import { isObjectStore, ObjectStore, type StoreAccess } from './object-store.js';
import { FolderStore } from './store.js';

/** Files or objects by their keys; folders are parts of keys. */
interface Blobs {
  /** Keys that begin so, in their order. */
  list(begin: string): Promise<string[]>;
  /** The stored bytes, or undefined. */
  get(key: string): Promise<Buffer | undefined>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
}

/** A folder; `begin` of a list is a folder in it. */
const folderBlobs = (folder: string): Blobs => ({
  async list(begin) {
    const path = join(folder, begin);
    return existsSync(path)
      ? readdirSync(path)
          .map((name) => `${begin}${name}`)
          .sort()
      : [];
  },
  get: async (key) => (existsSync(join(folder, key)) ? readFileSync(join(folder, key), null, ANY_SIZE) : undefined),
  put: async (key, bytes) => writeWhole(join(folder, key), bytes, 'a delivery'),
  remove: async (key) => rmSync(join(folder, key), { force: true }),
});

const contentKey = (sha256: string): string => `content/${sha256.slice(0, 2)}/${sha256}`;
const inboxOf = (run: string): string => `${run}/inbox/`;
/** The ending of a delivery that is whole. */
const DELIVERED = '.delivery';
/** Requests under way at once. */
const AT_ONCE = 16;
/** Each delivery to a store of objects is three requests, which cost money, so there is not one each second. */
const OBJECTS_DELIVER_MS = 5000;

/** Puts deliveries into the inbox of a run, in their order. */
function deliverTo(blobs: Blobs, run: string, over: () => boolean): WorkerStore['deliver'] {
  const me = `${process.pid}-${randomBytes(4).toString('hex')}`;
  let number = 0;
  return async (delivery): Promise<Receipt> => {
    if (over()) return 'over';
    await blobs.put(`${inboxOf(run)}${me}.${String(number++).padStart(9, '0')}${DELIVERED}`, delivery);
    return 'kept';
  };
}

export interface StoreChoice {
  /** A folder or s3://bucket/prefix; null if workers reach the coordinator. */
  readonly store: string | null;
  readonly access: StoreAccess | null;
  /** For large content. */
  readonly cache: string;
}

/** The worker's end. Throws what `ObjectStore.open` throws. */
export async function workerStore(
  run: string,
  { store, access, cache }: StoreChoice,
  options: LinkOptions,
): Promise<WorkerStore> {
  if (store === null) return new CoordinatorLink(cache, options);
  if (!isObjectStore(store)) {
    const content = new FolderStore(store);
    // The coordinator removes the inbox with the run.
    const deliver = deliverTo(folderBlobs(store), run, () => !existsSync(join(store, inboxOf(run))));
    return { bytes: (sha256) => content.bytes(sha256), file: (sha256) => content.file(sha256), deliver };
  }
  const objects = await ObjectStore.open(store, access ?? undefined, options);
  return objectWorkerStore(objects, run, cache, () => options.where() === 'over');
}

/** `over`: the run is over. The store throws RobustError STORE_UNREACHABLE, STORE_DAMAGED and STORE_UNREACHABLE. */
export function objectWorkerStore(objects: ObjectStore, run: string, cache: string, over: () => boolean): WorkerStore {
  const content = new FetchedContent(cache, (sha256, headers, take) =>
    objects.request(
      () => ({ method: 'GET', key: contentKey(sha256), headers: headers() }),
      [200, 206, 416, 404],
      async (answer) => {
        if (answer.status !== 404) return take(answer);
        throw new RobustError(`expected content in ${objects.name}${contentKey(sha256)}, found none`, {
          code: 'STORE_UNREACHABLE',
          hint: 'Give worker and coordinator the same --store.',
        });
      },
    ),
  );
  return {
    deliverMs: OBJECTS_DELIVER_MS,
    bytes: (sha256) => content.bytes(sha256),
    file: (sha256) => content.file(sha256),
    deliver: deliverTo(objects, run, over),
  };
}

/** The coordinator's end. */
export class Inbox {
  readonly #blobs: Blobs;
  readonly #run: string;
  readonly #folder: string | undefined;
  readonly #objects: ObjectStore | undefined;
  readonly #published = new Set<string>();

  /** `place`: a folder, or a store of objects. Throws OutputError. */
  constructor(place: string | ObjectStore, run: string) {
    this.#run = run;
    if (typeof place === 'string') {
      this.#folder = place;
      this.#blobs = folderBlobs(place);
      makeFolder(join(place, inboxOf(run)), 'the folder for deliveries');
    } else this.#blobs = this.#objects = place;
  }

  /** Makes content available to workers; a shared folder has it already. */
  async publish(content: FolderStore, hashes: Iterable<string>): Promise<void> {
    const missing = [...new Set(hashes)].filter((sha256) => !this.#published.has(sha256));
    await sideBySide(missing, AT_ONCE, async (sha256) => {
      await this.#objects?.putFile(contentKey(sha256), content.pathOf(sha256), sha256);
      this.#published.add(sha256);
    });
  }

  /** Takes the deliveries that lie there, those of each worker in their order; `take` returns their HTTP status: 503 is later. */
  async read(take: (bytes: Buffer) => number): Promise<void> {
    const keys = (await this.#blobs.list(inboxOf(this.#run))).filter((key) => key.endsWith(DELIVERED));
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = keys.slice(at, at + AT_ONCE);
      const bodies = await Promise.all(some.map((key) => this.#blobs.get(key)));
      const done: string[] = [];
      for (const [index, key] of some.entries()) {
        const body = bodies[index];
        const status = body === undefined ? 503 : take(body);
        if (status === 503 || body === undefined) continue;
        if (status !== 200 && status !== 410) await this.#blobs.put(`${key}.refused`, body);
        done.push(key);
      }
      await sideBySide(done, AT_ONCE, (key) => this.#blobs.remove(key));
    }
  }

  /** Removes what is there of the run alone: content may be another run's too. */
  async remove(): Promise<void> {
    const begin = `${this.#run}/`;
    if (this.#folder !== undefined) rmSync(join(this.#folder, begin), { recursive: true, force: true });
    else await sideBySide(await this.#blobs.list(begin), AT_ONCE, (key) => this.#blobs.remove(key));
  }
}
