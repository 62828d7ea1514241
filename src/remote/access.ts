/** @file How endpoints are reached: types only. */
import type { Proxies } from '../http/proxies.js';
import type { Clock } from './pace.js';
import type { Variables } from './secrets.js';

export type { Clock, Proxies, Variables };

/** How endpoints are reached; the environment is not read. */
export interface RemoteAccess {
  /** The values of `${NAME}` in addresses and headers, and of what programs get: PATH, HOME and the like. @default none has one */
  readonly variables?: Variables | undefined;
  readonly proxies?: Proxies | undefined;
  /** Seconds for one answer, where the endpoint's description does not say. @default 60; 0 = any time */
  readonly timeout?: number | undefined;
  /** Milliseconds before the first retry at most; doubles with each. @default 500 */
  readonly pause?: number | undefined;
  /** Requests that may be sent. @default any number */
  readonly maxRequests?: number | undefined;
  readonly clock?: Clock | undefined;
}
