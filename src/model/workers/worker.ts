/** @file A worker: opens what its plan is of, then answers one request after the other. Started by pool.ts. */
import { pathToFileURL } from 'node:url';
import { hostSide } from './host-side.js';
import {
  type FromWorker,
  type HostMessage,
  type Released,
  type Served,
  serialiseError,
  type ToWorker,
  transferable,
  type WorkerData,
} from './messages.js';
import { threadClock } from './thread-time.js';

const { post, onMessage, end } = hostSide<ToWorker, FromWorker | Released>();
const clock = threadClock();
let served: Served<unknown, unknown, object> | undefined;
// One after the other, in the order they came: runs of one session share the places of their outputs.
let last: Promise<void> = Promise.resolve();

onMessage((message) => {
  last = last.then(() => take(message));
});

function take(message: ToWorker | HostMessage): Promise<void> | void {
  if ('data' in message) return open(message.data as WorkerData);
  if ('close' in message) return release();
  if ('end' in message) return end();
  if ('setting' in message) return served?.configure?.(message.setting);
  return run(message.id, message.request);
}

async function open({ module, plan }: WorkerData): Promise<void> {
  try {
    const { serve } = (await import(pathToFileURL(module).href)) as {
      serve(plan: unknown): Promise<Served<unknown, unknown, object>>;
    };
    served = await serve(plan);
    post({ ready: served.ready });
  } catch (error) {
    post({ failed: serialiseError(error) });
    end();
  }
}

async function run(id: number, request: unknown): Promise<void> {
  const begun = performance.now();
  const used = clock?.() ?? 0;
  try {
    if (served === undefined) throw new Error('a request came before the model');
    const answer = await served.answer(request);
    const seconds = (performance.now() - begun) / 1000;
    const processor = clock && clock() - used;
    post({ id, answer, seconds, processor }, transferable(answer));
  } catch (error) {
    post({ id, failed: serialiseError(error) });
  }
}

async function release(): Promise<void> {
  await served?.release();
  served = undefined;
  post({ released: true });
}
