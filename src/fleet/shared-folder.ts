/** @file A worker's way to a coordinator that sees the same folder: content lies there, deliveries are put there. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../files/write.js';
import type { Receipt } from './coordinator-link.js';
import type { WorkerStore } from './executor.js';
import { FolderStore } from './store.js';

/** The ending of a delivery that is whole. */
export const DELIVERED = '.delivery';

export function sharedFolder(store: string, run: string): WorkerStore {
  const content = new FolderStore(store);
  const inbox = join(store, run, 'inbox');
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
