/**
 * @file The HTTP server of `robust serve`, of pages and of fleets: listening, bodies within bounds, time limits for half-open connections, the Host
 * check, headers of every reply, defects, and a stop that lets requests under way end.
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';

export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A request and its reply, once the last byte is written. */
interface HttpExchange<R extends HttpReply> {
  readonly request: HttpRequest;
  /** An HttpReply if the server itself refused the request. */
  readonly reply: R | HttpReply;
  readonly began: Date;
  readonly seconds: number;
}

export interface HttpServerOptions<R extends HttpReply> {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** How clients are to reach the host. @default `host` itself */
  readonly name?: string;
  /** The hint if the address is unavailable. */
  readonly hint?: string;
  /** Most bytes of a body. */
  readonly maxBody: number;
  /** Most bytes of the request line and the headers. */
  readonly maxHeaders?: number;
  /** Seconds within which a request must arrive. @default 300 */
  readonly timeout?: number;
  /** Seconds for which a stop waits for requests under way. @default 0 */
  readonly grace?: number;
  /** Headers of every reply. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Undefined if it wrote the response itself. What it throws is answered by status 500. */
  answer(request: HttpRequest, response: ServerResponse): Promise<R | undefined>;
  onAnswered?(exchange: HttpExchange<R>): void;
  onDefect?(error: unknown): void;
}

export interface HttpServer {
  /** "http://127.0.0.1:8000" */
  readonly url: string;
  readonly port: number;
  /** Does not keep the process alive any more. */
  unref(): void;
  /** Takes no more connections, and cuts those that outlast the grace. */
  close(): Promise<void>;
}

/** Seconds for which an idle connection is kept: longer than most clients keep theirs, so that none uses one that is just being closed. */
const KEEP_ALIVE = 75;
const TIMEOUT = 300;
const HINT = 'Give another one: --port N (0: any that is free), or --host where the command has it.';

/** Throws RobustError ADDRESS_TAKEN if it cannot listen. */
export async function openServer<R extends HttpReply>(options: HttpServerOptions<R>): Promise<HttpServer> {
  const { host, port, name = host, hint = HINT, timeout = TIMEOUT, grace = 0, maxHeaders } = options;
  const server = createServer(
    {
      // Half-open connections end at the time limit of a request, give or take a tenth.
      connectionsCheckingInterval: timeout * 100,
      requestTimeout: timeout * 1000,
      headersTimeout: timeout * 1000,
      keepAliveTimeout: KEEP_ALIVE * 1000,
      ...defined({ maxHeaderSize: maxHeaders }),
    },
    (request, response) => {
      answerRequest(server, request, response, options).catch((error: unknown) => {
        options.onDefect?.(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { connection: 'close' }).end();
      });
    },
  );
  await listen(server, host, port, hint);
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${name.includes(':') ? `[${name}]` : name}:${chosen}`,
    port: chosen,
    unref: () => server.unref(),
    close: () => closeServer(server, grace),
  };
}

async function answerRequest<R extends HttpReply>(
  server: Server,
  incoming: IncomingMessage,
  response: ServerResponse,
  { host, maxBody, headers: common = {}, answer, onAnswered }: HttpServerOptions<R>,
): Promise<void> {
  const [start, began] = [performance.now(), new Date()];
  const { method = 'GET', url = '/', headers } = incoming;
  for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
  const bytes = await bodyWithin(incoming, maxBody);
  if (bytes === undefined) return;
  const request = { method, url, headers, bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0) };
  const port = incoming.socket.localPort ?? 0;
  const reply: R | HttpReply | undefined =
    bytes === 'too large'
      ? refusal(413, `expected a body of at most ${maxBody} bytes`)
      : isLoopback(host) && !isOwnHost(headers.host, port)
        ? refusal(
            421,
            `expected a request to ${host}:${port}, got one to another host; to serve it, listen at another --host`,
          )
        : await answer(request, response);
  if (reply === undefined) return;
  const last = server.listening ? {} : { connection: 'close' };
  response.writeHead(reply.status, { ...reply.headers, ...last, 'content-length': reply.bytes.length });
  response.end(method === 'HEAD' ? undefined : reply.bytes, () => {
    onAnswered?.({ request, reply, began, seconds: (performance.now() - start) / 1000 });
  });
}

/** The connection ends with the reply, since the rest of a body that is too large is not read. */
const refusal = (status: number, error: string): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', connection: 'close' },
  bytes: Buffer.from(JSON.stringify({ error })),
});

/** Undefined if the client went away while it wrote. */
function bodyWithin(request: IncomingMessage, most: number): Promise<Buffer | 'too large' | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    if (Number(request.headers['content-length'] ?? 0) > most) return resolve('too large');
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= most) return;
      request.pause();
      resolve('too large');
    });
    request.on('end', () => resolve(Buffer.concat(chunks, size)));
    request.on('close', () => resolve(undefined));
  });
}

function listen(server: Server, host: string, port: number, hint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(unavailable(host, port, error, hint));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

const UNAVAILABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'the system allows it to other users only',
  EADDRNOTAVAIL: 'no interface of this machine has that address',
  ENOTFOUND: 'no address is known by that name',
};

const unavailable = (host: string, port: number, error: NodeJS.ErrnoException, hint: string): RobustError =>
  new RobustError(`expected to listen at ${host}:${port}, but ${UNAVAILABLE[error.code ?? ''] ?? error.message}`, {
    code: 'ADDRESS_TAKEN',
    hint,
    cause: error,
  });

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether only programs on this machine reach a server at this address. */
export const isLoopback = (host: string): boolean =>
  [...LOOPBACK, '::1'].includes(host.toLowerCase()) || /^127(?:\.\d+){3}$/.test(host);

/**
 * Whether a Host header names this machine at this port (RFC 9110, section 7.2). That of a page whose site's name was pointed at this machine
 * later (DNS rebinding) does not.
 */
function isOwnHost(header: string | undefined, port: number): boolean {
  const [, name = '', at = '80'] = /^(.*?)(?::(\d+))?$/.exec(header?.toLowerCase() ?? '') ?? [];
  return LOOPBACK.includes(name) && Number(at) === port;
}

function closeServer(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), grace * 1000);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}
