/** @file Figures with their uncertainty. Types only. */

/** A fraction with its Wilson 95 % interval; `value`, `low` and `high` are null where n is 0. */
export interface Rate {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

/** A difference of two rates with its 95 % interval, fractions of 1; null where n is 0. */
export interface Difference {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

/** A figure that is no fraction, with its 95 % interval and what it was measured on. */
export interface CountedEstimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
}
