import type { Protocol } from '../protocol.js';
import type { ProtocolName } from '../settings.js';

/** The adapter of each protocol, loaded when an endpoint speaks it. */
export const protocols: Readonly<Record<ProtocolName, () => Promise<Protocol>>> = {
  'kserve-v2': async () => (await import('./kserve-v2.js')).kserveV2,
  'kserve-v1': async () => (await import('./kserve-v1.js')).kserveV1,
  tei: async () => (await import('./tei.js')).tei,
  vllm: async () => (await import('./vllm.js')).vllm,
  sglang: async () => (await import('./vllm.js')).sglang,
  tfserving: async () => (await import('./tfserving.js')).tfServing,
  'hf-inference': async () => (await import('./hf-inference.js')).hfInference,
  'openai-moderation': async () => (await import('./openai-moderation.js')).openaiModeration,
  'openai-chat': async () => (await import('./openai-chat.js')).openaiChat,
  http: async () => (await import('./http.js')).http,
};
