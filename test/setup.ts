/**
 * In CI properties are tried on the same values each time, so that nothing turns red that no change turned; elsewhere on new ones.
 * No test cuts the power: a flush to disk, which waits milliseconds for each file of a run, does nothing.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';

if (process.env.CI) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });

fs.fsyncSync = () => {};
fs.fdatasyncSync = () => {};
syncBuiltinESMExports();
