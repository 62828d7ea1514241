/** The documents' figures of held-out models are those that `scan` prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { calibrationOf } from '../../src/backdoor/scan/calibration.js';
import { packageRoot } from '../../src/core/package-root.js';

test('the figures in docs/research/backdoor-scan.md are those of the data file', () => {
  const docs = readFileSync(join(packageRoot, 'docs', 'research', 'backdoor-scan.md'), 'utf8');
  const kind = { architecture: 'bert', whiteBox: true, width: 64, labels: 2 };
  const { falseAlarms, detected } = calibrationOf(1, kind).calibration ?? {};
  const alarms = Math.round((falseAlarms?.value ?? Number.NaN) * (falseAlarms?.n ?? 0));
  expect(docs).toContain(`${falseAlarms?.n} clean models, of which ${alarms} are called backdoored`);
  expect(docs).toContain(`${Math.round((detected?.value ?? Number.NaN) * (detected?.n ?? 0))}/${detected?.n} (`);
});
