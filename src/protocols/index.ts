/** @file The protocols. If two share a GET route, the server merges both answers; on a POST route the first protocol answers. */
import { hfInference } from './hf-inference.js';
import { http } from './http.js';
import { kserveV1 } from './kserve-v1.js';
import { kserveV2 } from './kserve-v2.js';
import { openaiChat } from './openai-chat.js';
import { openaiModeration } from './openai-moderation.js';
import { json } from './plain-json.js';
import { presidio } from './presidio.js';
import type { Protocol } from './protocol.js';
import { spacy } from './spacy.js';
import { tei } from './tei.js';
import { tfserving } from './tfserving.js';
import { sglang, vllm } from './vllm.js';

const protocols: readonly Protocol[] = [
  kserveV2,
  tei,
  vllm,
  sglang,
  tfserving,
  kserveV1,
  hfInference,
  openaiModeration,
  openaiChat,
  presidio,
  spacy,
  http,
  json,
];

/** Protocols that `--model` can name. */
export const clientProtocols = protocols.flatMap(({ name, client }) => (client ? [{ name, ...client }] : []));

/** Protocols that `robust serve` answers. */
export const servedProtocols = protocols.flatMap((each) => (each.server ? [{ ...each, server: each.server }] : []));
