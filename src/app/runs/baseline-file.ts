/** @file Reading and writing robust.baseline.json. */
import { existsSync } from 'node:fs';
import { messageOf, RobustError } from '../../core/errors.js';
import { LONGEST_TEXT, readFileSync } from '../../files/read.js';
import { writeNamed } from '../../files/write.js';
import { type Baseline, baselineText, parseBaseline } from '../../gate/index.js';

export const BASELINE = 'robust.baseline.json';

/** Rise of an attack success rate that is let pass. */
export const MAX_INCREASE = 0.03;

/** Throws RobustError if it does not exist, and if it cannot be read or is damaged. */
export function readBaseline(path: string): Baseline {
  if (!existsSync(path))
    throw new RobustError(`expected a baseline at ${path}, got nothing`, {
      code: 'BASELINE_NOT_FOUND',
      hint: 'Save one from a run: robust baseline save.',
    });
  return parseBaseline(textOf(path), path);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8', LONGEST_TEXT);
  } catch (cause) {
    throw new RobustError(`expected a baseline at ${path}, which cannot be read: ${messageOf(cause)}`, {
      code: 'BASELINE_DAMAGED',
      hint: 'Name a file that can be read.',
      cause,
    });
  }
}

/** Writes over a baseline, and over nothing else. Throws RobustError, OutputError. */
export function writeBaseline(path: string, baseline: Baseline): void {
  if (existsSync(path)) parseBaseline(textOf(path), path);
  writeNamed(path, baselineText(baseline), 'the baseline');
}
