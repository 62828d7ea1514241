/**
 * @file Gives shards out as jobs, a few more than workers can take, and collects what was found from their logs. The queue leases the jobs and
 * tries them again; those that it lost, or that took processes down, are given out afresh.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Job } from 'bullmq';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type Content, hashOf } from './content.js';
import { type FleetJob, type FleetShard, jobSchema, unpackDelivery } from './messages.js';
import type { Phase, Received } from './phases.js';
import { type Broker, BUSY, CRASHED, keys, LIFE_SECONDS, STALLED } from './redis.js';
import { shardsAhead } from './shards.js';

/** How often jobs are looked for that the queue lost, and events that were. */
const RECONCILE_MS = 3000;
/** Tries of a job that fails or takes its process down. */
const ATTEMPTS = 2;
const AGAIN_MS = 250;
/** Finds of ended shards are put together until they have this many characters. */
const KEPT_TEXT = 4 << 20;

interface GivenOut {
  readonly job: FleetJob;
  /** Why it failed. */
  failed?: string | undefined;
}

/** What was found of an ended shard: the entries of its log. */
type Kept = readonly [shard: FleetShard, entries: readonly string[]];

export class Dispatcher {
  readonly #broker: Broker;
  readonly #content: Content;
  /** What all jobs of the run have in common. */
  readonly #of: Pick<FleetJob, 'run' | 'key' | 'plan'>;
  readonly #out = new Map<string, GivenOut>();
  readonly #again: FleetShard[] = [];
  /** Jobs of which the queue said that they ended. */
  readonly #ended = new Set<string>();
  #wake = (): void => {};
  /** Ended shards whose jobs are still in the queue, as its log is the only copy beside the run's folder. */
  #kept: (readonly [id: string, ...kept: Kept])[] = [];
  #keptText = 0;
  #number = 0;
  /** Shards that can run at once, all workers together. */
  slots = 1;

  constructor(broker: Broker, content: Content, of: Pick<FleetJob, 'run' | 'key' | 'plan'>) {
    this.#broker = broker;
    this.#content = content;
    this.#of = of;
    for (const event of ['completed', 'failed'] as const)
      broker.events.on(event, ({ jobId }: { jobId: string }) => {
        this.#ended.add(jobId);
        this.#wake();
      });
  }

  /**
   * Until all of the phase is done. `between` is called every moment; it throws to end the phase. Throws RobustError QUEUE_PARTS_FAILED where
   * shards failed and all others are done.
   */
  async run(phase: Phase, common: string | undefined, between: () => void): Promise<void> {
    await this.#takeOver(phase);
    for (let reconciled = performance.now(); ; ) {
      between();
      const due = performance.now() - reconciled > RECONCILE_MS;
      if (due) reconciled = performance.now();
      await this.#conclude(phase, due ? [...this.#out.keys()] : [...this.#ended]);
      await this.#fill(phase, common);
      if ([...this.#out.values()].every(({ failed }) => failed !== undefined)) break;
      if (this.#ended.size === 0) await this.#moment();
    }
    await this.#keep();
    const failed = [...this.#out.values()].map((each) => each.failed);
    if (failed.length > 0) throw partsFailed(this.#of.run, failed.length, failed[0]);
  }

  /** Until a job ends, and not for long. */
  #moment(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, 100);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Gives out shards until enough are under way, those that come again first. */
  async #fill(phase: Phase, common: string | undefined): Promise<void> {
    const given: Promise<void>[] = [];
    while (this.#out.size < shardsAhead(this.slots)) {
      const shard = this.#again.shift() ?? (await phase.next(this.slots));
      if (shard === undefined) break;
      if (phase.lacks(shard)) given.push(this.#giveOut(shard, await phase.input(shard), common));
    }
    await Promise.all(given);
  }

  async #giveOut(shard: FleetShard, content: string, common: string | undefined): Promise<void> {
    const input = hashOf(content);
    const job: FleetJob = { ...this.#of, shard, input, ...(common && { common }) };
    // A number of its own each time: the queue takes a name it knows for the same job.
    const id = `${this.#of.key}.${Date.now().toString(36)}${(this.#number++).toString(36)}`;
    this.#out.set(id, { job });
    await this.#content.put(content);
    await this.#broker.queue.add(shard.kind, job, {
      jobId: id,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: AGAIN_MS },
      // What a run leaves that is never resumed.
      removeOnComplete: { age: LIFE_SECONDS },
      removeOnFail: { age: LIFE_SECONDS },
    });
  }

  /** Acts on the jobs that ended, and on those that the queue lost. */
  async #conclude(phase: Phase, ids: readonly string[]): Promise<void> {
    const { queue } = this.#broker;
    let lost = false;
    for (const id of ids) {
      this.#ended.delete(id);
      const given = this.#out.get(id);
      if (given === undefined) continue;
      const state = await queue.getJobState(id);
      if (state === 'completed') await this.#close(phase, id, given);
      else if (state === 'failed') await this.#onFailed(phase, id, given);
      else if (state === 'unknown') {
        lost = true;
        this.#out.delete(id);
        this.#again.push(given.job.shard);
      } else given.failed = undefined; // A person had it tried again.
    }
    if (lost) await this.#content.restore();
  }

  /** Takes what was found. What is lacking is given out again; in `parts` where it took processes down. */
  async #close(phase: Phase, id: string, { job: { shard, input } }: GivenOut, parts = false): Promise<void> {
    const { logs } = await this.#broker.queue.getJobLogs(id);
    this.#take(phase, shard, logs);
    const rest = parts && phase.lacks(shard) ? await phase.split(shard) : [shard];
    this.#again.push(...rest.filter((each) => phase.lacks(each)));
    this.#out.delete(id);
    if (![...this.#out.values()].some(({ job }) => job.input === input)) await this.#content.drop(input);
    this.#kept.push([id, shard, logs]);
    this.#keptText += logs.reduce((sum, { length }) => sum + length, 0);
    if (this.#keptText > KEPT_TEXT) await this.#keep();
  }

  async #onFailed(phase: Phase, id: string, given: GivenOut): Promise<void> {
    const job = await this.#broker.queue.getJob(id);
    const reason = job?.failedReason ?? 'for no known reason';
    const crashed = reason.startsWith(CRASHED);
    if ((crashed && job?.progress === 'opening') || reason.includes(BUSY)) {
      // The model could not be opened there, and workers that fail so set the run aside; or it is no fault of the job.
      this.#out.delete(id);
      this.#again.push(given.job.shard);
      await job?.remove();
    } else if (crashed || reason.includes(STALLED)) await this.#close(phase, id, given, true);
    else given.failed = reason;
  }

  /** What is no delivery of the shard is passed over, and found again. */
  #take(phase: Phase, shard: FleetShard, entries: readonly string[]): void {
    const earlier: Received[] = [];
    for (const entry of entries) {
      try {
        const received = unpackDelivery(entry);
        phase.take(shard, received, earlier);
        earlier.push(received);
      } catch (error) {
        if (!(error instanceof RobustError && error.code === 'QUEUE_DAMAGED')) throw error;
      }
    }
  }

  /** Puts the finds of ended shards where another coordinator gets them, and removes their jobs. */
  async #keep(): Promise<void> {
    if (this.#kept.length === 0) return;
    const { redis, queue } = this.#broker;
    const list = keys.kept(this.#of.key);
    const text = JSON.stringify(this.#kept.map(([, ...kept]) => kept));
    await redis.rpush(list, await this.#content.put(gzipSync(text, { level: 1 }), 'result'));
    await redis.expire(list, LIFE_SECONDS);
    const ids = this.#kept.map(([id]) => id);
    this.#kept = [];
    this.#keptText = 0;
    await Promise.all(ids.map((id) => queue.remove(id).catch(() => {})));
  }

  /** Takes the finds that an earlier coordinator of the run left and this folder lacks. Its jobs are ours now; those that failed are given out afresh. */
  async #takeOver(phase: Phase): Promise<void> {
    this.#out.clear();
    this.#again.length = 0;
    for (const sha256 of await this.#broker.redis.lrange(keys.kept(this.#of.key), 0, -1)) {
      const bytes = await this.#content.bytes(sha256).catch(() => undefined);
      if (bytes === undefined) continue; // It is found again.
      for (const [shard, entries] of JSON.parse(gunzipSync(bytes).toString('utf8')) as Kept[])
        if (shard.kind === phase.kind && phase.lacks(shard)) this.#take(phase, shard, entries);
    }
    for (const job of await this.#jobs()) {
      const { data } = jobSchema.safeParse(job.data);
      if (data?.shard.kind !== phase.kind || !phase.lacks(data.shard) || (await job.isFailed())) {
        if (data?.shard.kind === phase.kind)
          this.#take(phase, data.shard, (await this.#broker.queue.getJobLogs(job.id!)).logs);
        await job.remove().catch(() => {});
      } else {
        this.#out.set(job.id!, { job: data });
        phase.onTaken(data.shard);
      }
    }
    await this.#conclude(phase, [...this.#out.keys()]);
  }

  /** The jobs of the run, whoever gave them out. */
  async #jobs(): Promise<Job[]> {
    const all = await this.#broker.queue.getJobs(['waiting', 'delayed', 'active', 'completed', 'failed']);
    return all.filter((job) => job?.id?.startsWith(`${this.#of.key}.`));
  }
}

const partsFailed = (run: string, count: number, reason: string | undefined): RobustError =>
  new RobustError(`${quantity(count, 'job')} of run ${run} failed on the workers, the first: ${reason}`, {
    code: 'QUEUE_PARTS_FAILED',
    hint: `The outcomes of the others are kept. Correct the cause, then continue with: robust attack --resume ${run} --queue ...`,
  });
