/**
 * @file A worker: takes jobs from the queue and has them carried out in a process beside this one, so that this one can always show that it
 * lives, and outlives a job that takes its process down.
 */
import { RobustError } from '../core/errors.js';
import type { HttpServer } from '../http/server.js';
import type { CoordinatorAddress } from './coordinator-link.js';
import { type StoreChoice, workerStore } from './exchange.js';
import type { FromExecutor } from './executor-messages.js';
import { type ExecutorEnd, ExecutorProcess } from './executor-process.js';
import { IdleTime } from './idle-time.js';
import { type FleetJob, type Machine, packDelivery, type QueuedJob, queuedJobSchema } from './messages.js';
import { workerMetrics } from './metrics.js';
import { isObjectStore, ObjectStore, type StoreAccess } from './object-store.js';
import { RecentRate } from './recent-rate.js';
import { type Broker, explainFullBroker, keys, openBroker, type TakenJob } from './redis.js';
import { listen, metricsReply } from './server.js';
import { SharedLock } from './shared-lock.js';
import { forgetState, publishState, type WorkerState } from './worker-state.js';

export interface WorkerOptions {
  readonly queue: string;
  /** Jobs at once. */
  readonly concurrency: number;
  /** Seconds for which a job stays this worker's own without a sign of life of it. */
  readonly lock: number;
  readonly store?: string | undefined;
  /** How a store of objects is reached. */
  readonly access?: StoreAccess | undefined;
  readonly cache: string;
  readonly threads?: number | undefined;
  /** Where it asks models. @default where the run says */
  readonly device?: string | undefined;
  readonly offline: boolean;
  /** Packages that plans may name. */
  readonly plugins: readonly string[];
  /** Where readers of figures find them. */
  readonly listen?: string | undefined;
  readonly machine: Machine;
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

/**
 * Strikes against a job: one when it begins, which is removed when it ends and so remains if the whole worker vanished, which may be chance;
 * and one more if its process ended. A job with this many is given up, or divided.
 */
const STRIKES = { single: 6, divisible: 4 };
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
/** A job's marks expire after this time unless they were removed. */
const MARKS_SECONDS = 86_400;

/** Works until the signal ends it. Throws RobustError where this machine cannot work, having given its jobs back. */
export async function work(options: WorkerOptions): Promise<WorkerResult> {
  const { store, access, warn, signal = new AbortController().signal } = options;
  // A store that cannot be reached is an error before a job is taken.
  if (store !== undefined && isObjectStore(store))
    await (await ObjectStore.open(store, access, { warn, signal })).check();
  const broker = await openBroker(options.queue, options.machine.toolVersion, options.warn);
  const worker = new QueueWorker(broker, options);
  try {
    return await explainFullBroker(worker.run());
  } finally {
    await broker.close();
  }
}

class QueueWorker {
  readonly #broker: Broker;
  readonly #options: WorkerOptions;
  readonly #id: string;
  readonly #lock = new SharedLock();
  readonly #addresses = new Map<string, CoordinatorAddress | 'over'>();
  /** Run -> its jobs here. */
  readonly #jobs = new Map<string, QueuedJob>();
  #process: ExecutorProcess | undefined;
  readonly #began = performance.now();
  #figures = { outcomes: 0, asked: 0, jobs: 0 };
  readonly #idle = new IdleTime(this.#began);
  readonly #rate = new RecentRate();
  #slowest: WorkerState['slowest'] = [];
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
    const { concurrency, lock, note, signal, listen: at } = this.#options;
    signal?.addEventListener('abort', this.#stop);
    if (signal?.aborted) this.#stop();
    await this.#checkVersions();
    let server: HttpServer | undefined;
    if (at !== undefined) {
      server = await listen(at, async () => metricsReply(workerMetrics(this.#state())));
      note(`figures at ${server.url}/metrics`);
    }
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
      for (const id of this.#jobs.keys()) this.#process?.send({ kind: 'stop', id });
      const hard = setTimeout(() => {
        for (const id of this.#jobs.keys()) this.#process?.send({ kind: 'abort', id });
      }, STOPPING_MS);
      await worker.close();
      clearTimeout(hard);
    } finally {
      clearInterval(heart);
      signal?.removeEventListener('abort', this.#stop);
      await Promise.race([forgetState(this.#broker.redis, this.#id).catch(() => {}), wait(1000)]);
      this.#process?.end();
      await server?.close();
    }
    if (this.#refusal !== undefined) throw this.#refusal;
    const { outcomes, jobs } = this.#figures;
    return { outcomes, jobs, seconds: (performance.now() - this.#began) / 1000 };
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
    else throw new RobustError(what, { code: 'QUEUE_VERSION', hint });
  }

  async #beat(): Promise<void> {
    this.#rate.note(this.#figures.outcomes, performance.now());
    await publishState(this.#broker.redis, this.#state());
    for (const run of new Set([...this.#jobs.values()].map((job) => job.run))) await this.#locate(run);
  }

  #state(): WorkerState {
    const { outcomes, asked } = this.#figures;
    const now = performance.now();
    const [seconds, idle] = [(now - this.#began) / 1000, this.#idle.milliseconds(now) / 1000];
    const { concurrency, machine } = this.#options;
    const { perSecond: rate } = this.#rate;
    const [slowest, jobs] = [this.#slowest, [...this.#jobs.keys()]];
    return { id: this.#id, machine, concurrency, outcomes, asked, seconds, idle, rate, slowest, jobs };
  }

  /** Learns where the run's coordinator is now. */
  async #locate(run: string): Promise<void> {
    const { url, token, stage } = await this.#broker.redis.hgetall(keys.run(run));
    const address = url === undefined || token === undefined || stage === 'stopped' ? 'over' : { url, token };
    const known = this.#addresses.get(run);
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(address)) return;
    this.#addresses.set(run, address);
    this.#process?.send({ kind: 'address', run, address });
  }

  async #take({ id, data, giveBack }: TakenJob): Promise<void> {
    const read = queuedJobSchema.safeParse(data);
    if (!read.success) {
      this.#options.warn(`job ${id} was not written by robust and is refused`);
      throw this.#broker.unrecoverable('not a job of robust');
    }
    const queued = read.data;
    if (this.#ending) return giveBack();
    const refusal = this.#setAside.get(queued.plan);
    if (refusal !== undefined) return this.#putAside(queued, refusal, giveBack);
    const strikes = Number((await this.#broker.redis.hget(keys.strikes(queued.run), id)) ?? 0);
    await this.#locate(queued.run);
    if (strikes >= (isSingle(queued.job) ? STRIKES.single : STRIKES.divisible)) {
      await this.#reportCrashes(id, queued);
      return this.#forgetMarks(id, queued);
    }
    const release = await this.#lock.acquire(queued.suspect || strikes > 0);
    let begun = false;
    try {
      if (this.#ending) return await giveBack();
      this.#jobs.set(id, queued);
      const how = await this.#carryOut(id, queued, async () => {
        begun = true;
        this.#idle.began(performance.now());
        this.#failedOpenings.delete(queued.plan);
        await this.#strike(id, queued, 1);
      });
      await this.#conclude(id, queued, how, begun, giveBack);
    } finally {
      if (begun) this.#idle.end(performance.now());
      this.#jobs.delete(id);
      release();
    }
  }

  /** Acts on the end of a job; `begun`: its start is on record. */
  async #conclude(
    id: string,
    queued: QueuedJob,
    how: ExecutorEnd,
    begun: boolean,
    giveBack: TakenJob['giveBack'],
  ): Promise<void> {
    if (how.kind === 'ended') {
      this.#figures.jobs++;
      this.#givenBack = 0;
      return this.#forgetMarks(id, queued);
    }
    if (how.kind === 'crash') {
      this.#slowest = [];
      if (!begun) return this.#openingFailed(queued, how.message, giveBack);
      this.#options.warn(`${id} crashed its process (${how.message})`);
      await this.#strike(id, queued, 1);
      return giveBack();
    }
    if (begun) await this.#strike(id, queued, -1);
    if (how.kind === 'broken') throw new Error(how.message);
    if (how.kind === 'bad' || how.kind === 'refused') return this.#putAside(queued, how, giveBack);
    if (how.kind === 'unable') this.#end(how);
    return giveBack();
  }

  async #openingFailed({ plan, ...job }: QueuedJob, why: string, giveBack: TakenJob['giveBack']): Promise<void> {
    const failed = (this.#failedOpenings.get(plan) ?? 0) + 1;
    this.#failedOpenings.set(plan, failed);
    if (failed < FAILED_OPENINGS) return giveBack();
    return this.#putAside({ plan, ...job }, { ...cannotOpen(why), kind: 'refused' }, giveBack);
  }

  async #strike(id: string, { run }: QueuedJob, by: 1 | -1): Promise<void> {
    const { redis } = this.#broker;
    await redis.hincrby(keys.strikes(run), id, by);
    if (by > 0) await redis.expire(keys.strikes(run), MARKS_SECONDS);
  }

  async #forgetMarks(id: string, { run }: QueuedJob): Promise<void> {
    const { redis } = this.#broker;
    await redis.hdel(keys.strikes(run), id);
    await redis.del(keys.delivered(id));
  }

  /**
   * Does none of this run's jobs from here on. A plan that is bad for all workers fails at once, and any other once enough workers have set the
   * run aside: failed jobs are kept, with the run and the reason. Other runs go on.
   */
  async #putAside({ run, plan }: QueuedJob, refusal: SetAside, giveBack: TakenJob['giveBack']): Promise<void> {
    const { message, code, kind } = refusal;
    if (!this.#setAside.has(plan)) {
      this.#options.warn(`run ${run} is set aside: ${code}: ${message}`);
      this.#setAside.set(plan, refusal);
    }
    const { redis } = this.#broker;
    await redis.sadd(keys.refusals(run), this.#id);
    await redis.expire(keys.refusals(run), MARKS_SECONDS);
    if (kind === 'bad' || (await redis.scard(keys.refusals(run))) >= MOST_REFUSALS)
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

  async #carryOut(id: string, queued: QueuedJob, ready: () => Promise<void>): Promise<ExecutorEnd> {
    const { redis } = this.#broker;
    const bits = await redis.getBuffer(keys.delivered(id));
    const delivered = bits === null ? [] : indicesIn(bits);
    const process = this.#start();
    const address = this.#addresses.get(queued.run);
    if (address !== undefined) process.send({ kind: 'address', run: queued.run, address });
    const marks = new Set(delivered);
    const kept = (searches: readonly number[]): void => {
      for (const search of searches) marks.add(search);
      void redis.set(keys.delivered(id), bitsOf(marks), 'EX', MARKS_SECONDS).catch(() => {});
    };
    return process.carryOut({ kind: 'job', id, queued, delivered }, { ready, onKept: kept });
  }

  #start(): ExecutorProcess {
    if (this.#process?.alive) return this.#process;
    const { machine, threads = null, device = null, offline, plugins, executor, warn } = this.#options;
    this.#process = new ExecutorProcess(
      executor,
      { ...this.#storeChoice, machine, threads, device, offline, plugins },
      (message: FromExecutor) => {
        if (message.kind === 'warn') warn(message.message);
        if (message.kind === 'slowest') this.#slowest = message.searches;
        if (message.kind !== 'found') return;
        this.#figures.outcomes += message.outcomes;
        this.#figures.asked += message.queries;
      },
    );
    return this.#process;
  }

  get #storeChoice(): StoreChoice {
    const { store = null, access = null, cache } = this.#options;
    return { store, access, cache };
  }

  /** Reports a job that takes workers down to the coordinator. */
  async #reportCrashes(id: string, { run, job }: QueuedJob): Promise<void> {
    const { machine, warn, signal = new AbortController().signal } = this.#options;
    warn(`${id} crashed workers repeatedly: it is ${isSingle(job) ? 'given up' : 'divided'}`);
    const where = () => this.#addresses.get(run);
    const to = await workerStore(run, this.#storeChoice, { where, signal, warn });
    const head = { run, id, machine, job, state: 'crashed' as const, seconds: {} };
    await to.deliver(packDelivery(head, new Uint8Array())).catch((error: RobustError) => {
      if (error.code !== 'RUN_OVER') throw error;
    });
  }
}

/** It cannot be made smaller. */
const isSingle = (job: FleetJob): boolean =>
  job.kind === 'prepare' || (job.to - job.from <= 1 && (job.kind === 'answers' || job.attacks.length === 1));

const cannotOpen = (how: string) => ({
  message: `the computing process ended ${FAILED_OPENINGS} times while opening a run (${how})`,
  code: 'MODEL_CRASHED',
  hint: 'Does this machine have enough memory for the model, --runtime concurrency times? robust doctor checks the runtime.',
});

/** Why a run is set aside. */
type SetAside = Extract<ExecutorEnd, { message: string }>;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

function bitsOf(indices: ReadonlySet<number>): Buffer {
  const bits = Buffer.alloc(Math.floor(Math.max(0, ...indices) / 8) + 1);
  for (const index of indices) bits.writeUInt8(bits.readUInt8(index >> 3) | (1 << (index & 7)), index >> 3);
  return bits;
}

function indicesIn(bits: Buffer): number[] {
  return [...bits].flatMap((byte, at) =>
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bit) => ((byte >> bit) & 1 ? [at * 8 + bit] : [])),
  );
}
