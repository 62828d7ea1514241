/**
 * @file A coordinator's HTTP server for its workers: content by its hash, in ranges, and a place for deliveries. Requests need the run's
 * token, which is in Redis. Metrics of the run are open to everyone who reaches the port.
 */
import { timingSafeEqual } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { RobustError } from '../core/errors.js';
import { createReadStream } from '../files/read.js';
import { OPEN_METRICS_TYPE } from '../http/open-metrics.js';
import { type HttpReply, type HttpRequest, type HttpServer, openServer } from '../http/server.js';
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

/** Most bytes of a delivery. */
const MOST_BYTES = 256 << 20;

/** `host:port`, or a port alone. Throws RobustError ADDRESS_INVALID. */
function addressOf(listen: string): { readonly host: string; readonly port: number } {
  const [, host = '127.0.0.1', port] = /^(?:(\[[0-9a-f:]+\]|[^:]*):)?(\d{1,5})$/i.exec(listen) ?? [];
  if (port !== undefined && Number(port) < 65_536)
    return { host: host.replace(/^\[|\]$/g, '') || '0.0.0.0', port: Number(port) };
  throw new RobustError(`--listen: expected host:port, got "${listen}"`, {
    code: 'ADDRESS_INVALID',
    hint: 'For example: --listen 0.0.0.0:7070',
  });
}

/** Throws RobustError ADDRESS_INVALID, and ADDRESS_TAKEN if it cannot listen. */
export async function listen(
  at: string,
  answer: (request: HttpRequest, response: ServerResponse) => Promise<HttpReply | undefined>,
): Promise<HttpServer> {
  const { host, port } = addressOf(at);
  const server = await openServer({
    ...{ host, port, maxBody: MOST_BYTES, answer },
    // A server bound to all addresses is reached by its host name.
    name: host === '0.0.0.0' || host === '::' ? hostname() : host,
    hint: 'Choose another port: --listen HOST:PORT; port 0 selects a free one.',
  });
  // A client that stays connected does not keep the process alive.
  server.unref();
  return server;
}

/** Answers workers, and readers of metrics. */
export function offering(offer: Offer) {
  const known = Buffer.from(hashOf(`Bearer ${offer.token}`));
  return async (request: HttpRequest, response: ServerResponse): Promise<HttpReply | undefined> => {
    const { method, url, headers, bytes } = request;
    if (method === 'GET' && url === '/metrics') return metricsReply(offer.metrics());
    if (!timingSafeEqual(Buffer.from(hashOf(headers.authorization ?? '')), known))
      return textReply(401, 'expected the token of the run');
    const sha256 = /^\/content\/([0-9a-f]{64})$/.exec(url)?.[1];
    if (method === 'GET' && sha256 !== undefined) return sendContent(request, response, offer.pathOf(sha256));
    if (method === 'POST' && url === '/deliver') return textReply(offer.deliver(bytes), '');
    return textReply(404, 'expected /content/SHA256, /deliver or /metrics');
  };
}

export const metricsReply = (text: string): HttpReply => textReply(200, text, OPEN_METRICS_TYPE);

const textReply = (status: number, text: string, type = 'text/plain; charset=utf-8'): HttpReply => ({
  status,
  headers: { 'content-type': type },
  bytes: Buffer.from(text),
});

/** A file, or its rest from the byte at which an earlier answer ended (RFC 9110, section 14). */
async function sendContent(
  { headers }: HttpRequest,
  response: ServerResponse,
  path: string,
): Promise<HttpReply | undefined> {
  if (!existsSync(path)) return textReply(404, 'no such content');
  const { size } = statSync(path);
  const from = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  const start = from === undefined ? 0 : Number(from);
  if (start > 0 && start >= size)
    return { status: 416, headers: { 'content-range': `bytes */${size}` }, bytes: Buffer.alloc(0) };
  const head = { 'content-type': 'application/octet-stream', 'content-length': size - start };
  if (from === undefined) response.writeHead(200, head);
  else response.writeHead(206, { ...head, 'content-range': `bytes ${start}-${size - 1}/${size}` });
  await pipeline(createReadStream(path, { start }), response).catch(() => response.destroy());
  return undefined;
}
