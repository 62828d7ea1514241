/** No test depends on how fast the machine is: what may be slow has a limit by test/calibration.ts, and what is awaited is an event. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** What is wrong, and how a line with it looks. A limit below a second is there to be passed. */
const RULES: readonly (readonly [wrong: string, line: RegExp])[] = [
  ['a limit of a second or more without lasting()', /\btimeout: (?:[1-9]|'[1-9]\d*m?[smh]')/],
  [
    "a test's own limit beside that of vitest.config.ts",
    /^\s*\}, \d[\d_]{3,}\);|^\s+\d+_000,$|\{ timeout: \d[\d_]{3,}/,
  ],
  ['patience of one second: until() has no limit of its own', /\bvi\.wait(?:For|Until)\(|\bexpect\.poll\(/],
  ['an upper bound by the clock instead of processor time', /\b(?:performance|Date)\.now\(\)[^;]*\.toBeLess/],
  ['a fixed wait', /\b(?:setTimeout\([^,]*, |(?:pause|sleep|delay)\()\d{3,4}\)/],
];

test('no test waits on wall time', () => {
  const offenders = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/^(?:slow|campaigns|lint)\b/.test(file))
    .flatMap((file) =>
      readFileSync(join('test', file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          RULES.filter(([, pattern]) => pattern.test(line)).map(([wrong]) => `test/${file}:${at + 1}: ${wrong}`),
        ),
    );
  expect(offenders).toEqual([]);
});
