/** @file One request to an endpoint and its answer: limits of time and size, no other host, and failures classified by cause. */
import { ModelGone } from '../core/errors.js';
import { BodyTooLarge, type ConnectionError, HttpClient } from '../http/client.js';
import type { Proxies } from '../http/proxies.js';
import { type Headers, headerOf, PassingFault, type WireAnswer } from '../protocols/client.js';
import { excerpt, isObject, parseAnswer } from '../protocols/json.js';
import { faultOf, isPassing } from './faults.js';
import { requestedWait } from './retry-after.js';
import type { Secrets } from './secrets.js';

export interface TransportOptions {
  /** For one answer, in milliseconds. */
  readonly timeout: number;
  /** Connections at most. */
  readonly connections: number;
  readonly proxies: Proxies;
  readonly secrets: Secrets;
  /** Milliseconds since 1970. */
  now(): number;
}

/** The way to a classifier: a connection, or a process. */
export interface Exchange {
  /** The answer to a request. Throws PassingFault, RefusedBatch, ModelGone. */
  exchange(wanted: WireRequest, signal: AbortSignal): Promise<WireAnswer>;
  /** An address as messages show it. */
  shownUrl(url: string): string;
  close(): Promise<void>;
}

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Bytes of an answer: scores of a thousand texts in a thousand classes take a fifth of it. */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;
const MAX_REDIRECTS = 3;
/** Characters of what an endpoint says about a failure. */
const MAX_SAID = 300;

export class Transport implements Exchange {
  readonly #options: TransportOptions;
  readonly #client: HttpClient;

  /** Throws RobustError for a proxy that is not an address. */
  constructor(options: TransportOptions) {
    this.#options = options;
    const { connections, timeout, proxies } = options;
    this.#client = new HttpClient({ connections, connectMs: Math.min(timeout, 10_000), proxies, http2: true });
  }

  async exchange(wanted: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    let { url } = wanted;
    for (let redirects = 0; ; redirects++) {
      const { status, headers, bytes } = await this.#once({ ...wanted, url }, signal);
      if (status >= 200 && status < 300) return { headers, bytes };
      if (status >= 300 && status < 400) {
        url = this.#redirected(wanted, url, status, headers, redirects);
        continue;
      }
      const wait = isPassing(status)
        ? (requestedWait(headers, this.#options.now()) ?? estimatedWait(bytes))
        : undefined;
      throw faultOf(status, this.#messageOf(bytes), this.shownUrl(url), wait);
    }
  }

  shownUrl(url: string): string {
    return this.#options.secrets.redact(url);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #once({ method, url, headers, body }: WireRequest, signal: AbortSignal) {
    const { timeout } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeout);
    try {
      // Closing the client ends its requests, so that one signal is enough: a second one for each request would be slow.
      const answer = await this.#client.send({
        method,
        url,
        body,
        signal: late.signal,
        headers: { accept: 'application/json', ...headers },
      });
      return { status: answer.status, headers: answer.headers, bytes: await answer.bytes(MAX_ANSWER_BYTES) };
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof BodyTooLarge) throw new PassingFault(cause.message);
      const where = this.shownUrl(url);
      if (late.signal.aborted) throw new PassingFault(`${where}: no answer within ${timeout / 1000} s`, { cause });
      throw this.#networkFault(where, cause);
    } finally {
      clearTimeout(timer);
    }
  }

  #redirected({ method }: WireRequest, from: string, status: number, headers: Headers, redirects: number): string {
    const location = headerOf(headers, 'location') ?? '';
    const where = this.shownUrl(from);
    const to = URL.canParse(location, from) ? new URL(location, from) : undefined;
    // Another port is another service, perhaps another user's.
    const home = to?.origin === new URL(from).origin;
    const keeps = method === 'GET' || status === 307 || status === 308;
    if (to !== undefined && home && keeps && redirects < MAX_REDIRECTS) return to.href;
    throw new ModelGone(`${where}: redirects to ${this.shownUrl(to?.href ?? location).slice(0, 200)}`, {
      code: 'ENDPOINT_UNREACHABLE',
      hint: 'Texts and keys are sent to the scheme, host and port that were named and to no other: if that is where the endpoint is, give its address.',
    });
  }

  #networkFault(where: string, cause: unknown): Error {
    const { message, code } = cause as ConnectionError;
    const certificate = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code ?? '');
    const reason = this.#options.secrets.redact(message);
    const [refused] = /(?<=\bProxy\b.*\()4\d\d(?=\))/.exec(message) ?? [];
    if (refused !== undefined) {
      return new ModelGone(`${where}: the proxy refuses: HTTP ${refused}`, {
        code: 'ENDPOINT_UNREACHABLE',
        hint: 'Name one that may reach it: HTTPS_PROXY=http://user:password@host:port (HTTP_PROXY of http addresses); NO_PROXY=host goes around it.',
        cause,
      });
    }
    if (certificate) {
      return new ModelGone(`${where}: its certificate is not trusted: ${reason}`, {
        code: 'ENDPOINT_UNREACHABLE',
        hint: 'Name the file of its authority: NODE_EXTRA_CA_CERTS=ca.pem robust ...; or check that the address is https at all.',
        cause,
      });
    }
    return new PassingFault(`${where}: ${reason}`, { cause, absent: code === 'ECONNREFUSED' || code === 'ENOTFOUND' });
  }

  /** The endpoint's message about a failure, on one line and without secrets. */
  #messageOf(bytes: Buffer): string {
    const text = bytes.subarray(0, 4096).toString('utf8');
    const plain = /^\s*</.test(text) ? text.replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, ' ') : messageIn(text);
    return this.#options.secrets.redact(plain.replace(/[\s\p{Cc}]+/gu, ' ').trim()).slice(0, MAX_SAID);
  }
}

/** The time until a model is loaded, as Hugging Face estimates it: `{ "error": ..., "estimated_time": seconds }`. Half of that, as estimates go. */
function estimatedWait(bytes: Buffer): number | undefined {
  const [, seconds] = /"estimated_time"\s*:\s*(\d+(?:\.\d+)?)/.exec(bytes.toString('utf8', 0, 4096)) ?? [];
  return seconds === undefined ? undefined : Math.min(60, Number(seconds)) * 500;
}

/** `{ "error": "..." }`, `{ "error": { "message": "..." } }`, `{ "detail": ... }`, or the text itself. */
function messageIn(text: string): string {
  try {
    const value = parseAnswer(text);
    if (!isObject(value)) return text;
    const said = value.error ?? value.message ?? value.detail;
    if (isObject(said) && typeof said.message === 'string') return said.message;
    return typeof said === 'string' ? said : said === undefined ? text : excerpt(said);
  } catch {
    return text;
  }
}
