/** @file A server of pages for whoever has its token: loopback only, with headers that keep every answer private. */
import type { ServerResponse } from 'node:http';
import { scriptSources } from '../../reports/html/page.js';
import { EXIT, RobustError } from '../core/errors.js';
import { type HttpReply, openServer } from '../http/server.js';
import { Access, addressOf } from './access.js';
import { errorPage } from './pages.js';

export interface LocalServer {
  /** With its token. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface LocalServerOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Most bytes of a form. @default 0: GET only */
  readonly maxBody?: number;
  /** Answers an admitted request, a POST with its form; undefined if it wrote the response itself. What it throws becomes a page. */
  answer(address: URL, response: ServerResponse, form?: URLSearchParams): Promise<HttpReply | undefined>;
  /** Called with errors that no user can act on. */
  onDefect(error: unknown): void;
}

const HOST = '127.0.0.1';
/** Addresses hold texts, which makes a view a link. */
const MOST_HEADER_BYTES = 256 * 1024;
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // With no-referrer, browsers would send forms with an opaque Origin.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Each page lists by hash what it may load and run (reports/html/page.ts); both policies apply.
  'content-security-policy': `${scriptSources()}; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'`,
};

/** Throws RobustError ADDRESS_TAKEN if it cannot listen. */
export async function listenLocally({ port, maxBody = 0, answer, onDefect }: LocalServerOptions): Promise<LocalServer> {
  const access = new Access();
  const server = await openServer({
    host: HOST,
    port,
    maxBody,
    maxHeaders: MOST_HEADER_BYTES,
    headers: HEADERS,
    onDefect,
    async answer(request, response) {
      const admission = access.judge(request, response.socket?.localPort ?? 0, maxBody > 0);
      if (admission.admitted === false) {
        const { status, reason } = admission.refusal;
        return reply([`${reason}\n`], 'text/plain; charset=utf-8', status);
      }
      if (admission.admitted === 'new') {
        const { cookie, location } = admission;
        return redirect(location, { 'set-cookie': cookie });
      }
      try {
        const form = request.method === 'POST' ? new URLSearchParams(request.bytes.toString()) : undefined;
        return await answer(addressOf(request.url), response, form);
      } catch (error) {
        if (response.headersSent || response.destroyed) throw error;
        const failure = failureOf(error, onDefect);
        return reply(errorPage(failure), HTML, statusOf(failure));
      }
    },
  });
  return { ...server, url: `${server.url}/?token=${access.token}` };
}

/** Leads the browser to another page of this server. */
export const redirect = (location: string, headers: Readonly<Record<string, string>> = {}): HttpReply => ({
  status: 303,
  headers: { ...headers, location },
  bytes: Buffer.alloc(0),
});

const HTML = 'text/html; charset=utf-8';

/** Makes all of a page before any of it is sent, so that a failure becomes an error page. */
export async function reply(
  chunks: Iterable<string> | AsyncIterable<string>,
  type = HTML,
  status = 200,
): Promise<HttpReply> {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return { status, headers: { 'content-type': type }, bytes: Buffer.from(parts.join('')) };
}

export const replyJson = (value: unknown, status = 200): Promise<HttpReply> =>
  reply([JSON.stringify(value)], 'application/json', status);

export const statusOf = ({ code, exit }: RobustError): number => {
  if (/_NOT_FOUND$/.test(code)) return 404;
  return exit === EXIT.internal ? 500 : 400;
};

/** The error that a client sees: itself if a user can act on it, else that something broke; `onDefect` then gets the error. */
export function failureOf(error: unknown, onDefect: (error: unknown) => void): RobustError {
  if (error instanceof RobustError) return error;
  onDefect(error);
  return new RobustError('something in robust broke', {
    code: 'INTERNAL',
    hint: 'Start robust ui with --verbose for details in its terminal.',
    cause: error,
  });
}
