/**
 * @file What coordinator and workers say to each other through Redis. All of it is checked when it is read: a process that can write to Redis must
 * not be able to make a worker run code, open a file or learn a text. So jobs hold ranges and hashes; the content of a hash must have that hash.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Example } from '../core/dataset.js';
import { RobustError } from '../core/errors.js';
import { textsShape } from '../core/example-texts.js';
import { parseJson } from '../core/json.js';
import { faultText, readBy } from '../core/read-by.js';

/** Version of these messages and of the work behind them; the queue's name has it. */
export const PROTOCOL = 3;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex');
const runId = z.string().regex(/^[\w-]{1,80}$/, 'expected the id of a run');
const index = z.int().min(0);
const label = z.string().min(1).max(500);

/**
 * Consecutive examples of a run: to be answered (`clean`), or to be searched by some attacks. `learn`: what one attack must know before its first
 * example; its range is empty.
 */
const shardSchema = z.strictObject({
  kind: z.enum(['clean', 'learn', 'search']),
  from: index,
  to: index,
  attacks: z.array(label).max(1000),
});
export type FleetShard = z.infer<typeof shardSchema>;

/** A shard on the queue. */
export const jobSchema = z.strictObject({
  /** The run's id, for people. */
  run: runId,
  /** The hash of its fingerprint: whoever starts the same run takes over what is there of it. */
  key: sha256,
  /** The plan says all else. */
  plan: sha256,
  shard: shardSchema,
  /** Its examples, with the victim's answers to them. */
  input: sha256,
  /** What all searches must know of the whole. */
  common: sha256.optional(),
});
export type FleetJob = z.infer<typeof jobSchema>;

const relativeName = z
  .string()
  .min(1)
  .max(500)
  .refine(
    (name) =>
      !name.startsWith('/') &&
      !/[\\:\0]/.test(name) &&
      name.split('/').every((part) => !['', '.', '..'].includes(part)),
    'expected the name of a file within a folder',
  );

/** A model by the name under which every installation has it, or its files by their hashes. */
const modelReference = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('name'),
    name: z.string().regex(/^[\w.-]+$|^hf:[\w./@-]+$/, 'expected a bundled model or one of the Hub'),
  }),
  z.strictObject({
    kind: z.literal('files'),
    /** The one to be named, below the folder; the folder itself where null. */
    entry: relativeName.regex(/\.(onnx|bin|ftz)$/, 'expected a model file').nullable(),
    files: z
      .array(z.strictObject({ name: relativeName, sha256, bytes: index }))
      .min(1)
      .max(10_000),
  }),
]);
export type ModelReference = z.infer<typeof modelReference>;

/** Everything that determines a worker's results. Each job has its hash. */
export const planSchema = z.strictObject({
  /** As the run's record keeps them, without those that name files. */
  settings: z.record(z.string(), z.unknown()),
  model: modelReference,
  /** Masked language models, and what attacks call them. */
  guessers: z.array(z.strictObject({ name: z.string().min(1).max(1000), model: modelReference })).max(100),
  dataset: z.strictObject({
    name: z.string(),
    labels: z.array(z.string()),
    source: z.strictObject({ url: z.string(), license: z.string(), sha256: z.string() }),
    pairs: z.literal(true).optional(),
    tagged: z.literal(true).optional(),
  }),
  /** The meaning of the scores, if it was found from the data. */
  decision: z.unknown().optional(),
  /** The labels of the attacks. */
  attacks: z.array(label).min(1),
  leftOut: z.array(z.strictObject({ name: z.string(), suite: z.string().nullable(), reason: z.string() })),
  /** First texts of the data set, by which a worker sees what kind of victim it has. */
  texts: sha256,
  /** The fingerprint that a worker's plan must have. */
  fingerprint: z.record(z.string(), z.unknown()),
});
export type PlanDocument = z.infer<typeof planSchema>;

const exampleSchema = z.strictObject({
  ...textsShape,
  id: z.string(),
  label: z.int(),
  labels: z.array(z.int()).optional(),
  value: z.number().optional(),
});

/** An example of a shard: its place in the run and, for searches, the victim's answer to it. */
const inputSchema = z.strictObject({
  index,
  example: exampleSchema,
  /** As `writeRows` has it. */
  before: z.base64().optional(),
});
export interface ShardInput extends Omit<z.infer<typeof inputSchema>, 'example'> {
  readonly example: Example;
}

/** Shared by all searches of a run: see CommonTexts; and the tapes of the attacks that learn. */
export const commonSchema = z.strictObject({
  sample: z.array(exampleSchema),
  texts: z.array(z.string()),
  tapes: z.record(z.string(), sha256),
});

/** The machine of a delivery. Different instruction sets may differ in the last bit. */
const machineSchema = z.strictObject({
  host: z.string().max(300),
  pid: index,
  processor: z.string().max(300),
  /** The instruction sets by which numerical libraries choose their code. */
  instructions: z.array(z.string().max(40)).max(40),
  platform: z.string().max(100),
  onnxruntime: z.string().max(100),
  toolVersion: z.string().max(100),
});
export type Machine = z.infer<typeof machineSchema>;

export const machineName = ({ host, pid }: Machine): string => `process ${pid} on ${host}`;

/** What a worker found since its last delivery of the shard. */
const deliverySchema = z.strictObject({
  machine: machineSchema,
  seconds: z.number().min(0),
  /** Lines, or rows as `writeRows` has them. */
  found: z.string(),
});
export type Delivery = z.infer<typeof deliverySchema>;
/** Bytes of the finds of a moment. */
const MOST_DELIVERED = 1 << 28;

/** Throws RobustError naming what is wrong. */
export function validate<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = readBy(schema, value);
  if (read.success) return read.data;
  throw new RobustError(`${what}: ${faultText(read.faults[0])}`, {
    code: 'QUEUE_DAMAGED',
    hint: 'It was not written by this version of robust: see robust queue status.',
  });
}

export function parseMessage<T>(schema: z.ZodType<T>, text: string | Buffer, what: string): T {
  let value: unknown;
  try {
    value = parseJson(text.toString());
  } catch (cause) {
    throw new RobustError(`${what}: expected JSON, got something else`, { code: 'QUEUE_DAMAGED', cause });
  }
  return validate(schema, value, what);
}

export const writeInputs = (inputs: readonly ShardInput[]): string =>
  inputs.map((input) => `${JSON.stringify(input)}\n`).join('');

/** Throws RobustError for what is no example. */
export const readInputs = (content: Buffer | string): ShardInput[] =>
  content
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseMessage(inputSchema, line, 'an example') as ShardInput);

export const packDelivery = (delivery: Delivery): string =>
  gzipSync(JSON.stringify(delivery), { level: 1 }).toString('base64');

/** Throws RobustError for another text. */
export function unpackDelivery(packed: string): Delivery {
  let text: Buffer;
  try {
    text = gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_DELIVERED });
  } catch (cause) {
    throw new RobustError('a delivery: expected compressed text', { code: 'QUEUE_DAMAGED', cause });
  }
  return parseMessage(deliverySchema, text, 'a delivery');
}

/** Rows one after the other, float32, little-endian. */
export const writeRows = (rows: readonly Float32Array[]): string =>
  Buffer.concat(rows.map((row) => Buffer.from(row.buffer, row.byteOffset, row.byteLength))).toString('base64');

export function readRows(text: string, labels: number): Float32Array[] {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  const values = new Float32Array(bytes.buffer, 0, bytes.length >> 2);
  return Array.from({ length: values.length / labels }, (_, at) => values.slice(at * labels, (at + 1) * labels));
}
