/** @file What the watchdog and its thread share. */
export interface WatchdogData {
  readonly state: Int32Array;
  /** Without a heartbeat, while a call is under way. */
  readonly seconds: number;
}

/** What the process then emits, in the middle of whatever the main thread does. */
export const SILENCE_EVENT = 'silent';

/** Places in `state`. */
export const BEATS_INDEX = 0;
export const CALLS_INDEX = 1;
