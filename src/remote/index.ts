/** @file What other rooms take from here. */

export { type Address, addressIn } from './address.js';
export { type AnswerSource, AnswerStore } from './answer-store.js';
export { isPassing } from './faults.js';
export { type OpenEndpoint, openEndpoint, type RemoteAccess } from './open.js';
export type { Clock } from './pace.js';
export { gridOf, largestDifference, PROBE_QUERIES, probe } from './probe.js';
export { askedWait } from './retry-after.js';
export type { Variables } from './secrets.js';
export { type RemoteSettings, remoteSettings } from './settings.js';
export type { Proxies } from './transport.js';
