/** @file What is on a queue, as a page on this machine that looks again every few seconds. */
import { queuePage } from '../../../reports/index.js';
import { queueStatus } from '../../fleet/administration.js';
import { openBroker } from '../../fleet/redis.js';
import { listen } from '../../fleet/server.js';
import { Access } from '../../ui/access.js';
import { toolVersion } from '../context.js';

export interface QueueUi {
  /** With the token of this session. */
  readonly url: string;
  /** Resolves once `signal` was aborted and nothing is open any more. */
  readonly stopped: Promise<void>;
}

const LOOK_AGAIN_SECONDS = 5;

/** Listens on 127.0.0.1 alone, at a port that is free where it is 0. Throws what `openBroker` throws, RobustError LISTEN. */
export async function queueUi(
  queue: string,
  port: number,
  warn: (message: string) => void,
  signal: AbortSignal | undefined,
): Promise<QueueUi> {
  const broker = await openBroker(queue, toolVersion, warn);
  const access = new Access();
  try {
    const server = await listen(`127.0.0.1:${port}`, async (request, response) => {
      const admission = access.judge(request, Number(new URL(server.url).port));
      if (admission.admitted === false) {
        response.writeHead(admission.refusal.status, { 'content-type': 'text/plain; charset=utf-8' });
        response.end(`${admission.refusal.reason}\n`);
      } else if (admission.admitted === 'new') {
        response.writeHead(303, { 'set-cookie': admission.cookie, location: admission.location });
        response.end();
      } else {
        const status = await queueStatus(broker, queue);
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          refresh: String(LOOK_AGAIN_SECONDS),
        });
        response.end([...queuePage(status)].join(''));
      }
    });
    const stopped = new Promise<void>((resolve) => {
      const stop = () => void Promise.all([server.close(), broker.close()]).then(() => resolve());
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
    return { url: `${server.url}/?token=${access.token}`, stopped };
  } catch (error) {
    await broker.close();
    throw error;
  }
}
