/**
 * @file A worker: takes jobs from the queue and has them carried out in a process beside this one, so that this one can always show that it
 * lives, and outlives a job that takes its process down.
 */
import { RobustError } from '../core/errors.js';
import { openStore } from './buckets.js';
import { CRASH } from './dispatcher.js';
import type { ExecutorSetup, FromExecutor, JobEnd } from './executor.js';
import { ExecutorProcess } from './executor-process.js';
import { type FleetJob, jobSchema } from './messages.js';
import { type Broker, explainFullBroker, keys, openBroker, type TakenJob } from './redis.js';
import { SharedLock } from './shared-lock.js';
import { forgetState, publishState } from './worker-state.js';

export interface WorkerOptions extends ExecutorSetup {
  /** Jobs at once. */
  readonly concurrency: number;
  /** Seconds for which a job stays this worker's own without a sign of life of it. */
  readonly lock: number;
  /** The compiled file of the process that computes. */
  readonly executor: string;
  readonly signal?: AbortSignal | undefined;
  note(line: string): void;
  warn(message: string): void;
}

export interface WorkerResult {
  readonly outcomes: number;
  readonly jobs: number;
  readonly seconds: number;
}

/** A run is set aside after its opening has ended this many processes. */
const FAILED_OPENINGS = 3;
/** The jobs of a run fail once this many workers have set it aside. */
const MOST_REFUSALS = 10;
/** A worker that gives a job back takes no other in its place for this long, so that other workers do; the time doubles with each job in a row. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const HEARTBEAT_MS = 2000;
/** Time for the last deliveries once a worker ends. */
const STOPPING_MS = 20_000;
/** The workers that set a run aside are forgotten after this time. */
const REFUSALS_SECONDS = 86_400;

/** Works until the signal ends it. Throws RobustError where this machine cannot work, having given its jobs back. */
export async function work(options: WorkerOptions): Promise<WorkerResult> {
  const { store, access, cache, queue, machine, warn } = options;
  // A store that cannot be reached is an error before a job is taken.
  await openStore(store ?? undefined, access ?? undefined, cache, warn);
  const broker = await openBroker(queue, machine.toolVersion, warn);
  try {
    return await explainFullBroker(new QueueWorker(broker, options).run());
  } finally {
    await broker.close();
  }
}

class QueueWorker {
  readonly #broker: Broker;
  readonly #options: WorkerOptions;
  readonly #id: string;
  readonly #lock = new SharedLock();
  readonly #jobs = new Set<string>();
  #process: ExecutorProcess | undefined;
  readonly #began = performance.now();
  #figures = { outcomes: 0, jobs: 0 };
  #ending = false;
  /** Plan -> processes that ended while they opened it. */
  readonly #failedOpenings = new Map<string, number>();
  /** Plans that this worker does not carry out, and why. */
  readonly #setAside = new Map<string, SetAside>();
  /** Jobs of such plans that were given back in a row. */
  #givenBack = 0;
  #refusal: RobustError | undefined;
  #stop = () => {};
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });

  constructor(broker: Broker, options: WorkerOptions) {
    this.#broker = broker;
    this.#options = options;
    const { host, pid } = options.machine;
    this.#id = `${host}:${pid}`;
  }

  async run(): Promise<WorkerResult> {
    const { concurrency, lock, note, signal } = this.#options;
    signal?.addEventListener('abort', this.#stop);
    if (signal?.aborted) this.#stop();
    await this.#checkVersions();
    const worker = this.#broker.worker((job) => this.#take(job), { concurrency, lock: lock * 1000 });
    const heart = setInterval(() => void this.#beat().catch(() => {}), HEARTBEAT_MS);
    try {
      await this.#beat();
      // It takes a second to begin, which the first job need not wait for.
      this.#start();
      note(`${this.#id} takes jobs from ${this.#broker.queue.name}, at most ${concurrency} at a time`);
      worker.run().catch(() => {});
      await this.#stopped;
      this.#ending = true;
      for (const id of this.#jobs) this.#process?.stop(id);
      await Promise.race([worker.close(), wait(STOPPING_MS)]);
    } finally {
      clearInterval(heart);
      signal?.removeEventListener('abort', this.#stop);
      await Promise.race([forgetState(this.#broker.redis, this.#id).catch(() => {}), wait(1000)]);
      this.#process?.end();
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    return { ...this.#figures, seconds: (performance.now() - this.#began) / 1000 };
  }

  /** Throws where all runs that wait are for another version. */
  async #checkVersions(): Promise<void> {
    const { redis } = this.#broker;
    const { toolVersion } = this.#options.machine;
    const runs = await redis.smembers(keys.runs);
    const found = await Promise.all(runs.map((run) => redis.hmget(keys.run(run), 'version', 'stage')));
    const versions = found.flatMap(([version, stage]) => (version && stage !== 'stopped' ? [version] : []));
    const others = versions.filter((version) => version !== toolVersion);
    if (others.length === 0) return;
    const what = `the runs on this queue are of robust ${[...new Set(others)].join(', ')}, this worker is ${toolVersion}`;
    const hint = 'Install the same version here: results of different versions are not put together.';
    if (others.length < versions.length) this.#options.warn(`some of ${what}`);
    else throw new RobustError(what, { code: 'WORKER_UNFIT', hint });
  }

  async #beat(): Promise<void> {
    const { concurrency, machine } = this.#options;
    const { outcomes } = this.#figures;
    await publishState(this.#broker.redis, { id: this.#id, machine, concurrency, outcomes, jobs: [...this.#jobs] });
  }

  async #take({ id, data, suspect, giveBack }: TakenJob): Promise<void> {
    const read = jobSchema.safeParse(data);
    if (!read.success) {
      this.#options.warn(`job ${id} was not written by robust and is refused`);
      throw this.#broker.unrecoverable('not a job of robust');
    }
    const job = read.data;
    if (this.#ending) return giveBack();
    const refusal = this.#setAside.get(job.plan);
    if (refusal !== undefined) return this.#putAside(job, refusal, giveBack);
    const release = await this.#lock.acquire(job.alone || suspect);
    try {
      if (this.#ending) return await giveBack();
      this.#jobs.add(id);
      let begun = false;
      const end = await this.#start().carryOut(id, job, () => {
        begun = true;
        this.#failedOpenings.delete(job.plan);
      });
      await this.#conclude(id, job, end, begun, giveBack);
    } finally {
      this.#jobs.delete(id);
      release();
    }
  }

  /** Acts on the end of a job; `begun`: all that it needs was there. */
  async #conclude(
    id: string,
    job: FleetJob,
    end: JobEnd,
    begun: boolean,
    giveBack: TakenJob['giveBack'],
  ): Promise<void> {
    if (end.how === 'done') {
      this.#figures.jobs++;
      this.#givenBack = 0;
      return;
    }
    if (end.how === 'crash') {
      if (!begun) return this.#openingFailed(job, end.message, giveBack);
      this.#options.warn(`${id} crashed its process (${end.message})`);
      throw new Error(`${CRASH} (${end.message})`);
    }
    if (end.how === 'broken') throw new Error(end.message);
    if (end.how === 'bad' || end.how === 'refused') return this.#putAside(job, end, giveBack);
    if (end.how === 'unable') this.#end(end);
    return giveBack();
  }

  async #openingFailed(job: FleetJob, why: string, giveBack: TakenJob['giveBack']): Promise<void> {
    const failed = (this.#failedOpenings.get(job.plan) ?? 0) + 1;
    this.#failedOpenings.set(job.plan, failed);
    if (failed < FAILED_OPENINGS) return giveBack();
    return this.#putAside(job, { ...cannotOpen(why), how: 'refused' }, giveBack);
  }

  /**
   * Does none of this run's jobs from here on. A plan that is bad for all workers fails at once, and any other once enough workers have set the
   * run aside: failed jobs are kept, with the run and the reason. Other runs go on.
   */
  async #putAside({ run, plan }: FleetJob, refusal: SetAside, giveBack: TakenJob['giveBack']): Promise<void> {
    const { message, code, how } = refusal;
    if (!this.#setAside.has(plan)) {
      this.#options.warn(`run ${run} is set aside: ${code}: ${message}`);
      this.#setAside.set(plan, refusal);
    }
    const { redis } = this.#broker;
    await redis.sadd(keys.refusals(run), this.#id);
    await redis.expire(keys.refusals(run), REFUSALS_SECONDS);
    if (how === 'bad' || (await redis.scard(keys.refusals(run))) >= MOST_REFUSALS)
      throw this.#broker.unrecoverable(`run ${run} was set aside: ${code}: ${message}`);
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#givenBack++);
    try {
      return await giveBack(1); // Behind the jobs of other runs.
    } finally {
      await Promise.race([wait(pause), this.#stopped]);
    }
  }

  /** Ends this worker: what it cannot do, others may. */
  #end({ message, code, hint }: Pick<SetAside, 'message' | 'code' | 'hint'>): void {
    this.#options.warn(`${code}: ${message}`);
    this.#refusal ??= new RobustError(message, { code, ...(hint === null ? {} : { hint }) });
    this.#ending = true;
    this.#stop();
  }

  #start(): ExecutorProcess {
    if (this.#process?.alive) return this.#process;
    const { queue, store, access, cache, machine, threads, device, offline, plugins } = this.#options;
    const setup = { queue, store, access, cache, machine, threads, device, offline, plugins };
    this.#process = new ExecutorProcess(this.#options.executor, setup, (message: FromExecutor) => {
      if (message.kind === 'warn') this.#options.warn(message.message);
      if (message.kind === 'found') this.#figures.outcomes++;
    });
    return this.#process;
  }
}

const cannotOpen = (how: string) => ({
  message: `the computing process ended ${FAILED_OPENINGS} times while opening a run (${how})`,
  code: 'MODEL_CRASHED' as const,
  hint: 'Does this machine have enough memory for the model, --runtime concurrency times? robust doctor checks the runtime.',
});

/** Why a run is set aside. */
type SetAside = Extract<JobEnd, { message: string }>;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
