/** @file The settings of an endpoint: the keys of an endpoint.yaml, at the top or under `remote`. */
import { z } from 'zod';
import { milliseconds, perSecond } from './units.js';

const PROTOCOLS = [
  'kserve-v2',
  'kserve-v1',
  'tei',
  'vllm',
  'sglang',
  'tfserving',
  'hf-inference',
  'openai-moderation',
  'openai-chat',
  'http',
] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

const text = z.string().min(1);
/** A path of a JSON document (RFC 6901) in which `*` stands for each element of a list, in its order. */
const pointer = z
  .string()
  .regex(/^(\/[^/]*)*$/, 'expected a JSON Pointer, such as /outputs/*/scores, in which * stands for each element');

const selector = z
  .strictObject({
    /** Each text's scores, in the order of the labels: "/outputs/x/probs" is a list of lists, one a text. */
    rows: pointer.optional(),
    /** Each text's list of { label, score }, in any order. */
    labelled: pointer.optional(),
    /** Each text's object of scores by label. */
    map: pointer.optional(),
    /** Each text's label alone, by name or by place. */
    label: pointer.optional(),
    /** Names of the keys of `labelled`. */
    labelKey: text.default('label'),
    scoreKey: text.default('score'),
  })
  .refine(
    (each) => [each.rows, each.labelled, each.map, each.label].filter((one) => one !== undefined).length === 1,
    'expected one of rows, labelled, map, label',
  );

export const remoteSettings = z.strictObject({
  protocol: z.enum(PROTOCOLS),
  /** `${NAME}` stands for a variable of the environment. */
  url: text,
  /** What the endpoint calls the model, where its address does not say. */
  model: text.optional(),
  /** Secrets stand in the environment: "Bearer ${TOKEN}". */
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), z.string()).optional(),
  /** Most texts a request. @default what the protocol is used to, at most what the endpoint says */
  batch: z.int().min(1).max(4096).optional(),
  /** Most requests at once. */
  concurrency: z.int().min(1).max(1024).default(8),
  /** Most requests in a time: "50/s", "300/min". */
  rate: z
    .string()
    .refine((written) => perSecond(written) !== undefined, 'expected a rate such as "50/s" or "300/min"')
    .optional(),
  /** For one answer: "30s", or seconds. */
  timeout: z
    .union([
      z.number().positive(),
      z.string().refine((written) => (milliseconds(written) ?? 0) > 0, 'expected a time such as "30s" or "2m"'),
    ])
    .optional(),
  /** How often a request is sent again while nothing else is answered either. */
  retries: z.int().min(0).max(100).default(6),
  /** What the answers are, where they do not tell: for `labels` each answer is a label alone. */
  scores: z.enum(['probabilities', 'logits', 'labels']).optional(),
  /** kserve-v2: tensors as bytes behind the JSON. */
  binary: z.boolean().optional(),
  /** kserve-v2: ask by Triton's classification extension, which tells the labels. */
  classification: z.boolean().optional(),
  /** tfserving: ask by columns, where the server takes no rows. */
  columns: z.boolean().optional(),
  /** Cut texts that are too long, where the protocol lets the client say so. */
  truncate: z.boolean().optional(),
  /** openai-chat: what the model is told; `{{labels}}` stands for the list of labels. A file, or the text itself. */
  prompt: text.optional(),
  /** openai-chat: whether to read the probabilities of letters, or the answer alone. @default letters where the endpoint gives them */
  answers: z.enum(['letters', 'schema']).optional(),
  /** http: what is sent, in which "{{texts}}" or "{{text}}" (and "{{text2}}") stand for the texts. */
  body: z.unknown().optional(),
  method: z.enum(['POST', 'PUT']).optional(),
  /** http: where the scores stand in the answer. */
  answer: selector.optional(),
  /** http: what names this version of the model, asked for once: its whole answer is part of what the endpoint is. */
  version: text.optional(),
});

export type RemoteSettings = z.infer<typeof remoteSettings>;
