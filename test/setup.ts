/**
 * In CI properties are tried on the same values each time, so that nothing turns red that no change turned; elsewhere on new ones.
 * No test cuts the power: a flush to disk, which waits milliseconds for each file of a run, does nothing.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';
import { tries } from './cover.js';

fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: tries(100), ...(process.env.CI && { seed: 1 }) });
// Commands of tests are not in CI unless they say so: there a configuration that is found may not name code.
delete process.env.CI;

fs.fsyncSync = () => {};
fs.fdatasyncSync = () => {};
syncBuiltinESMExports();

// Processor time of each file, for the list that .ci/run ends with: by the clock a file also waits for the others.
const { TEST_TIMES } = process.env;
if (TEST_TIMES !== undefined) {
  const before = computed();
  afterAll(() => {
    fs.appendFileSync(TEST_TIMES, `${JSON.stringify([expect.getState().testPath, computed() - before])}\n`);
  });
}

/** Seconds of processor time of this process and, on Linux, of its children that have ended. */
function computed(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (!fs.existsSync('/proc/self/stat')) return own;
  const stat = fs.readFileSync('/proc/self/stat', 'utf8');
  // After the name in brackets: state is the first of them; the children's times are in hundredths.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return own + ((fields[13] as number) + (fields[14] as number)) / 100;
}
