/** Nothing looks robust that was not measured: see no-evidence.ts. */
import { describe, expect, test } from 'vitest';
import { folder } from './cli.js';
import { CONTROL, faultOf, rows } from './no-evidence.js';

describe.concurrent('never green', () => {
  test.each([CONTROL, ...rows])('$name', async (row) => {
    expect(await faultOf(row, folder(), { here: true })).toBeUndefined();
  });
});
