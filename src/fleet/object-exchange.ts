/** @file Where coordinator and workers meet without reaching each other: content lies in a store of objects, deliveries are put there. */
import { randomBytes } from 'node:crypto';
import { RobustError } from '../core/errors.js';
import { sideBySide } from '../core/side-by-side.js';
import type { Receipt } from './coordinator-link.js';
import type { WorkerStore } from './executor.js';
import { FetchedContent } from './fetched-content.js';
import type { Inbox } from './intake.js';
import type { ObjectStore } from './object-store.js';
import { DELIVERED } from './shared-folder.js';
import type { FolderStore } from './store.js';

const keyOf = (sha256: string): string => `content/${sha256.slice(0, 2)}/${sha256}`;
const inboxOf = (run: string): string => `${run}/inbox/`;

/** Requests under way at once. */
const AT_ONCE = 16;
/** Each delivery is three requests, which cost money: so many are not made for each second. */
const DELIVER_MS = 5000;

/** The end of a worker. `over`: is the run not worked on any more? Throws RobustError CONTENT_MISSING, CONTENT_MISMATCH and STORE_REFUSED. */
export function objectWorkerStore(objects: ObjectStore, run: string, cache: string, over: () => boolean): WorkerStore {
  const content = new FetchedContent(cache, (sha256, headers, take) =>
    objects.asked(
      () => ({ method: 'GET', key: keyOf(sha256), headers: headers() }),
      [200, 206, 416, 404],
      async (answer) => {
        if (answer.status === 404) throw missing(`${objects.name}${keyOf(sha256)}`);
        return take(answer);
      },
    ),
  );
  const me = `${process.pid}-${randomBytes(4).toString('hex')}`;
  let number = 0;
  return {
    deliverMs: DELIVER_MS,
    bytes: (sha256) => content.bytes(sha256),
    file: (sha256) => content.file(sha256),
    async deliver(delivery): Promise<Receipt> {
      if (over()) return 'over';
      await objects.put(`${inboxOf(run)}${me}.${String(number++).padStart(9, '0')}${DELIVERED}`, delivery);
      return 'kept';
    },
  };
}

/** The end of a coordinator. */
export class ObjectExchange implements Inbox {
  readonly #objects: ObjectStore;
  readonly #run: string;
  readonly #published = new Set<string>();

  constructor(objects: ObjectStore, run: string) {
    this.#objects = objects;
    this.#run = run;
  }

  /** Puts content there that workers may ask for from now on. */
  async publish(content: FolderStore, hashes: Iterable<string>): Promise<void> {
    const lacking = [...new Set(hashes)].filter((sha256) => !this.#published.has(sha256));
    await sideBySide(lacking, AT_ONCE, async (sha256) => {
      await this.#objects.putFile(keyOf(sha256), content.pathOf(sha256), sha256);
      this.#published.add(sha256);
    });
  }

  async read(take: (bytes: Buffer) => number): Promise<void> {
    const keys = (await this.#objects.list(inboxOf(this.#run))).filter((key) => key.endsWith(DELIVERED));
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      const some = keys.slice(at, at + AT_ONCE);
      const bodies = await Promise.all(some.map((key) => this.#objects.get(key)));
      const done: string[] = [];
      for (const [place, key] of some.entries()) {
        const body = bodies[place];
        const status = body === undefined ? 503 : take(body);
        if (status === 503 || body === undefined) continue;
        if (status !== 200 && status !== 410) await this.#objects.put(`${key}.refused`, body);
        done.push(key);
      }
      await sideBySide(done, AT_ONCE, (key) => this.#objects.remove(key));
    }
  }

  /** Takes away what is there of the run alone: content may be another run's too. */
  async remove(): Promise<void> {
    await sideBySide(await this.#objects.list(`${this.#run}/`), AT_ONCE, (key) => this.#objects.remove(key));
  }
}

const missing = (where: string): RobustError =>
  new RobustError(`expected content in ${where}, found none`, {
    code: 'CONTENT_MISSING',
    hint: 'Give worker and coordinator the same --store.',
  });
