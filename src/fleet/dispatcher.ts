/**
 * @file Gives shards out as jobs, a few more than workers can take, and collects what was found from their journals. The queue leases the jobs and
 * tries them again; those that it lost, or that took workers down, are given out afresh. So Redis holds little, and may forget all of it.
 */
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type Content, hashOf } from './content.js';
import { type FleetJob, type FleetShard, jobSchema, unpackDelivery } from './messages.js';
import type { Phase } from './phases.js';
import { type Broker, keys, LIFE_SECONDS, STALLED } from './redis.js';
import { shardsAhead } from './shards.js';

/** Time between two looks into the journals. */
const COLLECT_MS = 100;
/** A lost job is noticed within this time. */
const RECONCILE_MS = 5000;
/** Tries of a job that fails or takes its process down. */
const ATTEMPTS = 3;
const AGAIN_MS = 250;

/** How the reason of a job begins that took its process down. */
export const CRASH = 'its process crashed';

interface GivenOut {
  readonly job: FleetJob;
  /** Entries of its journal that were read. */
  read: number;
  /** Why it failed; a person may retry it meanwhile. */
  failed?: string | undefined;
}

export class Dispatcher {
  readonly #broker: Broker;
  readonly #content: Content;
  readonly #run: string;
  readonly #plan: string;
  readonly #out = new Map<string, GivenOut>();
  #again: { readonly shard: FleetShard; readonly alone: boolean }[] = [];
  #number = 0;
  /** Shards that can run at once, all workers together. */
  slots = 1;

  constructor(broker: Broker, content: Content, run: string, plan: string) {
    this.#broker = broker;
    this.#content = content;
    this.#run = run;
    this.#plan = plan;
  }

  /**
   * Until all of the phase is done. `between` is called every moment; it throws to end the phase. Throws RobustError QUEUE_PARTS_FAILED where
   * shards failed and all others are done.
   */
  async run(phase: Phase, common: string | undefined, between: () => void): Promise<void> {
    await this.#adopt(phase);
    let reconciled = performance.now();
    for (;;) {
      between();
      await this.#collect(phase, [...this.#out.keys()]);
      await this.#fill(phase, common);
      if ([...this.#out.values()].every(({ failed }) => failed !== undefined)) break;
      await new Promise((resolve) => setTimeout(resolve, COLLECT_MS));
      if (performance.now() - reconciled < RECONCILE_MS) continue;
      await this.#reconcile(phase);
      reconciled = performance.now();
    }
    const failed = [...this.#out.values()].map((each) => each.failed);
    if (failed.length > 0) throw partsFailed(this.#run, failed.length, failed[0]);
  }

  /** Gives out shards until enough are under way, those that come again first. */
  async #fill(phase: Phase, common: string | undefined): Promise<void> {
    this.#again = this.#again.filter(({ shard }) => phase.lacks(shard));
    const given: Promise<void>[] = [];
    while (this.#out.size < shardsAhead(this.slots)) {
      const again = this.#again.shift();
      const shard = again?.shard ?? (await phase.next(this.slots));
      if (shard === undefined) break;
      const giving = this.#giveOut(shard, await phase.input(shard), again?.alone ?? false, common);
      giving.catch(() => {}); // awaited below
      given.push(giving);
    }
    await Promise.all(given);
  }

  async #giveOut(shard: FleetShard, content: string, alone: boolean, common: string | undefined): Promise<void> {
    const { redis, queue } = this.#broker;
    const what = shard.kind === 'learn' ? shard.attacks[0]! : `${shard.from}-${shard.to}`;
    // A number of its own each time: the queue takes a name it knows for the same job.
    const id = `${this.#run}.${shard.kind}.${what.replaceAll(/[^\w-]/g, '_')}.${Date.now().toString(36)}${this.#number++}`;
    const job: FleetJob = {
      ...{ run: this.#run, plan: this.#plan, shard, alone },
      input: hashOf(content),
      ...(common && { common }),
    };
    this.#out.set(id, { job, read: 1 });
    await this.#content.put(content);
    await redis.rpush(keys.journal(id), '');
    await redis.expire(keys.journal(id), LIFE_SECONDS);
    await redis.hset(keys.jobs(this.#run), id, JSON.stringify(job));
    await redis.expire(keys.jobs(this.#run), LIFE_SECONDS);
    await queue.add(shard.kind, job, {
      jobId: id,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: AGAIN_MS },
      removeOnComplete: true,
      removeOnFail: false,
      // Others may wait for it.
      ...(alone && { lifo: true }),
    });
  }

  /** Takes what was found since the last look, and closes the shards that have ended. */
  async #collect(phase: Phase, ids: readonly string[]): Promise<void> {
    const pipeline = this.#broker.redis.pipeline();
    for (const id of ids) pipeline.lrangeBuffer(keys.journal(id), this.#out.get(id)!.read, -1);
    const replies = (await pipeline.exec()) ?? [];
    for (const [at, id] of ids.entries()) {
      const given = this.#out.get(id)!;
      let ended = false;
      for (const entry of (replies[at]?.[1] ?? []) as Buffer[]) {
        given.read++;
        if (entry.length > 0) ended = this.#take(phase, given.job.shard, entry) || ended;
      }
      if (ended) await this.#close(phase, id);
    }
  }

  /** True after the last delivery of a shard. What is no delivery of it is passed over, and found again. */
  #take(phase: Phase, shard: FleetShard, entry: Buffer): boolean {
    try {
      const { head, found } = unpackDelivery(entry);
      phase.take(shard, head, found);
      return head.end;
    } catch (error) {
      if (error instanceof RobustError && error.code === 'QUEUE_DAMAGED') return false;
      throw error;
    }
  }

  /** Ends a job, and gives what it lacks out again: as a whole, or in parts where it took workers down. */
  async #close(phase: Phase, id: string, crashed = false): Promise<void> {
    const given = this.#out.get(id);
    if (given === undefined) return;
    const { shard, input, alone } = given.job;
    // A Redis that was restarted may have lost the end of the journal, and got another one since.
    if (phase.lacks(shard) && given.read > 1) {
      for (const entry of await this.#broker.redis.lrangeBuffer(keys.journal(id), 1, -1))
        this.#take(phase, shard, entry);
    }
    const parts = crashed && phase.lacks(shard) ? await phase.split(shard) : [shard];
    for (const part of parts) if (phase.lacks(part)) this.#again.push({ shard: part, alone: alone || crashed });
    this.#out.delete(id);
    if (!phase.lacks(shard)) phase.onClosed(shard);
    await this.#forget(id, input);
  }

  async #forget(id: string, input: string): Promise<void> {
    const { redis } = this.#broker;
    await redis.hdel(keys.jobs(this.#run), id);
    await redis.del(keys.journal(id));
    await this.#content.drop(input);
  }

  /** Finds jobs that the queue lost, and those that failed. */
  async #reconcile(phase: Phase): Promise<void> {
    const lost: string[] = [];
    for (const [id, given] of this.#out) {
      const state = await this.#broker.queue.getJobState(id);
      if (state === 'unknown' || state === 'completed') lost.push(id);
      if (state !== 'failed') given.failed = undefined;
      else if (given.failed === undefined) await this.#onFailed(phase, id, given);
    }
    if (lost.length === 0) return;
    await this.#content.restore();
    // They may have ended between the two looks.
    await this.#collect(phase, lost);
    for (const id of lost) await this.#close(phase, id);
  }

  async #onFailed(phase: Phase, id: string, given: GivenOut): Promise<void> {
    const job = await this.#broker.queue.getJob(id);
    const reason = job?.failedReason ?? 'for no known reason';
    if (reason.startsWith(CRASH) || reason.includes(STALLED)) {
      await this.#collect(phase, [id]);
      await job?.remove();
      await this.#close(phase, id, true);
    } else given.failed = reason;
  }

  /** Takes back what no worker has begun. */
  async withdraw(): Promise<void> {
    for (const [id, { job }] of this.#out) {
      const found = await this.#broker.queue.getJob(id);
      const state = await found?.getState();
      if (state === 'active' || state === 'failed') continue;
      const gone = await found?.remove().then(
        () => true,
        () => false,
      );
      if (gone) await this.#forget(id, job.input);
    }
  }

  /** Jobs of an earlier coordinator of this run are ours now; those that failed are given out afresh. */
  async #adopt(phase: Phase): Promise<void> {
    this.#out.clear();
    for (const [id, text] of Object.entries(await this.#broker.redis.hgetall(keys.jobs(this.#run)))) {
      const job = jobSchema.parse(JSON.parse(text));
      const found = await this.#broker.queue.getJob(id);
      const failed = (await found?.isFailed()) === true;
      if (failed || job.shard.kind !== phase.kind || !phase.lacks(job.shard)) {
        await found?.remove().catch(() => {});
        await this.#forget(id, job.input);
      } else {
        this.#out.set(id, { job, read: 1 });
        phase.onTaken(job.shard);
      }
    }
    if (this.#out.size > 0) await this.#reconcile(phase);
  }
}

const partsFailed = (run: string, count: number, reason: string | undefined): RobustError =>
  new RobustError(`${quantity(count, 'job')} of run ${run} failed on the workers, the first: ${reason}`, {
    code: 'QUEUE_PARTS_FAILED',
    hint: `The outcomes of the others are kept. Correct the cause, then continue with: robust attack --resume ${run} --queue ...`,
  });
