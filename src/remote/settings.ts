/** @file The settings of an endpoint: the keys of an endpoint.yaml, at the top or under `remote`. */
import { z } from 'zod';
import { clientProtocols } from '../protocols/index.js';
import type { ProgramSettings } from './command.js';
import { milliseconds, perSecond } from './units.js';

const text = z.string().min(1);

/** Settings that only one protocol reads; its own file declares their types. */
const own: Readonly<Record<never, z.ZodType>> = Object.assign(
  {},
  ...clientProtocols.map(({ settings }) => settings ?? {}),
);

export const remoteSettings = z.strictObject({
  protocol: z.enum(clientProtocols.map(({ name }) => name)),
  /** `${NAME}` is replaced by an environment variable. */
  url: text,
  /** The endpoint's name for the model, if its address does not contain it. */
  model: text.optional(),
  /** Secrets come from environment variables: "Bearer ${TOKEN}". */
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), z.string()).optional(),
  /** Most texts a request. @default the protocol's usual batch, at most what the endpoint says */
  batch: z.int().min(1).max(4096).optional(),
  /** Most requests at once. */
  concurrency: z.int().min(1).max(1024).default(8),
  /** Maximum request rate: "50/s", "300/min". */
  rate: z
    .string()
    .refine((rate) => perSecond(rate) !== undefined, 'expected a rate such as "50/s" or "300/min"')
    .optional(),
  /** For one answer: "30s", or seconds. */
  timeout: z
    .union([
      z.number().positive(),
      z.string().refine((time) => (milliseconds(time) ?? 0) > 0, 'expected a time such as "30s" or "2m"'),
    ])
    .optional(),
  /** How often a request is repeated while no other request is answered either. */
  retries: z.int().min(0).max(100).default(6),
  /** The meaning of the answers, if they do not state it; `labels`: each answer is a label alone. */
  scores: z.enum(['probabilities', 'logits', 'labels']).optional(),
  /** Instructions for a chat model; `{{labels}}` is replaced by the list of labels. A file, or the text itself. */
  prompt: text.optional(),
  ...own,
});

export type RemoteSettings = z.infer<typeof remoteSettings> & {
  /** It is a program, which only the user can name: no file of settings has this key. */
  readonly program?: ProgramSettings;
};

/** Does the endpoint answer a question of ours with one of the labels that it is given? */
export const isPrompted = ({ protocol }: RemoteSettings): boolean =>
  clientProtocols.some(({ name, prompted }) => name === protocol && prompted);
