/** The campaign of mutants changes sources that exist, and a trial that changed nothing is a fault. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/core/package-root.js';
import { judged, SOURCES, testFile } from './mutants/index.js';

test('its sources and tests exist', () => {
  const named = Object.entries(SOURCES).flatMap(([source, tests]) => [source, ...tests.map(testFile)]);
  expect(named.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
});

test('too few killed, or nothing to kill, is a fault', () => {
  const trial = (killed: number, survived: number) =>
    judged('a.ts', [...Array(killed).fill('Killed'), ...Array(survived).fill('Survived')]);
  expect(trial(17, 3).fault).toBeUndefined();
  expect(trial(16, 4).fault).toContain('got 80.0 %');
  expect(trial(0, 0).fault).toContain('got no mutants');
});
