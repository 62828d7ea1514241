/** @file The sockets: bodies within bounds, time limits, and a stop that lets requests under way end. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AnsweringOptions, Answers, type HttpReply } from './answers.js';
import { closed, isLoopback, isOwnHost, listening } from './listening.js';
import type { RequestEntry } from './request-entry.js';

export interface ListeningOptions extends AnsweringOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Most bytes of a body. */
  readonly maxBody: number;
  /** Seconds that requests under way have to end once the server is told to stop. */
  readonly grace: number;
  /** Told of each request answered. */
  readonly onRequest?: (entry: RequestEntry) => void;
}

export interface Listening {
  /** "http://127.0.0.1:8000" */
  readonly url: string;
  readonly port: number;
  readonly answers: Answers;
  /** Lets requests under way end, cuts those that last longer than the grace. */
  close(): Promise<void>;
}

/** Seconds that a connection without requests is kept: longer than most clients do, so that none asks on one that is just being closed. */
const KEEP_ALIVE = 75;

/** Throws UsageError (ADDRESS_UNAVAILABLE) where it cannot listen. */
export async function listen(options: ListeningOptions): Promise<Listening> {
  const { host, port, timeout, grace } = options;
  const answers = new Answers(options);
  // Half-open connections end at the time limit of a request, give or take a tenth.
  const server = createServer({ connectionsCheckingInterval: timeout * 100 }, (request, response) => {
    void answered(request, response, answers, options, () => !server.listening);
  });
  server.requestTimeout = timeout * 1000;
  server.headersTimeout = timeout * 1000;
  server.keepAliveTimeout = KEEP_ALIVE * 1000;
  await listening(server, host, port);
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${chosen}`,
    port: chosen,
    answers,
    close: () => closed(server, grace),
  };
}

async function answered(
  request: IncomingMessage,
  response: ServerResponse,
  answers: Answers,
  { host, maxBody, onRequest }: ListeningOptions,
  stopping: () => boolean,
): Promise<void> {
  const [began, time] = [performance.now(), new Date()];
  const { method = 'GET', url = '/', headers } = request;
  const bytes = await bodyWithin(request, maxBody);
  if (bytes === undefined) return;
  const port = request.socket.localPort ?? 0;
  const foreign = isLoopback(host) && !isOwnHost(headers.host, port);
  const reply =
    bytes === 'too large'
      ? refusal(413, `expected a body of at most ${maxBody} bytes`)
      : foreign
        ? refusal(
            421,
            `expected a request to ${host}:${port}, got one to another host; to serve it, listen at another --host`,
          )
        : await answers.reply({ method, url, headers, bytes });
  const last = stopping() ? { connection: 'close' } : {};
  response.writeHead(reply.status, { ...reply.headers, ...last, 'content-length': reply.bytes.length });
  response.end(reply.bytes, () => {
    onRequest?.({
      time: time.toISOString(),
      method,
      path: url.split('?', 1)[0] as string,
      protocol: reply.protocol,
      status: reply.status,
      texts: reply.texts,
      bytes: bytes.length,
      seconds: Math.round(performance.now() - began) / 1000,
    });
  });
}

/** The connection ends with the reply: what is left of a body that is too large is not read. */
const refusal = (status: number, error: string): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json', connection: 'close' },
  bytes: Buffer.from(JSON.stringify({ error })),
  protocol: undefined,
  texts: 0,
});

/** Undefined where the client went away while it wrote. */
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
