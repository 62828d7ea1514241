/** Nothing looks robust that was not measured: see no-evidence.ts. Of the rows that start a process, `npm test` runs a quarter, of the others half. */
import { describe, expect, test } from 'vitest';
import { covered } from '../cover.js';
import { folder } from './cli.js';
import { CONTROL, faultOf, needsProcess, rows } from './no-evidence.js';

const alone = rows.filter(needsProcess);
const here = rows.filter((row) => !needsProcess(row));

describe.concurrent('never green', () => {
  test.each([CONTROL, ...covered(alone, 0, 4), ...covered(here, 0, 2)])('$name', async (row) => {
    expect(await faultOf(row, folder(), { here: true })).toBeUndefined();
  });
});
