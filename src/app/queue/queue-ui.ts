/** @file The state of a queue, as a page on this machine that reloads every few seconds. */
import { asHtml, queueDocument } from '../../../reports/index.js';
import { ClosingStack, closingOnError } from '../../core/closing-stack.js';
import { queueStatus } from '../../fleet/administration.js';
import { openBroker } from '../../fleet/redis.js';
import { listenLocally, reply } from '../../ui/local-server.js';
import { toolVersion } from '../context.js';
import { stopping } from '../stopping.js';

export interface QueueUi {
  /** With the token of this session. */
  readonly url: string;
  /** Resolves once `signal` was aborted and nothing is open any more. */
  readonly stopped: Promise<void>;
}

const LOOK_AGAIN_SECONDS = 5;

/** Listens on 127.0.0.1 alone, at a port that is free where it is 0. Throws what `openBroker` throws, UsageError ADDRESS_UNAVAILABLE. */
export async function queueUi(
  queue: string,
  port: number,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<QueueUi> {
  return closingOnError(new ClosingStack(), async (opened) => {
    const broker = opened.add(await openBroker(queue, toolVersion, warn));
    const server = await listenLocally({
      port,
      onDefect: (error) => warn(`internal error: ${error instanceof Error ? error.message : error}`),
      answer: async (_, response) => {
        response.setHeader('refresh', String(LOOK_AGAIN_SECONDS));
        return reply(asHtml(queueDocument(await queueStatus(broker, queue))));
      },
    });
    opened.add(server);
    const { stopped } = stopping(signal, () => opened.close());
    return { url: server.url, stopped };
  });
}
