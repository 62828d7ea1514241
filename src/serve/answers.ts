/** @file From a request to its reply, without a socket: routes, limits on texts, errors, figures. */
import type { IncomingHttpHeaders } from 'node:http';
import { ModelGone, messageOf, must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { parseJson } from '../core/json.js';
import type { HttpReply, HttpRequest } from '../http/server.js';
import type { JsonObject } from '../protocols/json.js';
import { objectAt, type RawReply, Refusal, type ServedModel, type ServedRoute } from './request.js';

export interface AnsweringOptions {
  readonly model: ServedModel;
  readonly routes: readonly ServedRoute[];
  /** Most texts of one request. */
  readonly maxBatch: number;
  /** Most texts that wait for the model; a request beyond them is answered 429. */
  readonly maxQueue: number;
  /** Seconds that an answer may take. */
  readonly timeout: number;
  /** The model answers nothing any more. */
  readonly onGone?: (error: ModelGone) => void;
  /** An unexpected exception; the client received a 500. */
  readonly onDefect?: (error: unknown) => void;
}

export interface ServedReply extends HttpReply {
  /** Undefined if no protocol has the route. */
  readonly protocol: string | undefined;
  /** Texts that the model was asked for it. */
  readonly texts: number;
}

/** Longest wait that an overloaded server asks for, in seconds. */
const MAX_RETRY_AFTER = 60;

const JSON_TYPE = { 'content-type': 'application/json' };

const jsonReply = (status: number, body: object) => ({
  status,
  headers: JSON_TYPE,
  bytes: Buffer.from(JSON.stringify(body)),
});

const isRaw = (body: object): body is RawReply => 'bytes' in body && Buffer.isBuffer(body.bytes);

/** Requests that were answered, and texts of those that were not refused. */
interface AnsweredTotals {
  requests: number;
  /** Answered 400 and above. */
  refused: number;
  texts: number;
}

/** Answers requests, and counts them. */
export class Answers {
  readonly totals: AnsweredTotals = { requests: 0, refused: 0, texts: 0 };
  readonly #options: AnsweringOptions;
  readonly #line: WaitingLine;

  constructor(options: AnsweringOptions) {
    this.#options = options;
    this.#line = new WaitingLine(options);
  }

  /** Texts that wait for the model. */
  get waiting(): number {
    return this.#line.waiting;
  }

  async reply(request: HttpRequest): Promise<ServedReply> {
    const reply = await this.#reply(request);
    this.totals.requests++;
    if (reply.status >= 400) this.totals.refused++;
    else this.totals.texts += reply.texts;
    return reply;
  }

  async #reply({ method, url, headers, bytes }: HttpRequest): Promise<ServedReply> {
    const path = must(url.split('?', 1)[0]);
    if (method === 'GET' && path === '/health')
      return { ...jsonReply(200, { status: 'ok' }), protocol: undefined, texts: 0 };
    const matching = this.#options.routes.filter((route) => route.path.test(path));
    const route = matching.find((each) => each.method === method);
    if (route === undefined) return nobodys(method, path, matching);
    let texts = 0;
    const replied = (reply: HttpReply): ServedReply => ({ ...reply, protocol: route.protocol, texts });
    try {
      const body = await route.answer({
        groups: groupsOf(route.path, path),
        headers,
        bytes,
        json: () => bodyOf(headers, bytes),
        ask: (queries) => {
          texts += queries.length;
          return this.#line.ask(queries);
        },
      });
      return replied(isRaw(body) ? { status: 200, ...body } : jsonReply(200, body));
    } catch (error) {
      const refusal = error instanceof Refusal ? error : this.#failure(error);
      const retry = refusal.retryAfter === undefined ? undefined : { 'retry-after': String(refusal.retryAfter) };
      const reply = jsonReply(refusal.status, { error: refusal.message });
      return replied({ ...reply, headers: { ...reply.headers, ...retry } });
    }
  }

  #failure(error: unknown): Refusal {
    if (error instanceof ModelGone) {
      this.#options.onGone?.(error);
      return new Refusal(503, error.message);
    }
    if (error instanceof RobustError) return new Refusal(error.code.startsWith('PAIRS_') ? 400 : 500, error.message);
    this.#options.onDefect?.(error);
    return new Refusal(500, 'internal error');
  }
}

/** Texts on their way to the model. */
class WaitingLine {
  readonly #options: AnsweringOptions;
  waiting = 0;
  #answered = 0;
  /** Seconds in which there was something to do, and since when there is. */
  #busy = 0;
  #since = 0;

  constructor(options: AnsweringOptions) {
    this.#options = options;
  }

  async ask(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const { model, maxBatch, maxQueue, timeout } = this.#options;
    if (texts.length > maxBatch)
      throw new Refusal(413, `expected at most ${quantity(maxBatch, 'text')} per request, got ${texts.length}`);
    if (this.waiting > 0 && this.waiting + texts.length > maxQueue)
      throw new Refusal(
        429,
        `the queue is full: ${quantity(this.waiting, 'text')} waiting, at most ${maxQueue}`,
        this.#retryAfter(),
      );
    if (this.waiting === 0) this.#since = performance.now();
    this.waiting += texts.length;
    const scored = model.scores(texts).finally(() => {
      this.waiting -= texts.length;
      this.#answered += texts.length;
      if (this.waiting === 0) this.#busy += (performance.now() - this.#since) / 1000;
    });
    return withinSeconds(
      timeout,
      scored,
      () => new Refusal(503, `the model took longer than ${quantity(timeout, 'second')}`, this.#retryAfter()),
    );
  }

  /** Until those who wait will be through, by the rate so far. */
  #retryAfter(): number {
    const busy = this.#busy + (this.waiting > 0 ? (performance.now() - this.#since) / 1000 : 0);
    const seconds = this.#answered === 0 ? 1 : (this.waiting * busy) / this.#answered;
    return Math.min(MAX_RETRY_AFTER, Math.max(1, Math.ceil(seconds)));
  }
}

/** Throws what `late` makes. What comes too late is dropped. */
async function withinSeconds<T>(seconds: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function nobodys(method: string, path: string, matching: readonly ServedRoute[]): ServedReply {
  const allowed = [...new Set(matching.map((route) => route.method))].join(', ');
  const other = { protocol: undefined, texts: 0 };
  if (allowed === '') return { ...jsonReply(404, { error: `there is nothing at ${path}` }), ...other };
  const { status, headers, bytes } = jsonReply(405, { error: `${path}: expected ${allowed}, got ${method}` });
  return { status, headers: { ...headers, allow: allowed }, bytes, ...other };
}

function groupsOf(pattern: RegExp, path: string): (string | undefined)[] {
  try {
    return (pattern.exec(path) ?? [])
      .slice(1)
      .map((group) => (group === undefined ? group : decodeURIComponent(group)));
  } catch {
    throw new Refusal(400, `${path}: expected percent signs to be followed by the bytes of UTF-8`);
  }
}

function bodyOf(headers: IncomingHttpHeaders, bytes: Buffer): JsonObject {
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new Refusal(415, `content-encoding: expected none, got "${encoding}"`);
  let value: unknown;
  try {
    value = parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw new Refusal(400, `expected a body of JSON: ${messageOf(error)}`);
  }
  return objectAt(value, 'the body');
}
