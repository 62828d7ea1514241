/** @file A worker: takes jobs from the queue and has processes carry them out, so that it can always show that it lives, and outlives a job that takes its process down. */
import type { Job } from 'bullmq';
import { type ErrorCode, must, RobustError } from '../core/errors.js';
import { openStore } from './buckets.js';
import type { FleetJob } from './messages.js';
import { type ProcessorSetup, REFUSALS_SECONDS, type Said, SETUP } from './processor.js';
import { type Broker, CRASHED, explainedBroker, keys, openBroker, runsOn } from './redis.js';

export interface WorkerOptions extends Omit<ProcessorSetup, 'id'> {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Seconds for which a job stays this worker's own without a sign of life of it. */
  readonly lock: number;
  /** The compiled file of the processes that compute. */
  readonly processor: string;
  /** That of this process, which its processes get. */
  readonly environment: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  note(line: string): void;
  warn(message: string): void;
}

export interface WorkerResult {
  readonly outcomes: number;
  readonly jobs: number;
  readonly seconds: number;
}

/** Time for the last deliveries once a worker ends. */
const STOPPING_MS = 20_000;

/** Works until the signal ends it. Throws RobustError where this machine cannot work, having given its jobs back. */
export async function work(options: WorkerOptions): Promise<WorkerResult> {
  const { concurrency, lock, processor, environment, signal, note, warn, ...rest } = options;
  const { store, access, cache, queue, machine } = rest;
  // A store that cannot be reached is an error before a job is taken.
  await openStore(store ?? undefined, access ?? undefined, cache, warn);
  const broker = await openBroker(queue, machine.toolVersion, warn);
  const id = `${machine.host}:${machine.pid}`;
  const setup: ProcessorSetup = { ...rest, id };
  const began = performance.now();
  const figures = { outcomes: 0, jobs: 0 };
  try {
    await explainedBroker(checkVersions(broker, machine.toolVersion, warn));
    const env = { ...environment, [SETUP]: JSON.stringify(setup) };
    const worker = broker.worker(processor, lock * 1000, env, { name: `${id}:${concurrency}`, concurrency });
    await new Promise<void>((resolve, reject) => {
      const stop = () => resolve();
      if (signal?.aborted) stop();
      signal?.addEventListener('abort', stop, { once: true });
      worker.on('completed', (_: Job, found: number) => {
        figures.jobs++;
        figures.outcomes += found;
      });
      worker.on('progress', (_, progress) => {
        const { warn: warning, unable } = progress as Said;
        if (warning !== undefined) warn(warning);
        if (unable === undefined) return;
        warn(`${unable.code}: ${unable.message}`);
        reject(new RobustError(unable.message, unable));
      });
      worker.on('failed', (job, { message }) => {
        warn(`${job?.id ?? 'a job'} failed: ${message}`);
        if ((job?.progress as Said | undefined)?.opening && message.startsWith(CRASHED))
          void noteOpening(broker, must(job), id).catch(() => {});
      });
      worker.on(
        'error',
        (error) =>
          void explainedBroker(Promise.reject(error)).catch((why) => why instanceof RobustError && reject(why)),
      );
      note(`${id} takes jobs from ${broker.queue.name}, at most ${concurrency} at a time`);
      worker.run().catch(() => {});
    }).finally(async () => {
      worker.cancelAllJobs();
      await Promise.race([worker.close(), new Promise((resolve) => setTimeout(resolve, STOPPING_MS).unref())]);
    });
    return { ...figures, seconds: (performance.now() - began) / 1000 };
  } finally {
    await broker.close();
  }
}

/** Counts a process that ended before all was there for its job. */
async function noteOpening({ redis }: Broker, job: Job, id: string): Promise<void> {
  const key = keys.openings((job.data as FleetJob).key);
  await redis.hincrby(key, id, 1);
  await redis.expire(key, REFUSALS_SECONDS);
}

/** Throws where all runs that wait are for another version. */
async function checkVersions({ redis }: Broker, own: string, warn: (message: string) => void): Promise<void> {
  const versions = (await runsOn(redis)).map(({ version }) => version);
  const others = versions.filter((version) => version !== own);
  if (others.length === 0) return;
  const what = `the runs on this queue are of robust ${[...new Set(others)].join(', ')}, this worker is ${own}`;
  const hint = 'Install the same version here: results of different versions are not put together.';
  if (others.length < versions.length) warn(`some of ${what}`);
  else throw new RobustError(what, { code: 'WORKER_UNFIT' satisfies ErrorCode, hint });
}
