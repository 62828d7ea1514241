/**
 * In CI properties are tried on the same values each time, so that nothing turns red that no change turned; elsewhere on new ones.
 * No test cuts the power: a flush to disk, which waits milliseconds for each file of a run, does nothing.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { afterAll, expect } from 'vitest';

if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });
// Commands of tests are not in CI unless they say so: there a configuration that is found may not name code.
delete process.env.CI;

fs.fsyncSync = () => {};
fs.fdatasyncSync = () => {};
syncBuiltinESMExports();

// Processor time of each file, for the list that .ci/run ends with: by the clock a file also waits for the others.
const { TEST_TIMES } = process.env;
if (TEST_TIMES !== undefined) {
  const before = process.cpuUsage();
  afterAll(() => {
    const { user, system } = process.cpuUsage(before);
    fs.appendFileSync(TEST_TIMES, `${JSON.stringify([expect.getState().testPath, (user + system) / 1e6])}\n`);
  });
}
