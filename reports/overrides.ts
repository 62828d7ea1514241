/** @file The environment variables that decided settings, in words. For every format alike. */
import type { Overridden, Override } from '../src/core/override.js';

/** `ROBUST_SEED="7" (overrides robust.config.yaml:3:1)` */
export const overrideText = ({ variable, value, instead }: Override): string =>
  `${variable}=${JSON.stringify(value)}${instead === null ? '' : ` (overrides ${instead})`}`;

/** All in one line: what people read beside a verdict. Undefined without overrides. */
export const overrideLine = (overrides: readonly Override[] = []): string | undefined =>
  overrides.length === 0 ? undefined : `Set by environment variables: ${overrides.map(overrideText).join(', ')}`;

/** Overrides of a report, for formats of names and values; may be empty. */
export const overridesIn = ({
  provenance,
}: {
  readonly provenance?: Overridden | undefined;
}): { overrides?: string } =>
  provenance?.overrides?.length ? { overrides: provenance.overrides.map(overrideText).join(', ') } : {};
