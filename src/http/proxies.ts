/** How the network is reached; the environment is not read. */
export interface Proxies {
  /** The proxy for `http:` addresses. */
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts that are reached without, separated by commas. */
  readonly none?: string | undefined;
}
