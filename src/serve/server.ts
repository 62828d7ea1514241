/** @file A served classifier at an address. */
import { defined } from '../core/defined.js';
import { type HttpServer, openServer } from '../http/server.js';
import { type AnsweringOptions, Answers, type ServedReply } from './answers.js';
import type { RequestEntry } from './request-entry.js';

export interface ListeningOptions extends AnsweringOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Most bytes of a body. */
  readonly maxBody: number;
  /** Seconds for which a stop waits for requests under way. */
  readonly grace: number;
  /** Called for each request answered. */
  readonly onRequest?: ((entry: RequestEntry) => void) | undefined;
}

export interface Listening extends HttpServer {
  readonly answers: Answers;
}

/** Throws RobustError ADDRESS_TAKEN if it cannot listen. */
export async function listen(options: ListeningOptions): Promise<Listening> {
  const { host, port, timeout, grace, maxBody, onRequest, onDefect } = options;
  const answers = new Answers(options);
  const server = await openServer<ServedReply>({
    host,
    port,
    timeout,
    grace,
    maxBody,
    ...defined({ onDefect }),
    answer: (request) => answers.reply(request),
    onAnswered: ({ request: { method, url, bytes }, reply, began, seconds }) =>
      onRequest?.({
        time: began.toISOString(),
        method,
        path: url.split('?', 1)[0]!,
        protocol: 'protocol' in reply ? reply.protocol : undefined,
        status: reply.status,
        texts: 'texts' in reply ? reply.texts : 0,
        bytes: bytes.length,
        seconds: Math.round(seconds * 1000) / 1000,
      }),
  });
  return { ...server, answers };
}
