/**
 * A server behind all protocols that fails like networks and services, by a seed, and logs its requests. Faults affect single requests and
 * pass; traits belong to the service and stay.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Random, random } from '../../src/core/random.js';
import type { LoadedModel } from '../../src/model/load.js';
import { Answers, type ServedReply } from '../../src/serve/answers.js';
import { kserveV2 } from '../../src/serve/kserve-v2.js';
import { plainJson } from '../../src/serve/plain-json.js';
import { lasting } from '../calibration.js';
import { DIALECTS, type DialectModel, routesOf } from './dialects.js';

/** Faults of a request. */
export const FAULTS = [
  'overloaded',
  'overloaded, with Retry-After',
  'unavailable',
  'cut',
  'silence',
  'half a JSON',
  'NaN',
  'too few rows',
] as const;
type Fault = (typeof FAULTS)[number];

/** Traits of a service. */
interface Traits {
  /** Labels beside scores, and keys of objects, come in another order each time. */
  readonly shuffled?: boolean;
  /** Milliseconds before each answer. */
  readonly latency?: number;
}

export interface FixtureOptions extends Traits {
  readonly model: DialectModel;
  readonly maxBatch?: number;
  /** Share of the requests that fail. @default 0 */
  readonly share?: number;
  /** In turn, the first ones too: each kind occurs. @default all */
  readonly faults?: readonly Fault[];
  readonly seed?: number;
  /** Milliseconds that Retry-After asks for, in whole seconds, and `retry-after-ms` to the millisecond. @default 200, by retry-after-ms */
  readonly retryAfter?: number;
}

/** One request. Times are milliseconds of performance.now(). */
export interface Logged {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly came: number;
  /** When the last byte of the reply was written, or the connection cut; Infinity while it was not. */
  left: number;
  fault: Fault | undefined;
  /** It asked to be left alone until then. */
  until: number;
  /** Texts that the model was asked for it. */
  texts: readonly string[];
  /** The whole reply was written, and was no fault. */
  answered: boolean;
}

export interface Fixture {
  readonly url: string;
  readonly log: readonly Logged[];
  /** Requests for scores. */
  readonly asked: readonly Logged[];
  /** Changed between runs of one server. */
  options: FixtureOptions;
  close(): Promise<void>;
}

/** A model as it is served. */
export const servedModel = (model: LoadedModel): DialectModel => ({
  name: model.name,
  sha256: model.sha256,
  labels: model.labels,
  scores: (texts) => model.classify(texts),
  logits: async (texts) =>
    model.logits ? model.logits(texts) : (await model.classify(texts)).map((row) => row.map(Math.log)),
});

export async function fixture(first: FixtureOptions): Promise<Fixture> {
  const log: Logged[] = [];
  const entries = new AsyncLocalStorage<Logged>();
  const chance = random(first.seed ?? 42, 'faults');
  const turns = { fault: 0 };
  let options = first;
  const asking = (kind: 'scores' | 'logits') => async (texts: readonly string[]) => {
    const entry = entries.getStore();
    if (entry) entry.texts = [...entry.texts, ...texts];
    return options.model[kind](texts);
  };
  const model: DialectModel = { ...first.model, scores: asking('scores'), logits: asking('logits') };
  const answers = new Answers({
    model,
    routes: [
      ...kserveV2(model, '0.0.0'),
      ...plainJson(model),
      ...Object.keys(DIALECTS).flatMap((name) => routesOf(name, model)),
    ],
    maxBatch: first.maxBatch ?? 64,
    maxQueue: 1e6,
    timeout: lasting(60),
  });
  const server = createServer(async (request, response) => {
    const entry = begun(request, log);
    const bytes = await whole(request);
    if (bytes === undefined) return;
    entry.fault = drawn(options, chance, turns);
    if (options.latency) await new Promise((resolve) => setTimeout(resolve, options.latency));
    const { method, path: url, headers } = entry;
    const reply = () => entries.run(entry, () => answers.reply({ method, url, headers, bytes }));
    await carriedOut(entry, reply, response, options, chance);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    get asked() {
      return log.filter(({ method }) => method === 'POST');
    },
    get options() {
      return options;
    },
    set options(next) {
      options = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function begun({ method = '', url: path = '', headers }: IncomingMessage, log: Logged[]): Logged {
  const [left, until] = [Number.POSITIVE_INFINITY, 0];
  const times = { came: performance.now(), left, until };
  const entry: Logged = { method, path, headers, ...times, fault: undefined, texts: [], answered: false };
  log.push(entry);
  return entry;
}

async function whole(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** Kinds in turn: each occurs as often as the others. */
function drawn(
  { share = 0, faults = FAULTS }: FixtureOptions,
  chance: Random,
  turns: { fault: number },
): Fault | undefined {
  if (share === 0 || chance.unit() >= share) return undefined;
  return faults[turns.fault++ % faults.length];
}

async function carriedOut(
  entry: Logged,
  answer: () => Promise<ServedReply>,
  response: ServerResponse,
  { retryAfter = 200, shuffled = false }: FixtureOptions,
  chance: Random,
): Promise<void> {
  const send = (status: number, headers: object, bytes: Buffer): void => {
    response.writeHead(status, { ...headers, 'content-length': bytes.length });
    response.end(bytes, () => {
      entry.left = performance.now();
      entry.answered = status === 200 && entry.fault === undefined;
    });
  };
  const failed = (status: number, headers: object): void => {
    send(status, { 'content-type': 'application/json', ...headers }, Buffer.from('{"error":"try again"}'));
  };
  const socket = response.socket as Socket;
  switch (entry.fault) {
    case 'overloaded':
      return failed(429, {});
    case 'overloaded, with Retry-After':
      entry.until = performance.now() + retryAfter;
      return failed(
        429,
        retryAfter % 1000 === 0 ? { 'retry-after': retryAfter / 1000 } : { 'retry-after-ms': retryAfter },
      );
    case 'unavailable':
      return failed(503, {});
    case 'silence':
      // The client gives up.
      socket.once('close', () => {
        entry.left = performance.now();
      });
      return;
  }
  const { status, headers, bytes } = await answer();
  switch (entry.fault) {
    case 'cut':
      response.writeHead(status, { ...headers, 'content-length': bytes.length });
      response.write(bytes.subarray(0, bytes.length / 2), () => {
        entry.left = performance.now();
        socket.destroy();
      });
      return;
    case 'half a JSON':
      return send(status, headers, bytes.subarray(0, bytes.length / 2));
    case 'NaN':
      return send(
        status,
        headers,
        Buffer.from(bytes.toString('latin1').replace(/-?\d+\.\d+(e-?\d+)?/, 'NaN'), 'latin1'),
      );
    case 'too few rows':
      return send(status, headers, changed(bytes, headers, fewer));
  }
  send(status, headers, shuffled ? changed(bytes, headers, (json) => shuffle(json, chance)) : bytes);
}

const changed = (bytes: Buffer, headers: ServedReply['headers'], change: (json: unknown) => unknown): Buffer =>
  headers['content-type'] === 'application/json'
    ? Buffer.from(JSON.stringify(change(JSON.parse(bytes.toString('utf8')))))
    : bytes;

/** The last row left out, wherever the rows are. */
function fewer(json: unknown): unknown {
  if (Array.isArray(json)) return json.slice(0, -1);
  const body = json as Record<string, unknown>;
  if (Array.isArray(body.outputs) && isTensor(body.outputs[0])) {
    const [{ shape, data, ...rest }] = body.outputs;
    const width = data.length / shape[0];
    return { ...body, outputs: [{ ...rest, shape: [shape[0] - 1, ...shape.slice(1)], data: data.slice(0, -width) }] };
  }
  const rows = ['predictions', 'outputs', 'data', 'results', 'choices', 'answers'].find((key) =>
    Array.isArray(body[key]),
  );
  return rows === undefined ? body : { ...body, [rows]: (body[rows] as unknown[]).slice(0, -1) };
}

const isTensor = (value: unknown): value is { shape: number[]; data: unknown[] } =>
  typeof value === 'object' && value !== null && 'shape' in value;

/** Lists of labelled scores, and keys of objects, in another order. */
function shuffle(json: unknown, chance: Random): unknown {
  if (Array.isArray(json)) {
    const inner = json.map((each) => shuffle(each, chance));
    return inner.every((each) => typeof each === 'object' && each !== null && 'score' in each)
      ? chance.shuffle(inner)
      : inner;
  }
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [key, shuffle(value, chance)] as const);
  return Object.fromEntries(chance.shuffle(entries));
}

/**
 * Requests that came although the server had asked to be left alone, beyond those that may have been on their way already: of `concurrency` at
 * once, one was just answered, and the others that were not answered yet are all that can be.
 */
export function impatient(log: readonly Logged[], concurrency: number): readonly Logged[] {
  return log.flatMap((refused) => {
    if (refused.until === 0) return [];
    const during = log.filter(({ came }) => came > refused.left && came < refused.until);
    const underWay = log.filter(({ came, left }) => came <= refused.left && left > refused.left).length;
    return during.slice(Math.max(0, concurrency - 1 - underWay));
  });
}
