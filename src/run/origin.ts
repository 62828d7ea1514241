/** @file How a run came about, as its record keeps it. */
import { z } from 'zod';
import type { Declared } from '../core/declared.js';
import { overridesSchema } from '../core/override.js';

export const originSchema = z.object({
  config: z.string().nullable(),
  origins: z.record(z.string(), z.string()),
  overrides: overridesSchema.exactOptional(),
  versions: z.record(z.string(), z.string()),
});

/** How a plan came about. Does not affect results. Runs of earlier versions lack the overrides. */
export interface RunOrigin extends Declared<typeof originSchema> {}

export const namedSchema = z.object({
  files: z.record(z.string(), z.object({ path: z.string(), sha256: z.string() })),
  seal: z.string(),
});

/** The files of code that the settings of a run name, and the signature of its record (HMAC-SHA256, hex). */
export interface NamedFiles extends Declared<typeof namedSchema> {}
