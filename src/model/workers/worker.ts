/** @file A worker: opens what its plan is of, then answers one request after the other. Started by pool.ts. */
import { pathToFileURL } from 'node:url';
import { hostSide } from './host-side.js';
import {
  type FromWorker,
  type Served,
  serialiseError,
  type ToWorker,
  transferable,
  type WorkerData,
} from './messages.js';
import { threadClock } from './thread-time.js';

/** The body of a worker. */
async function work(): Promise<void> {
  const { data, post, onMessage, end } = await hostSide<ToWorker, FromWorker>();
  try {
    const { module, plan } = data as WorkerData;
    const { serve } = (await import(pathToFileURL(module).href)) as {
      serve(plan: unknown): Promise<Served<unknown, unknown, object>>;
    };
    const served = await serve(plan);
    // One after the other, in the order they came: runs of one session share the places of their outputs.
    let last: Promise<void> = Promise.resolve();
    const clock = threadClock();
    const run = async (id: number, request: unknown): Promise<void> => {
      const begun = performance.now();
      const used = clock?.() ?? 0;
      try {
        const answer = await served.answer(request);
        const seconds = (performance.now() - begun) / 1000;
        const processor = clock && clock() - used;
        post({ id, answer, seconds, processor }, transferable(answer));
      } catch (error) {
        post({ id, failed: serialiseError(error) });
      }
    };
    onMessage((message) => {
      last = last.then(() => {
        if ('close' in message) return served.release().then(end);
        if ('setting' in message) return served.configure?.(message.setting);
        return run(message.id, message.request);
      });
    });
    post({ ready: served.ready });
  } catch (error) {
    post({ failed: serialiseError(error) });
  }
}

await work();
