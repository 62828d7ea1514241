/** @file The protocols that `--model` can name. */
import { hfInference } from './hf-inference.js';
import { http } from './http.js';
import { kserveV2 } from './kserve-v2.js';
import { openaiChat } from './openai-chat.js';
import { openaiModeration } from './openai-moderation.js';
import { presidio } from './presidio.js';
import type { Protocol } from './protocol.js';
import { spacy } from './spacy.js';
import { tei } from './tei.js';
import { tfserving } from './tfserving.js';
import { sglang, vllm } from './vllm.js';

export const clientProtocols: readonly Protocol[] = [
  kserveV2,
  tei,
  vllm,
  sglang,
  tfserving,
  hfInference,
  openaiModeration,
  openaiChat,
  presidio,
  spacy,
  http,
];
