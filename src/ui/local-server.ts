/** @file A server of pages for who has its token: loopback only, GET only, every answer with the headers that keep it to itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptSources } from '../../reports/html/page.js';
import { EXIT, RobustError } from '../core/errors.js';
import { closed, listening } from '../serve/listening.js';
import { Access, addressOf } from './access.js';
import { errorPage } from './pages.js';

export interface LocalServer {
  /** With its token. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface LocalServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** Answers who was let in; what it throws before it has begun to answer becomes a page. */
  answer(address: URL, response: ServerResponse): Promise<void>;
  /** Told of what is no error of a user. */
  onDefect(error: unknown): void;
}

const HOST = '127.0.0.1';
/** Texts stand in addresses, which is what makes a view a link. */
const MOST_HEADER_BYTES = 256 * 1024;
export const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // What one page may load and run stands in the page itself, by hash (reports/html/page.ts); both hold.
  'content-security-policy': `${scriptSources()}; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'`,
};

/** Throws UsageError (ADDRESS_UNAVAILABLE) where it cannot listen. */
export async function listenLocally({ port, answer, onDefect }: LocalServerOptions): Promise<LocalServer> {
  const access = new Access();
  const server = createServer({ maxHeaderSize: MOST_HEADER_BYTES }, (request, response) => {
    void answered(request, response).catch((error: unknown) => {
      onDefect(error);
      response.destroy();
    });
  });
  await listening(server, HOST, port);
  const { port: chosen } = server.address() as AddressInfo;

  async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = access.judge(request, chosen);
    if (admission.admitted === false) {
      const { status, reason } = admission.refusal;
      return told(response, status, 'text/plain; charset=utf-8', [`${reason}\n`]);
    }
    if (admission.admitted === 'new') {
      response.setHeader('set-cookie', admission.cookie);
      response.setHeader('location', admission.location);
      return told(response, 303, 'text/plain; charset=utf-8', []);
    }
    try {
      await answer(addressOf(request), response);
    } catch (error) {
      if (response.headersSent || response.destroyed) throw error;
      const failure = failureOf(error, onDefect);
      await told(response, statusOf(failure), HTML, errorPage(failure));
    }
  }

  return {
    url: `http://${HOST}:${chosen}/?token=${access.token}`,
    port: chosen,
    close: () => {
      server.closeAllConnections();
      return closed(server, 0);
    },
  };
}

export const HTML = 'text/html; charset=utf-8';

/** Answers with what was made of all of `chunks`. */
export async function told(
  response: ServerResponse,
  status: number,
  type: string,
  chunks: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  // Pages are made before they are begun, so that a failure is told as one.
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  response.writeHead(status, { ...HEADERS, 'content-type': type });
  response.end(response.req.method === 'HEAD' ? undefined : parts.join(''));
}

export const statusOf = ({ code, exit }: RobustError): number => {
  if (/_NOT_FOUND$/.test(code)) return 404;
  return exit === EXIT.internal ? 500 : 400;
};

class InternalError extends RobustError {
  override readonly exit = EXIT.internal;
}

const internal = (error: unknown): RobustError =>
  new InternalError('something in robust broke', {
    code: 'INTERNAL',
    hint: 'The terminal that serves this page says more with --verbose.',
    cause: error,
  });

/** What a client is told of an error: itself where a user can act on it, else that something broke, and `onDefect` hears what. */
export function failureOf(error: unknown, onDefect: (error: unknown) => void): RobustError {
  if (error instanceof RobustError) return error;
  onDefect(error);
  return internal(error);
}
