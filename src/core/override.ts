/** @file Environment variables that decide settings. Types only. */

/** A setting that an environment variable decided. */
export interface Override {
  /** Such as `ROBUST_THRESHOLD`. */
  readonly variable: string;
  /** Its value; secrets are redacted. */
  readonly value: string;
  /** Where the configuration sets it otherwise: `robust.config.yaml:3:1`. Null where it does not. */
  readonly instead: string | null;
}

/** How a result came about. */
export interface Overridden {
  /** Environment variables that decided settings. Absent where it is not known. */
  readonly overrides?: readonly Override[] | undefined;
}
