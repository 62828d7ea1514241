/** @file Shared state of the watchdog and its thread. */
export interface WatchdogData {
  readonly state: Int32Array;
  /** Without a heartbeat, while a call is under way. */
  readonly seconds: number;
}

/** Event that the process then emits, whatever the main thread does. */
export const SILENCE_EVENT = 'silent';

/** Places in `state`. */
export const BEATS_INDEX = 0;
export const CALLS_INDEX = 1;
