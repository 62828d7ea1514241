/** @file Where a run that other machines compute is queued, offered and stored. */
export interface FleetChoice {
  /** redis://host:port of the queue. */
  readonly queue: string;
  readonly listen?: string | undefined;
  readonly store?: string | undefined;
}
