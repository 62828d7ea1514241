/** @file Reading and writing robust.baseline.json, and the flags that say which. */
import { existsSync, readFileSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { RobustError, UsageError } from '../../core/errors.js';
import { writeWhole } from '../../files/write.js';
import { type Baseline, baselineText, parseBaseline } from '../../gate/index.js';
import { fraction } from './flags.js';

export const BASELINE = 'robust.baseline.json';

/** Rise of an attack success rate that is let pass. */
export const MAX_INCREASE = 0.03;

const JUDGING = { helpGroup: 'judging' };

export const baselineFlags = {
  baseline: Flags.string({ ...JUDGING, helpValue: 'file', description: 'the baseline to compare with' }),
  'max-increase': fraction('max-increase')({
    ...JUDGING,
    description: 'rise of an attack success rate, or fall of the accuracy, that is let pass [default: 0.03]',
  }),
  'baseline-model': Flags.string({
    ...JUDGING,
    helpValue: 'name',
    description: "the baseline's model, where it has another name than this one",
  }),
};

/** Throws UsageError where there is none, RobustError where it cannot be read or is damaged. */
export function readBaseline(path: string): Baseline {
  if (!existsSync(path)) {
    throw new UsageError(`expected a baseline at ${path}, got nothing`, {
      code: 'BASELINE_NOT_FOUND',
      hint: 'Save one from a run: robust baseline save.',
    });
  }
  return parseBaseline(textOf(path), path);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new RobustError(`expected a baseline at ${path}, which cannot be read: ${(cause as Error).message}`, {
      code: 'BASELINE_DAMAGED',
      hint: 'Name a file that can be read.',
      cause,
    });
  }
}

/** Writes over a baseline, and over nothing else. Throws UsageError, OutputError. */
export function writeBaseline(path: string, baseline: Baseline): void {
  if (existsSync(path)) parseBaseline(textOf(path), path);
  writeWhole(path, baselineText(baseline), 'the baseline');
}
