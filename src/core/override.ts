/** @file Environment variables that override settings. */
import { z } from 'zod';
import { type Declared, nonEmpty } from './declared.js';

const override = z.object({
  variable: nonEmpty.describe('Such as `ROBUST_THRESHOLD`.'),
  value: z.string().describe('Secrets are redacted.'),
  instead: z
    .string()
    .nullable()
    .describe('Where the configuration sets it otherwise: `robust.config.yaml:3:1`. Null where it does not.'),
});

/** A setting that came from an environment variable. */
export interface Override extends Declared<typeof override> {}

export const overridesSchema = z.array(override).meta({
  id: 'overrides',
  description: 'Environment variables that decided settings, of the run and of the gate that judged it.',
});

/** Where settings came from. */
export interface Overridden {
  /** Environment variables that set options. Absent if unknown. */
  readonly overrides?: readonly Override[] | undefined;
}
