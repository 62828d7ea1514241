/** Nothing looks robust without evidence, whatever the command; honest inputs do. See no-evidence-matrix.ts. */
import { describe, expect, test } from 'vitest';
import { WHOLE } from '../cover.js';
import { folder } from './cli.js';
import { faultOf, rows } from './no-evidence.js';
import { controls, matrix } from './no-evidence-matrix.js';

describe.concurrent('never green', () => {
  test.each(matrix.filter(({ daily }) => daily || WHOLE))('$name', async (row) => {
    expect(await faultOf(row, folder(), { here: true })).toBeUndefined();
  });
});

describe.concurrent('green', () => {
  test.each(controls)('$name', async (row) => {
    expect(await faultOf(row, folder(), { here: true })).toBeUndefined();
  });
});

test('the campaign has at least 150 cases, each once', () => {
  const names = [...rows, ...matrix].map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(150);
  expect(new Set(names).size).toBe(names.length);
});
