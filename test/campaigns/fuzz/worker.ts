/** @file A process that reads one damaged file after the other and says how each reading ended. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { RobustError } from '../../../src/core/errors.js';
import { readers } from './readers.js';

export interface Task {
  readonly reader: string;
  readonly folder: string;
}

export interface Told {
  /** "right result", or the code of the error. */
  readonly ended: string;
  /** The stack of an error without a code. */
  readonly uncoded?: string;
  /** Most memory during it, MB. */
  readonly peak: number;
}

/** Linux forgets the most memory a process had when asked to. */
const CLEAR = '/proc/self/clear_refs';
const linux = existsSync(CLEAR);

process.on('message', async ({ reader, folder }: Task) => {
  if (linux) writeFileSync(CLEAR, '5');
  const told = await (readers[reader] as (folder: string) => Promise<void>)(folder).then(
    () => ({ ended: 'right result' }),
    (error: unknown) =>
      error instanceof RobustError
        ? { ended: error.code }
        : { ended: 'an error without a code', uncoded: error instanceof Error ? String(error.stack) : String(error) },
  );
  const peak = linux ? Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024 : 0;
  process.send?.({ ...told, peak } satisfies Told);
});

// A reading that goes on would keep this process when the campaign is gone.
process.on('disconnect', () => process.exit());

// All that is imported is there: from now on the clock may run.
process.send?.('ready');
