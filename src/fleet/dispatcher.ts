/**
 * @file Gives shards out as jobs, a few more than workers can take, and collects what was found from their logs. The queue leases the jobs and
 * tries them again; those that it lost, or that took processes down, are given out afresh.
 */
import type { JobType, Queue } from 'bullmq';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type Content, hashOf } from './content.js';
import { type Delivery, type FleetJob, type FleetShard, jobSchema, unpackDelivery } from './messages.js';
import type { Given, Phase } from './phases.js';
import type { Said } from './processor.js';
import { type Broker, BUSY, CRASHED, LIFE_SECONDS, STALLED } from './redis.js';
import { shardsAhead } from './shards.js';

/** How often jobs are looked for that the queue lost, and events that were. */
const RECONCILE_MS = 3000;
/** Tries of a job that fails or takes its process down. */
const ATTEMPTS = 2;
const AGAIN_MS = 250;

interface GivenOut extends Given {
  /** The hash of its content. */
  readonly input: string;
  /** Why it failed. */
  failed?: string | undefined;
}

/** Jobs stay in the queue until the run is over: their logs are what another coordinator has of an ended shard. */
export class Dispatcher {
  readonly #out = new Map<string, GivenOut>();
  readonly #again: Given[] = [];
  /** Jobs of which the queue said that they ended. */
  readonly #ended = new Set<string>();
  #wake = (): void => {};
  #number = 0;
  /** Shards that can run at once, all workers together. */
  slots = 1;

  /** `of`: what all jobs of the run have in common. */
  constructor(
    private readonly broker: Broker,
    private readonly content: Content,
    private readonly of: Pick<FleetJob, 'run' | 'key' | 'plan'>,
  ) {
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
    const failed = [...this.#out.values()].map((each) => each.failed);
    if (failed.length > 0) throw partsFailed(this.of.run, failed.length, failed[0]);
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
      const next = this.#again.shift() ?? (await phase.next(this.slots));
      if (next === undefined) break;
      if (phase.lacks(next.shard)) given.push(this.#giveOut(next, common));
    }
    await Promise.all(given);
  }

  async #giveOut({ shard, content }: Given, common: string | undefined): Promise<void> {
    const input = hashOf(content);
    const job: FleetJob = { ...this.of, shard, input, ...(common && { common }) };
    // A number of its own each time: the queue takes a name it knows for the same job.
    const id = `${this.of.key}.${Date.now().toString(36)}${(this.#number++).toString(36)}`;
    this.#out.set(id, { shard, content, input });
    await this.content.put(content);
    await this.broker.queue.add(shard.kind, job, {
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
    const { queue } = this.broker;
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
        this.#again.push(given);
      } else given.failed = undefined; // A person had it tried again.
    }
    if (lost) await this.content.restore();
  }

  /** Takes what was found. What is lacking is given out again; in `parts` where it took processes down. */
  async #close(phase: Phase, id: string, given: GivenOut, parts = false): Promise<void> {
    const { shard, input } = given;
    await this.#take(phase, shard, id);
    if (phase.lacks(shard)) this.#again.push(...(parts ? phase.split(given) : [given]));
    this.#out.delete(id);
    if (![...this.#out.values()].some((other) => other.input === input)) await this.content.drop(input);
  }

  async #onFailed(phase: Phase, id: string, given: GivenOut): Promise<void> {
    const job = await this.broker.queue.getJob(id);
    const reason = job?.failedReason ?? 'for no known reason';
    const crashed = reason.startsWith(CRASHED);
    if ((crashed && (job?.progress as Said | undefined)?.opening) || reason.includes(BUSY)) {
      // The model could not be opened there, and workers that fail so set the run aside; or it is no fault of the job.
      this.#out.delete(id);
      this.#again.push(given);
      await job?.remove();
    } else if (crashed || reason.includes(STALLED)) {
      await this.#close(phase, id, given, true);
      await job?.remove();
    } else given.failed = reason;
  }

  /** Takes the finds of a job. What is no delivery of its shard is passed over, and found again. */
  async #take(phase: Phase, shard: FleetShard, id: string): Promise<void> {
    const { queue } = this.broker;
    const earlier: Delivery[] = [];
    for (const entry of (await queue.getJobLogs(id)).logs) {
      try {
        const delivery = unpackDelivery(entry);
        phase.take(shard, delivery, earlier);
        earlier.push(delivery);
      } catch (error) {
        const { code } = error as RobustError;
        if (code === 'QUEUE_DAMAGED') continue;
        // It would end the run again.
        if (code === 'NOT_DETERMINISTIC') await queue.remove(id);
        throw error;
      }
    }
  }

  /** Takes what an earlier coordinator of the run left and this folder lacks. Its jobs are ours now; those that failed are given out afresh. */
  async #takeOver(phase: Phase): Promise<void> {
    const { queue } = this.broker;
    for await (const [id, { shard, input }] of jobsOf(queue, this.of.key, 'waiting', 'delayed', 'active')) {
      if (shard.kind !== phase.kind || !phase.lacks(shard)) continue;
      const content = await this.content.bytes(input).catch(() => undefined);
      // Otherwise it is given out again.
      if (content !== undefined && phase.adopts(shard))
        this.#out.set(id, { shard, input, content: content.toString() });
    }
    const failed: string[] = [];
    for await (const [id, { shard }, reason] of jobsOf(queue, this.of.key, 'completed', 'failed')) {
      if (shard.kind !== phase.kind) continue;
      if (phase.lacks(shard)) await this.#take(phase, shard, id);
      if (reason && !this.#out.has(id)) failed.push(id);
    }
    for (const id of failed) await queue.remove(id);
    await this.#conclude(phase, [...this.#out.keys()]);
  }
}

/** Jobs that are read or removed at a time: a large run has a million. */
const PAGE = 1000;

/** The jobs of a run, whoever gave them out. */
async function* jobsOf(queue: Queue, key: string, ...states: JobType[]) {
  for (let at = 0; ; at += PAGE) {
    const page = await queue.getJobs(states, at, at + PAGE - 1, true);
    if (page.length === 0) return;
    for (const job of page) {
      const { data } = jobSchema.safeParse(job?.data);
      if (data?.key === key) yield [must(job.id), data, job.failedReason] as const;
    }
  }
}

/** Removes the jobs of a run that is over. */
export async function removeJobs(queue: Queue, key: string): Promise<void> {
  const ids: string[] = [];
  for await (const [id] of jobsOf(queue, key, 'waiting', 'delayed', 'active', 'completed', 'failed')) ids.push(id);
  // A worker may still be at one.
  while (ids.length > 0) await Promise.all(ids.splice(-PAGE).map((id) => queue.remove(id).catch(() => {})));
}

const partsFailed = (run: string, count: number, reason: string | undefined): RobustError =>
  new RobustError(`${quantity(count, 'job')} of run ${run} failed on the workers, the first: ${reason}`, {
    code: 'QUEUE_PARTS_FAILED',
    hint: `The outcomes of the others are kept. Correct the cause, then continue with: robust attack --resume ${run} --queue ...`,
  });
