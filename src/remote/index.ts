/** @file The exports for other rooms. */

export type { RemoteAccess } from './access.js';
export { type Address, addressIn } from './address.js';
export { type AnswerSource, AnswerStore } from './answer-store.js';
export { isCommand, programSettings } from './command.js';
export { isPassing } from './faults.js';
export { type OpenEndpoint, openEndpoint } from './open.js';
export { gridOf, largestDifference, PROBE_QUERIES, probe } from './probe.js';
export { replicasOf } from './program.js';
export { requestedWait } from './retry-after.js';
export { checkListed } from './secrets.js';
export { isPrompted, type RemoteSettings, remoteSettings } from './settings.js';
