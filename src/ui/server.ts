/** @file The page's server: loopback only, GET only, every answer with the headers that keep it to itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT, RobustError } from '../core/errors.js';
import { closed, listening } from '../serve/listening.js';
import { Access, addressOf } from './access.js';
import { comparePage, errorPage, gatePage, playgroundPage, runPage, runsPage } from './pages.js';
import { answersPart, attackEndPart, attackStepPart, explanationPart } from './parts.js';
import type { UiSource } from './source.js';

export interface UiListening {
  /** With its token. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface UiServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly source: UiSource;
  /** Told of what is no error of a user. */
  onDefect(error: unknown): void;
}

const HOST = '127.0.0.1';
/** Texts stand in addresses, which is what makes a view a link. */
const MOST_HEADER_BYTES = 256 * 1024;
/** Characters of a text; longer ones take the command line. */
const MOST_CHARACTERS = 20_000;
const MOST_MODELS = 2;

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // What a page may load and run stands in the page itself, by hash (reports/html/page.ts); both hold.
  'content-security-policy': "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'",
};

/** Throws UsageError (ADDRESS_UNAVAILABLE) where it cannot listen. */
export async function listenUi({ port, source, onDefect }: UiServerOptions): Promise<UiListening> {
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
    const { pathname, searchParams: query } = addressOf(request);
    const live = pathname.startsWith('/live/');
    try {
      const route = ROUTES[pathname.startsWith('/runs/') ? '/runs/' : pathname];
      if (route === undefined) throw new RobustError(`there is no page ${pathname}`, { code: 'PAGE_NOT_FOUND' });
      await route({ source, query, response, onDefect, name: pathname.slice('/runs/'.length) });
    } catch (error) {
      if (response.headersSent || response.destroyed) throw error;
      const failure = error instanceof RobustError ? error : internal(error);
      if (failure !== error) onDefect(error);
      const { message, hint, code } = failure;
      const status = statusOf(failure);
      if (live) return told(response, status, 'application/json', [JSON.stringify({ error: { message, hint, code } })]);
      return told(response, status, HTML, errorPage(failure));
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

const HTML = 'text/html; charset=utf-8';

interface UiRequest {
  readonly source: UiSource;
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  /** Of a run. */
  readonly name: string;
  readonly onDefect: UiServerOptions['onDefect'];
}

/** Path -> what answers it. Those under /live/ are asked by the page's script. */
const ROUTES: Readonly<Record<string, (request: UiRequest) => Promise<void>>> = {
  '/': async ({ source, query, response }) => told(response, 200, HTML, playgroundPage(source, query)),
  '/runs': async ({ source, query, response }) => told(response, 200, HTML, runsPage(await source.runs(), query)),
  '/runs/': async ({ source, response, name }) => told(response, 200, HTML, runPage(await source.report(name))),
  '/compare': async ({ source, query, response }) =>
    told(response, 200, HTML, comparePage(await source.compare(query.getAll('run')))),
  '/gate': async ({ source, response }) => told(response, 200, HTML, gatePage(await source.judged())),
  '/live/answers': async ({ source, query, response }) => {
    const text = textOf(query);
    const answers = [];
    for (const model of modelsOf(query)) answers.push(await source.answer(model, text));
    return told(response, 200, HTML, [answersPart(answers).text]);
  },
  '/live/explain': async ({ source, query, response }) => {
    const methods = query.getAll('method');
    const found = await source.explain(modelsOf(query), textOf(query), methods, endOf(response));
    return told(response, 200, HTML, [explanationPart(found).text]);
  },
  '/live/attack': attacked,
};

/** Server-sent events (WHATWG HTML, section 9.2): `step` as texts are asked, then one `end` or `failure`. */
async function attacked({ source, query, response, onDefect }: UiRequest): Promise<void> {
  const asked = { model: query.get('model') ?? '', attack: query.get('attack') ?? '', text: textOf(query) };
  const signal = endOf(response);
  let flowing = true;
  const send = (event: string, data: object): void => {
    flowing = response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!flowing) response.once('drain', () => (flowing = true));
  };
  response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
  response.flushHeaders();
  try {
    const found = await source.attack(
      asked,
      // A page that reads slower than the model answers misses steps, but for those that came closer.
      (step) => (flowing || step.closest) && !signal.aborted && send('step', attackStepPart(asked.text, step)),
      signal,
    );
    if (found !== undefined && !signal.aborted) send('end', attackEndPart(found));
  } catch (error) {
    const { message, hint, code } = error instanceof RobustError ? error : internal(error);
    if (!signal.aborted) send('failure', { message, hint, code });
    if (!(error instanceof RobustError)) onDefect(error);
  } finally {
    response.end();
  }
}

/** Aborted once the client has gone away, or has all it asked for. */
function endOf(response: ServerResponse): AbortSignal {
  const ending = new AbortController();
  response.once('close', () => ending.abort());
  return ending.signal;
}

/** Throws RobustError TEXT for what is no text to read. */
function textOf(query: URLSearchParams): string {
  const text = (query.get('text') ?? '').trim();
  if (text.length > 0 && text.length <= MOST_CHARACTERS) return text;
  throw new RobustError(`expected a text of 1 to ${MOST_CHARACTERS} characters, got ${text.length}`, {
    code: 'TEXT',
    hint: 'Longer ones are for robust explain and robust attack.',
  });
}

/** Throws RobustError MODELS. */
function modelsOf(query: URLSearchParams): string[] {
  const models = [...new Set(query.getAll('model'))];
  if (models.length > 0 && models.length <= MOST_MODELS) return models;
  throw new RobustError(`expected one or two models, got ${models.length}`, { code: 'MODELS' });
}

const statusOf = ({ code, exit }: RobustError): number => {
  if (/_NOT_FOUND$/.test(code)) return 404;
  return exit === EXIT.internal ? 500 : 400;
};

class InternalError extends RobustError {
  override readonly exit = EXIT.internal;
}

const internal = (error: unknown): RobustError =>
  new InternalError('something in robust broke', {
    code: 'INTERNAL',
    hint: 'The terminal that runs robust ui says more with --verbose.',
    cause: error,
  });

async function told(
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
