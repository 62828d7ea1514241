/** @file The protocols, in the order in which they answer where two have one route: GET answers are merged, of others the first one's is taken. */
import type { ServedProtocol } from '../protocol.js';
import { hfInference } from './hf-inference.js';
import { json } from './json.js';
import { kserveV1 } from './kserve-v1.js';
import { kserveV2 } from './kserve-v2.js';
import { openaiChat } from './openai-chat.js';
import { openaiModeration } from './openai-moderation.js';
import { tei } from './tei.js';
import { tfserving } from './tfserving.js';
import { vllm } from './vllm.js';

export const servedProtocols: readonly ServedProtocol[] = [
  kserveV2,
  tei,
  vllm,
  tfserving,
  kserveV1,
  hfInference,
  openaiModeration,
  openaiChat,
  json,
];
