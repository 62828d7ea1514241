/** The process of a model ends by the signals that the quick test leaves out. */
import { describe, test } from 'vitest';
import { crashAndGoOn } from '../commands/crash.js';
import { canSeeProcesses } from '../model/processes.js';

describe.skipIf(!canSeeProcesses)('--runtime isolate=true (needs /proc)', () => {
  test.each(['SIGABRT', 'SIGKILL'] as const)('%s during an attack, and going on afterwards', crashAndGoOn);
});
