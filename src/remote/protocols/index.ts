import type { Protocol } from '../protocol.js';
import type { ProtocolName } from '../settings.js';

/** The adapter of each protocol, loaded when an endpoint speaks it. */
export const protocols: Readonly<Partial<Record<ProtocolName, () => Promise<Protocol>>>> = {
  'kserve-v2': async () => (await import('./kserve-v2.js')).kserveV2,
};
