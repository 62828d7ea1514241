/** @file Where a run that other machines compute is queued, and where its large files lie. */
export interface FleetChoice {
  /** redis://host:port of the queue. */
  readonly queue: string;
  readonly store?: string | undefined;
}
