/** @file A folder that coordinator and workers see: content lies there, deliveries are put there. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, writeWhole } from '../files/write.js';
import type { Receipt } from './coordinator-link.js';
import type { WorkerStore } from './executor.js';
import type { Inbox } from './intake.js';
import { FolderStore } from './store.js';

/** The ending of a delivery that is whole. */
export const DELIVERED = '.delivery';

const inboxOf = (store: string, run: string): string => join(store, run, 'inbox');

/** The end of a worker. */
export function sharedFolder(store: string, run: string): WorkerStore {
  const content = new FolderStore(store);
  const inbox = inboxOf(store, run);
  let number = 0;
  const me = `${process.pid}-${randomBytes(4).toString('hex')}`;
  return {
    bytes: (sha256) => content.bytes(sha256),
    file: (sha256) => content.file(sha256),
    async deliver(delivery): Promise<Receipt> {
      // The coordinator takes the folder away with the run.
      if (!existsSync(inbox)) return 'over';
      const name = `${me}.${String(number++).padStart(9, '0')}${DELIVERED}`;
      writeWhole(join(inbox, name), delivery, 'what came of a part');
      return 'kept';
    },
  };
}

/** The end of a coordinator. Throws OutputError. */
export function folderInbox(store: string, run: string): Inbox {
  const inbox = inboxOf(store, run);
  makeFolder(inbox, 'the folder for deliveries');
  return {
    async read(take) {
      if (!existsSync(inbox)) return;
      for (const name of readdirSync(inbox)
        .filter((each) => each.endsWith(DELIVERED))
        .sort()) {
        const path = join(inbox, name);
        const status = take(readFileSync(path));
        if (status === 200 || status === 410) rmSync(path, { force: true });
        else if (status !== 503) renameSync(path, `${path}.refused`);
      }
    },
  };
}
