/**
 * @file The HTTP client of endpoints, of the Hub and of fleets: kept connections, proxies, bodies within bounds. It follows no redirect and repeats
 * nothing: what an answer means is for its caller to say.
 */
import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { defined } from '../core/defined.js';
import { must, RobustError } from '../core/errors.js';
import type { Proxies } from './proxies.js';

interface HttpClientOptions {
  /** Connections to a host at most. @default any number */
  readonly connections?: number;
  /** Milliseconds within which a connection must be made. */
  readonly connectMs?: number;
  readonly proxies?: Proxies;
  /** Speak HTTP/2 with servers that offer it. @default false */
  readonly http2?: boolean;
}

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'HEAD' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Blob | undefined;
  /** Its reason is thrown once it is aborted, also while a body is read. */
  readonly signal?: AbortSignal;
}

/** There was no answer, or the connection broke. */
export class ConnectionError extends Error {
  /** The system's code, such as ECONNREFUSED. */
  readonly code: string | undefined;

  constructor(cause: unknown) {
    const { message, name, code } = (
      cause instanceof Error ? cause : new Error(String(cause))
    ) as NodeJS.ErrnoException;
    super(message || code || name, { cause });
    this.code = code;
  }
}

/** A body is larger than its reader takes. */
export class BodyTooLarge extends Error {}

/** An answer whose body is still to be read, or discarded. */
export class HttpAnswer {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly #body: Readable;
  readonly #signal: AbortSignal | undefined;

  constructor(
    readonly url: string,
    readonly status: number,
    { headers, body }: Dispatcher.ResponseData,
    signal: AbortSignal | undefined,
  ) {
    this.headers = headers;
    this.#body = body;
    this.#signal = signal;
    // Readers of the body get the error; without a reader it must not end the process.
    body.on('error', () => {});
  }

  header(name: string): string | undefined {
    const value = this.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** The body as it comes. Throws ConnectionError. */
  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#body;
    } catch (cause) {
      throw failure(cause, this.#signal);
    }
  }

  /** The whole body. Throws BodyTooLarge, ConnectionError. */
  bytes(most = Number.POSITIVE_INFINITY): Promise<Buffer> {
    const body = this.#body;
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = [];
      let size = 0;
      body.on('data', (part: Buffer) => {
        size += part.length;
        if (size > most) body.destroy(new BodyTooLarge(`an answer of more than ${most / 2 ** 20} MiB`));
        else parts.push(part);
      });
      body.on('end', () => resolve(Buffer.concat(parts, size)));
      body.on('error', (cause) => reject(cause instanceof BodyTooLarge ? cause : failure(cause, this.#signal)));
    });
  }

  async text(): Promise<string> {
    return (await this.bytes()).toString('utf8');
  }

  discard(): void {
    this.#body.destroy();
  }
}

const failure = (cause: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted ? signal.reason : new ConnectionError(cause);

export class HttpClient {
  /** By the scheme of an address. */
  readonly #agents: Readonly<Record<string, Dispatcher>>;

  /** Throws RobustError for a proxy that is not an address. */
  constructor({ connections, connectMs = 10_000, proxies = {}, http2 = false }: HttpClientOptions = {}) {
    const { http, https, none = '' } = proxies;
    const agent = { connections: connections ?? null, allowH2: http2, connect: { timeout: connectMs } };
    const through = (name: string, proxy: string | undefined): Dispatcher => {
      if (!proxy) return new Agent(agent);
      const address = proxyAddress(name, proxy);
      // Plain requests are handed to the proxy, as most allow tunnels to the port of https alone.
      return new EnvHttpProxyAgent({
        ...agent,
        httpProxy: address,
        httpsProxy: address,
        noProxy: none,
        proxyTunnel: false,
      });
    };
    this.#agents = { 'http:': through('HTTP_PROXY', http), 'https:': through('HTTPS_PROXY', https) };
  }

  /** Sends a request. Throws ConnectionError. */
  async send({ method, url, headers, body, signal }: HttpCall): Promise<HttpAnswer> {
    try {
      const answer = await request(url, {
        method,
        headers: { 'user-agent': 'robust-text', ...headers },
        ...(body !== undefined && { body: body as Uint8Array }),
        dispatcher: must(this.#agents[new URL(url).protocol]),
        ...defined({ signal }),
        // The signal limits the time.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return new HttpAnswer(url, answer.statusCode, answer, signal);
    } catch (cause) {
      throw failure(cause, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((agent) => agent.destroy()));
  }
}

/** Without a scheme it is http, as everywhere. Throws RobustError, which does not show the password in it. */
function proxyAddress(variable: string, written: string): string {
  const address = /^[\w+.-]+:\/\//.test(written) ? written : `http://${written}`;
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return address;
  throw new RobustError(`${variable}: expected the address of a proxy, such as http://host:port`, {
    code: 'ADDRESS_INVALID',
    hint: `Set ${variable} to the proxy that requests shall go through, or unset it.`,
  });
}
