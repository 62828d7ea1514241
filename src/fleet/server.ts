/**
 * @file What a coordinator offers to its workers over HTTP: content by its hash, in ranges, and a place to deliver to. Whoever has the run's
 * token may use it; the token is in Redis. Figures of the run are for everybody who reaches the port.
 */
import { timingSafeEqual } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../core/errors.js';
import { closed, listening } from '../serve/listening.js';
import { hashOf } from './store.js';

export interface Offer {
  readonly token: string;
  /** The file with that content, if it is known. */
  pathOf(sha256: string): string;
  /** Takes a delivery: the status to answer with. */
  deliver(bytes: Buffer): number;
  /** OpenMetrics. */
  metrics(): string;
}

/** Larger deliveries are none. */
const MOST_BYTES = 256 << 20;

export interface OpenPort {
  /** How workers reach it. */
  readonly url: string;
  close(): Promise<void>;
}

/** `host:port`, or a port alone. Throws UsageError LISTEN. */
function addressOf(listen: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port] = /^(?:(\[[0-9a-f:]+\]|[^:]*):)?(\d{1,5})$/i.exec(listen) ?? [];
  if (port !== undefined && Number(port) < 65_536)
    return { host: host.replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(port) };
  throw new UsageError(`--listen: expected host:port, got "${listen}"`, {
    code: 'LISTEN',
    hint: 'For example: --listen 0.0.0.0:7070',
  });
}

/** Listens; throws UsageError ADDRESS_UNAVAILABLE where that cannot be. */
export async function listen(
  at: string,
  respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<OpenPort> {
  const { host, port } = addressOf(at);
  const server = createServer((request, response) => {
    respond(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await listening(server, host, port, 'Name another one: --listen HOST:PORT; port 0 takes one that is free.');
  // A reader that stays connected does not keep the process alive.
  server.unref();
  return { url: urlOf(server, host), close: () => closed(server, 0) };
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  // Who listens on all addresses is found by its name.
  const name = host === '0.0.0.0' || host === '::' ? hostname() : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Answers workers, and readers of figures. */
export function offering(offer: Offer) {
  const known = Buffer.from(hashOf(`Bearer ${offer.token}`));
  const allowed = ({ headers }: IncomingMessage): boolean =>
    timingSafeEqual(Buffer.from(hashOf(headers.authorization ?? '')), known);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '/' } = request;
    if (method === 'GET' && url === '/metrics') return metrics(response, offer.metrics());
    if (!allowed(request)) return ended(response, 401, 'expected the token of the run');
    const sha256 = /^\/content\/([0-9a-f]{64})$/.exec(url)?.[1];
    if (method === 'GET' && sha256 !== undefined) return content(request, response, offer.pathOf(sha256));
    if (method === 'POST' && url === '/deliver') {
      const body = await bodyOf(request);
      return body === undefined ? ended(response, 413, 'too large') : ended(response, offer.deliver(body), '');
    }
    return ended(response, 404, 'expected /content/SHA256, /deliver or /metrics');
  };
}

export function metrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8' });
  response.end(text);
}

function ended(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** A file, or from the byte where an earlier answer broke off (RFC 9110, section 14). */
async function content({ headers }: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
  if (!existsSync(path)) return ended(response, 404, 'no such content');
  const { size } = statSync(path);
  const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const start = from === undefined ? 0 : Number(from);
  if (start > 0 && start >= size) {
    response.writeHead(416, { 'content-range': `bytes */${size}` });
    response.end();
    return;
  }
  const head = { 'content-type': 'application/octet-stream', 'content-length': size - start };
  if (from === undefined) response.writeHead(200, head);
  else response.writeHead(206, { ...head, 'content-range': `bytes ${start}-${size - 1}/${size}` });
  await pipeline(createReadStream(path, { start }), response).catch(() => response.destroy());
}
