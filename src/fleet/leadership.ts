/** @file Only one coordinator leads a run. It publishes its address and its progress every few seconds. */
import { hostname } from 'node:os';
import { RobustError } from '../core/errors.js';
import { RunInterrupted } from '../run/index.js';
import type { FleetProgress } from './phase.js';
import { RecentRate } from './recent-rate.js';
import { type Broker, keys } from './redis.js';
import { liveWorkers, type WorkerState } from './worker-state.js';

/** Facts of a run that are published besides its progress. */
export interface LedRun {
  readonly id: string;
  /** A hash of all that decides its outcomes. */
  readonly fingerprint: string;
  readonly token: string;
  readonly model: string;
  readonly data: string;
  readonly toolVersion: string;
}

/** A coordinator that showed no sign of life for so long is taken for dead. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 3000;
/** Workers wait so long for a coordinator that was killed. */
const ABSENT_SECONDS = 3600;
/** A broker that is away is not waited for at the end. */
const FAREWELL_MS = 2000;

export class Leadership {
  readonly #broker: Broker;
  readonly #run: LedRun;
  #heart: NodeJS.Timeout | undefined;
  #workers: readonly WorkerState[] = [];
  readonly #rate = new RecentRate();

  private constructor(broker: Broker, run: LedRun) {
    this.#broker = broker;
    this.#run = run;
  }

  /** Takes the lead. Throws RobustError RUN_TAKEN where another coordinator has it. */
  static async take(broker: Broker, run: LedRun): Promise<Leadership> {
    const { redis } = broker;
    const { id, fingerprint } = run;
    const key = keys.leader(fingerprint);
    const mine = JSON.stringify({ run: id, host: hostname(), pid: process.pid });
    const led = new Leadership(broker, run);
    if ((await redis.set(key, mine, 'PX', LEASE_MS, 'NX')) === 'OK') return led;
    const held = JSON.parse((await redis.get(key)) ?? mine) as { run: string; host: string; pid: number };
    // This very run has no other coordinator: we hold the lock of its folder.
    if (held.run !== id) {
      throw new RobustError(
        `another coordinator (${held.pid} on ${held.host}) has the same run on this queue, as ${held.run}`,
        {
          code: 'RUN_TAKEN',
          hint: `Wait for it, or continue its run once it has ended: robust attack --resume ${held.run}. A coordinator that does not respond is dropped after ${LEASE_MS / 1000} s.`,
        },
      );
    }
    await redis.set(key, mine, 'PX', LEASE_MS);
    return led;
  }

  /** Workers that recently published their state. */
  get workers(): readonly WorkerState[] {
    return this.#workers;
  }

  /** Jobs that the workers of this version can do at once. */
  get slots(): number {
    return this.#workers
      .filter(({ machine }) => machine.toolVersion === this.#run.toolVersion)
      .reduce((sum, { concurrency }) => sum + concurrency, 0);
  }

  /** Publishes its address for workers, now and every few seconds. Calls `drained` once a person has stopped the run. */
  async announce(
    url: string,
    progress: FleetProgress,
    beaten: () => void,
    drained: (stop: RunInterrupted) => void,
  ): Promise<void> {
    const { redis, queue } = this.#broker;
    const { id, fingerprint, token, model, data, toolVersion: version } = this.#run;
    const beat = async (): Promise<void> => {
      const { stage, done, total } = progress;
      this.#rate.note(done, performance.now());
      progress.rate = this.#rate.perSecond;
      const { rate } = progress;
      const where = { url, token, host: hostname(), pid: process.pid, version, queue: queue.name };
      const beat = new Date().toISOString();
      await redis.hset(keys.run(id), { ...where, fingerprint, model, data, stage, done, total, rate, beat });
      await redis.expire(keys.run(id), ABSENT_SECONDS);
      await redis.sadd(keys.runs, id);
      await redis.pexpire(keys.leader(fingerprint), LEASE_MS);
      this.#workers = await liveWorkers(redis);
      beaten();
      if (await redis.sismember(keys.drained, id)) drained(new RunInterrupted(id));
    };
    await redis.srem(keys.drained, id);
    await beat();
    this.#heart = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS);
  }

  /** `done`: the run ended; else workers need not wait for this coordinator, once `withdraw` has taken back what none has begun. */
  async resign(done: boolean, withdraw: () => Promise<void>): Promise<void> {
    clearInterval(this.#heart);
    const { redis } = this.#broker;
    const { id, fingerprint } = this.#run;
    const tidy = async (): Promise<void> => {
      if (!done) {
        await redis.hset(keys.run(id), { stage: 'stopped' });
        await withdraw();
      }
      const held = await redis.get(keys.leader(fingerprint));
      if (held?.includes(JSON.stringify(id))) await redis.del(keys.leader(fingerprint));
      if (!done) return;
      await redis.del(keys.run(id), keys.strikes(id));
      await redis.srem(keys.runs, id);
    };
    await Promise.race([tidy().catch(() => {}), new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())]);
  }
}
