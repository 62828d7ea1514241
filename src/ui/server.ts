/** @file Requests that the page's server answers. */
import type { ServerResponse } from 'node:http';
import { RobustError } from '../core/errors.js';
import type { HttpReply } from '../http/server.js';
import { failureOf, type LocalServer, listenLocally, redirect, reply, replyJson, statusOf } from './local-server.js';
import { comparePage, gatePage, playgroundPage, runPage, runsPage } from './pages.js';
import { answersPart, attackEndPart, attackStepPart, explanationPart } from './parts.js';
import { readingPage, reviewStartPage } from './review-pages.js';
import { newRunPage, runningPage } from './run-pages.js';
import type { AskedText, ReviewSession, UiSource } from './source.js';

export interface UiServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly source: UiSource;
  /** Receives errors that are not the user's. */
  onDefect(error: unknown): void;
}

/** Characters of a text; longer ones take the command line. */
const MOST_CHARACTERS = 20_000;
const MOST_MODELS = 2;
/** Bytes of a form. */
const MOST_FORM_BYTES = 64 * 1024;

/** Throws RobustError (ADDRESS_TAKEN) where it cannot listen. */
export function listenUi({ port, source, onDefect }: UiServerOptions): Promise<LocalServer> {
  return listenLocally({
    port,
    maxBody: MOST_FORM_BYTES,
    onDefect,
    async answer({ pathname, searchParams }, response, form) {
      const query = form ?? searchParams;
      const route = (form ? FORMS : ROUTES)[pathname.startsWith('/runs/') ? '/runs/' : pathname];
      if (route === undefined) throw new RobustError(`there is no page ${pathname}`, { code: 'PAGE_NOT_FOUND' });
      const uiRequest = { source, query, response, onDefect, name: pathname.slice('/runs/'.length) };
      if (!pathname.startsWith('/live/')) return route(uiRequest);
      try {
        return await route(uiRequest);
      } catch (error) {
        if (response.headersSent || response.destroyed) throw error;
        const failure = failureOf(error, onDefect);
        const { message, hint, code } = failure;
        return replyJson({ error: { message, hint, code } }, statusOf(failure));
      }
    },
  });
}

interface UiRequest {
  readonly source: UiSource;
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  /** Name of a run. */
  readonly name: string;
  readonly onDefect: UiServerOptions['onDefect'];
}

/** Path -> what answers it. The page's script asks those under /live/. */
const ROUTES: Readonly<Record<string, (request: UiRequest) => Promise<HttpReply | undefined>>> = {
  '/': ({ source, query }) => reply(playgroundPage(source, query)),
  '/runs': async ({ source, query }) => reply(await runsPage(await source.runs(), source.rates, query)),
  '/runs/': async ({ source, name }) => reply(runPage(name, await source.report(name))),
  '/compare': async ({ source, query }) => reply(comparePage(await source.compare(query.getAll('run')))),
  '/gate': async ({ source }) => reply(gatePage(await source.listJudged())),
  '/new': ({ source, query }) => reply(newRunPage(source, query)),
  '/review': async ({ source, query }) => {
    const [run, reader] = [query.get('run') ?? '', query.get('reader')];
    if (reader === null) return reply(reviewStartPage(run));
    const session = await source.review(run, reader);
    return reply(readingPage(run, session, Date.now()));
  },
  '/running': async ({ source }) => {
    const state = source.current();
    return state?.status === 'done' ? redirect(`/runs/${state.run}`) : reply(runningPage(state));
  },
  '/live/running': streamRun,
  '/live/answers': async ({ source, query }) => {
    const question = questionOf(query);
    const answers = [];
    for (const model of modelsOf(query)) answers.push(await source.answer(model, question));
    return reply([answersPart(answers).text]);
  },
  '/live/model': async ({ source, query }) => replyJson(await source.about(query.get('model') ?? '')),
  '/live/explain': async ({ source, query, response }) => {
    const methods = query.getAll('method');
    const found = await source.explain(modelsOf(query), questionOf(query), methods, endOf(response));
    return reply([explanationPart(found).text]);
  },
  '/live/attack': streamAttack,
};

/** Requests of the pages' forms. */
const FORMS: typeof ROUTES = {
  '/new': async ({ source, query }) => {
    source.start({
      model: query.get('model') ?? '',
      data: query.get('data') ?? '',
      suites: query.getAll('suite'),
      attacks: query.getAll('attack'),
      examples: wholeNumber(query, 'examples'),
      seed: wholeNumber(query, 'seed'),
    });
    return redirect('/running');
  },
  '/review/start': async ({ source, query }) => toReader(await readerOf(source, query), query),
  '/review/answer': async ({ source, query }) => {
    const session = await readerOf(source, query);
    session.answer(query.get('item') ?? '', answerIn(query, session.question.kind), detailsIn(query));
    return toReader(session, query);
  },
  '/review/undo': async ({ source, query }) => {
    const session = await readerOf(source, query);
    session.undo();
    return toReader(session, query);
  },
  '/stop': async ({ source }) => {
    source.stop();
    return redirect('/running');
  },
};

const readerOf = (source: UiSource, query: URLSearchParams): Promise<ReviewSession> =>
  source.review(query.get('run') ?? '', query.get('reader') ?? '');

/** Leads the reader to the next text. */
const toReader = ({ reader }: ReviewSession, query: URLSearchParams): HttpReply =>
  redirect(`/review?${new URLSearchParams({ run: query.get('run') ?? '', reader })}`);

function answerIn(query: URLSearchParams, kind: ReviewSession['question']['kind']): number | number[] | null {
  if (query.has('unclear')) return null;
  if (kind !== 'labels') return wholeNumber(query, 'answer');
  return query
    .getAll('answer')
    .map(Number)
    .sort((a, b) => a - b);
}

const detailsIn = (query: URLSearchParams) => ({
  seconds: Math.max(0, (Date.now() - wholeNumber(query, 'shown')) / 1000),
  note: query.get('note') ?? '',
});

/** Throws RobustError OPTION_INVALID. */
function wholeNumber(query: URLSearchParams, name: string): number {
  const written = query.get(name) ?? '';
  if (/^\d{1,15}$/.test(written)) return Number(written);
  throw new RobustError(`${name}: expected a whole number, got "${written}"`, { code: 'OPTION_INVALID' });
}

/** The states of the run that was started, until it ends. */
async function streamRun({ source, response }: UiRequest): Promise<undefined> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  await source.follow((state) => response.write(`event: state\ndata: ${JSON.stringify(state)}\n\n`), endOf(response));
  response.end();
}

/** Server-sent events (WHATWG HTML, section 9.2): a `step` for each query, then one `end` or `failure`. */
async function streamAttack({ source, query, response, onDefect }: UiRequest): Promise<undefined> {
  const [goal, truth] = ['goal', 'truth'].map((name) => query.get(name));
  const question = {
    model: query.get('model') ?? '',
    attack: query.get('attack') ?? '',
    ...questionOf(query),
    ...(goal && { goal }),
    ...(truth && { truth }),
  };
  const signal = endOf(response);
  let flowing = true;
  const send = (event: string, data: object): void => {
    flowing = response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!flowing) response.once('drain', () => (flowing = true));
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  try {
    const found = await source.attack(
      question,
      // A page that reads slower than the model answers misses steps, except those that came closer.
      (step) => (flowing || step.closest) && !signal.aborted && send('step', attackStepPart(question.text, step)),
      signal,
    );
    if (found !== undefined && !signal.aborted) send('end', attackEndPart(found));
  } catch (error) {
    const { message, hint, code } = failureOf(error, onDefect);
    if (!signal.aborted) send('failure', { message, hint, code });
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

/** Throws RobustError TEXT_INVALID. */
function questionOf(query: URLSearchParams): AskedText {
  const first = (query.get('first') ?? '').trim() === '' ? {} : { first: textOf(query, 'first') };
  return { text: textOf(query), ...first };
}

/** Throws RobustError TEXT_INVALID for what is no text to read. */
function textOf(query: URLSearchParams, name = 'text'): string {
  const text = (query.get(name) ?? '').trim();
  if (text.length > 0 && text.length <= MOST_CHARACTERS) return text;
  throw new RobustError(`expected a text of 1 to ${MOST_CHARACTERS} characters, got ${text.length}`, {
    code: 'TEXT_INVALID',
    hint: 'For longer texts, use robust explain or robust attack.',
  });
}

/** Throws RobustError FLAG_INVALID. */
function modelsOf(query: URLSearchParams): string[] {
  const models = [...new Set(query.getAll('model'))];
  if (models.length > 0 && models.length <= MOST_MODELS) return models;
  throw new RobustError(`expected one or two models, got ${models.length}`, { code: 'FLAG_INVALID' });
}
