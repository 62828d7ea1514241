/** One request, for a log: nothing that it said. */
export interface RequestEntry {
  /** When it came, ISO 8601. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly protocol: string | undefined;
  readonly status: number;
  readonly texts: number;
  readonly bytes: number;
  /** From its first byte to the reply's last, rounded to milliseconds. */
  readonly seconds: number;
}
