/**
 * @file Puts jobs on the queue, a few more than workers can take, and sees that each is done: those that were stopped, lost by the broker,
 * or took workers down are queued again. So the broker holds little, and may forget all of it.
 */
import type { Queue } from 'bullmq';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { type Delivery, type FleetJob, type QueuedJob, queuedJobSchema } from './messages.js';
import type { Phase } from './phase.js';

/** A lost job is noticed within this time. */
const RECONCILE_MS = 5000;
const WAKE_MS = 1000;
/** Jobs given out for each that can run. */
const AHEAD = 3;
const LEAST_AHEAD = 24;

/** The number of jobs given out at a time, if `slots` can run at once. */
export const jobsAhead = (slots: number): number => Math.max(LEAST_AHEAD, AHEAD * slots);

const ATTEMPTS = 3;

interface GivenOut {
  readonly job: FleetJob;
  readonly suspect: boolean;
}

export class Dispatcher {
  readonly #queue: Queue;
  readonly #run: string;
  readonly #plan: string;
  readonly #out = new Map<string, GivenOut>();
  readonly #again: GivenOut[] = [];
  /** Job -> why it failed; a person may retry it meanwhile. */
  readonly #failed = new Map<string, GivenOut & { readonly reason: string }>();
  readonly #broken: FleetJob[] = [];
  #wake = () => {};
  #number = 0;
  /** Jobs that can run at once, all workers together. */
  slots = 1;

  constructor(queue: Queue, run: string, plan: string) {
    this.#queue = queue;
    this.#run = run;
    this.#plan = plan;
  }

  /** Jobs that are given out and not done. */
  get outstanding(): number {
    return this.#out.size;
  }

  /** Goes on at once instead of within a second. */
  wake(): void {
    this.#wake();
  }

  /** Notes how a job ended. */
  onEnd(id: string, state: Delivery['state'], phase: Phase): void {
    const given = this.#out.get(id);
    if (given === undefined || state === 'more') return;
    this.#out.delete(id);
    this.#repeat(phase, given.job, given.suspect || state === 'crashed', state === 'crashed');
    this.wake();
  }

  #repeat(phase: Phase, job: FleetJob, suspect: boolean, smaller = false): void {
    for (const rest of phase.rest(job)) {
      if (smaller) this.#broken.push(rest);
      else this.#again.push({ job: rest, suspect });
    }
  }

  /**
   * Until all of the phase is done. `between` is called at least once a second; it throws to end the phase. Throws RobustError
   * QUEUE_PARTS_FAILED where jobs failed and all others are done.
   */
  async run(phase: Phase, between: () => Promise<void>): Promise<void> {
    await this.#adopt(phase);
    let reconciled = performance.now();
    for (;;) {
      await between();
      await this.#fill(phase);
      if (this.#out.size === 0 && this.#again.length === 0 && this.#broken.length === 0) break;
      await this.#sleep();
      if (performance.now() - reconciled < RECONCILE_MS) continue;
      await this.#reconcile(phase, between);
      reconciled = performance.now();
    }
    const failed = [...this.#failed.values()].filter(({ job }) => phase.rest(job).length > 0);
    if (failed.length > 0) throw partsFailed(this.#run, failed);
  }

  /** Gives out jobs until enough are under way: those to repeat first, those that took a worker down in smaller parts. */
  async #fill(phase: Phase): Promise<void> {
    for (const job of this.#broken.splice(0)) {
      for (const smaller of await phase.splitJob(job)) this.#again.push({ job: smaller, suspect: true });
    }
    while (this.#out.size < jobsAhead(this.slots)) {
      const job = this.#again.shift() ?? (await this.#next(phase));
      if (job === undefined) break;
      await this.#giveOut(job);
    }
  }

  async #next(phase: Phase): Promise<GivenOut | undefined> {
    const job = await phase.next(this.slots);
    return job && { job, suspect: false };
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WAKE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #giveOut({ job, suspect }: GivenOut): Promise<void> {
    const what = job.kind === 'prepare' ? job.attack : `${job.from}-${job.to}`;
    // A number of its own each time: the broker takes a name it knows for the same job.
    const jobId = `${this.#run}.${job.kind}.${what.replaceAll(/[^\w-]/g, '_')}.${Date.now().toString(36)}${this.#number++}`;
    const data: QueuedJob = { run: this.#run, plan: this.#plan, suspect, job };
    this.#out.set(jobId, { job, suspect });
    await this.#queue.add(job.kind, data, {
      jobId,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: 1000 },
      removeOnComplete: true,
      removeOnFail: false,
      // A job that is given out again goes first: others may wait for it.
      ...(suspect && { lifo: true }),
    });
  }

  /** Takes back what no worker has begun. */
  async withdraw(): Promise<void> {
    for (const id of this.#out.keys()) {
      const found = await this.#queue.getJob(id);
      await found?.remove().catch(() => {});
    }
  }

  /** Jobs of an earlier coordinator of this run are ours now; those of this run that failed are given out afresh. */
  async #adopt(phase: Phase): Promise<void> {
    for (const found of await this.#queue.getJobs(['waiting', 'active', 'delayed', 'prioritized', 'failed'])) {
      const data = queuedJobSchema.safeParse(found?.data).data;
      if (data?.run !== this.#run || data.job.kind !== phase.kind || this.#out.has(found.id!)) continue;
      const state = await found.getState();
      if (state !== 'failed' && data.plan === this.#plan && phase.rest(data.job).length > 0) {
        this.#out.set(found.id!, { job: data.job, suspect: data.suspect });
        phase.onTaken(data.job);
      } else if (state !== 'active') await found.remove().catch(() => {});
    }
  }

  /** Finds jobs that the broker lost, and those that failed. */
  async #reconcile(phase: Phase, between: () => Promise<void>): Promise<void> {
    const lost: string[] = [];
    for (const id of [...this.#out.keys()]) if (await this.#isLost(id)) lost.push(id);
    // Their deliveries were written before they ended, and may still be unread.
    if (lost.length > 0) await between();
    for (const id of lost) {
      const given = this.#out.get(id);
      if (given === undefined) continue;
      this.#out.delete(id);
      this.#repeat(phase, given.job, given.suspect);
    }
    for (const [id, given] of [...this.#failed]) {
      if ((await this.#queue.getJobState(id)) === 'failed') continue;
      this.#failed.delete(id);
      this.#out.set(id, given);
    }
  }

  /** Whether the broker no longer has a job that is out; one that failed moves to the failed ones. */
  async #isLost(id: string): Promise<boolean> {
    const state = await this.#queue.getJobState(id);
    const given = this.#out.get(id);
    if (given === undefined) return false;
    if (state !== 'failed') return state === 'unknown' || state === 'completed';
    const reason = (await this.#queue.getJob(id))?.failedReason ?? 'for no known reason';
    this.#out.delete(id);
    this.#failed.set(id, { ...given, reason });
    return false;
  }
}

const partsFailed = (run: string, failed: readonly { readonly reason: string }[]): RobustError =>
  new RobustError(
    `${quantity(failed.length, 'job')} of run ${run} failed on the workers, the first: ${failed[0]?.reason}`,
    {
      code: 'QUEUE_PARTS_FAILED',
      hint: `The outcomes of the others are kept. Correct the cause, then continue with: robust attack --resume ${run} --queue ...`,
    },
  );
