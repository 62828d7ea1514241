/**
 * @file Carries out shards for a worker, in a process of BullMQ's that it may take down: fetches what a shard names, answers or searches, and
 * writes what it finds into the log of its job as it finds it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Queue, SandboxedJob } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Example } from '../core/dataset.js';
import { type ErrorDetails, ModelGone, messageOf, must, OutputError, RobustError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import {
  answersTo,
  lineOf,
  qualityOf,
  type ReadyAttack,
  type RunPlan,
  readyAttacks,
  searchPart,
  tryParse,
} from '../run/index.js';
import { readTape, tapedPlan, tapeLine } from './answer-tape.js';
import { openStore, type StoreAccess } from './buckets.js';
import { Content, type ContentSource, type LargeStore, MOST_BYTES } from './content.js';
import {
  commonSchema,
  type FleetJob,
  jobSchema,
  type Machine,
  type PlanDocument,
  parseMessage,
  planSchema,
  readInputs,
  readRows,
  writeRows,
} from './messages.js';
import { connectQueue, explainedBroker, keys } from './redis.js';
import { runOver, ShardLog } from './shard-log.js';

export interface ProcessorSetup {
  readonly queue: string;
  /** The worker's name. */
  readonly id: string;
  /** A folder or s3://bucket/prefix, and how it is reached. */
  readonly store: string | null;
  readonly access: StoreAccess | null;
  /** For files that are fetched. */
  readonly cache: string;
  readonly machine: Machine;
  /** Threads that run a model. */
  readonly threads: number | null;
  /** As its --runtime device says; null where that is for the run to say. */
  readonly device: string | null;
  readonly offline: boolean;
  /** Packages that plans may name. */
  readonly plugins: readonly string[];
}

/** The variable with the setup, as JSON. */
export const SETUP = 'ROBUST_WORKER_SETUP';

/** What a process tells its worker, as the progress of its job. */
export interface Said {
  /** What the job needs is not all there yet: a crash is not its own fault. */
  readonly opening?: boolean;
  readonly warn?: string;
  /** Why this machine can do nothing at present. */
  readonly unable?: ErrorDetails & { readonly message: string };
}

/** A plan whose model is loaded. */
export interface OpenPlan {
  readonly plan: RunPlan;
  close(): Promise<void>;
}

/** Makes the plan of a document; throws where it would not be the same run. */
export type OpenDocument = (
  document: PlanDocument,
  examples: readonly Example[],
  content: ContentSource,
) => Promise<OpenPlan>;

interface Opened extends OpenPlan {
  /** By the hash of what all searches must know. */
  readonly ready: Map<string, Ready>;
}

interface Ready {
  readonly attacks: readonly ReadyAttack[];
  readonly measured: (outcome: Outcome) => Promise<Outcome>;
}

/** Plans that are kept open: more would hold more models than a machine has memory for. */
const OPEN_PLANS = 2;
/** A worker sets a run aside after its opening has ended this many processes. */
const FAILED_OPENINGS = 3;
/** The jobs of a run fail once this many workers have set it aside. */
const MOST_REFUSALS = 10;
/** A worker that gives a job back takes no other in its place for this long, so that other workers do. */
const PAUSE_MS = 1000;
/** What workers say of a run is forgotten after this time. */
export const REFUSALS_SECONDS = 86_400;

/** An error that BullMQ knows by its name. */
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

/** The function that BullMQ calls with each job; `given`: what the variable holds. Its result is the number of outcomes that it found. */
export function processor(
  given: string | undefined,
  open: (setup: ProcessorSetup, warn: (message: string) => void) => OpenDocument,
) {
  const setup = JSON.parse(given ?? '{}') as ProcessorSetup;
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  // There is no worker any more to compute for. BullMQ would tell it of each error, that of telling it included, for ever.
  process.on('disconnect', end);
  // The worker may have ended while this file was being loaded.
  if (!process.connected) end();
  process.prependListener('uncaughtException', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || code === 'ERR_IPC_CHANNEL_CLOSED') end();
  });
  let current: SandboxedJob | undefined;
  let opening = false;
  const say = async (said: Said): Promise<void> => {
    opening = said.opening ?? opening;
    await current?.updateProgress({ ...said, opening });
  };
  const warn = (message: string) => void say({ warn: message });
  const made = (async () => {
    const { queue, store, access, cache, machine } = setup;
    const large = await openStore(store ?? undefined, access ?? undefined, cache, warn);
    const { redis, queue: jobs } = await connectQueue(queue, machine.toolVersion);
    return new Processor(setup, open(setup, warn), say, redis, jobs, large);
  })();
  made.catch(() => {});
  return async (job: SandboxedJob, token: string, signal: AbortSignal): Promise<number> => {
    current = job;
    try {
      return await explainedBroker((await made).carryOut(job, signal));
    } catch (error) {
      return (await made).afterError(error, job, token, signal);
    }
  };
}

class Processor {
  readonly #plans = new Map<string, Opened>();
  /** Plans that are not carried out here, and why. */
  readonly #setAside = new Map<string, RobustError>();

  constructor(
    private readonly setup: ProcessorSetup,
    private readonly openDocument: OpenDocument,
    private readonly say: (said: Said) => Promise<void>,
    private readonly redis: Redis,
    private readonly jobs: Queue,
    private readonly large: LargeStore | undefined,
  ) {}

  /** Throws RobustError for a job that cannot be carried out here, RUN_OVER where nobody waits for it, ModelGone where the model answers nothing any more. */
  async carryOut(job: SandboxedJob, signal: AbortSignal): Promise<number> {
    const read = jobSchema.safeParse(job.data);
    if (!read.success) throw named('UnrecoverableError', 'not a job of robust');
    const { data } = read;
    const aside = this.#setAside.get(data.plan);
    if (aside !== undefined) throw aside;
    const content = new Content(this.redis, data.key, this.large, this.setup.cache);
    const log = await ShardLog.open(this.jobs, job.id, this.setup.machine);
    try {
      if (!this.#plans.has(data.plan)) await this.say({ opening: true });
      const opened = await this.#open(data, content);
      const input = await content.bytes(data.input);
      const ready = data.shard.kind === 'search' ? await this.#ready(opened, data, content) : undefined;
      if (signal.aborted) throw new Error('it was stopped');
      await this.say({ opening: false });
      log.begin();
      if (data.shard.kind === 'learn') await this.#learn(opened, must(data.shard.attacks[0]), input, log);
      else if (ready === undefined) await this.#answer(opened, input, log, signal);
      else return await this.#search(opened, ready, data, input, log, signal);
      return 0;
    } catch (error) {
      // What a shard needs is removed once another worker has ended it.
      const lacks = error instanceof RobustError && error.code === 'STORE_UNREACHABLE';
      throw lacks && !(await log.isOpen()) ? runOver() : error;
    }
  }

  /** Gives the job back, or throws as BullMQ must see it. */
  async afterError(error: unknown, job: SandboxedJob, token: string, signal: AbortSignal): Promise<number> {
    const { code = 'INTERNAL', hint, message } = error as RobustError;
    if (code === 'RUN_OVER') return 0;
    const unable = error instanceof OutputError || ['QUEUE_UNREACHABLE', 'REDIS_UNSUPPORTED'].includes(code);
    if (signal.aborted || unable) {
      if (!signal.aborted) await this.say({ unable: { message, code, hint } });
      await job.moveToWait(token);
      throw named('WaitingError', message);
    }
    if (error instanceof ModelGone) {
      await this.say({ warn: `${job.id} crashed its model: ${message}` });
      await pause(100); // for it to arrive
      process.kill(process.pid, 'SIGKILL');
    }
    if (!(error instanceof RobustError)) throw error;
    return this.#putAside(error, job, token);
  }

  /**
   * Does none of this run's jobs from here on. A plan that is bad for all workers fails at once, and any other once enough workers have set the
   * run aside: failed jobs are kept, with the run and the reason. Other runs go on.
   */
  async #putAside(refusal: RobustError, job: SandboxedJob, token: string): Promise<never> {
    const { run, key, plan } = job.data as FleetJob;
    const { message, code } = refusal;
    if (!this.#setAside.has(plan)) await this.say({ warn: `run ${run} is set aside: ${code}: ${message}` });
    this.#setAside.set(plan, refusal);
    await this.redis.sadd(keys.refusals(key), this.setup.id);
    await this.redis.expire(keys.refusals(key), REFUSALS_SECONDS);
    const bad = ['QUEUE_DAMAGED', 'QUEUE_PLUGIN_NOT_FOUND'].includes(code);
    if (bad || (await this.redis.scard(keys.refusals(key))) >= MOST_REFUSALS)
      throw named('UnrecoverableError', `run ${run} was set aside: ${code}: ${message}`);
    await job.moveToDelayed(Date.now() + 1, token); // Behind the jobs of other runs.
    await pause(PAUSE_MS);
    throw named('DelayedError', message);
  }

  async #open({ key, plan: sha256 }: FleetJob, content: Content): Promise<Opened> {
    const known = this.#plans.get(sha256);
    if (known !== undefined) return known;
    if (Number(await this.redis.hget(keys.openings(key), this.setup.id)) >= FAILED_OPENINGS)
      throw new RobustError(`the computing process ended ${FAILED_OPENINGS} times while opening a run`, {
        code: 'MODEL_CRASHED',
        hint: 'Does this machine have enough memory for the model, --runtime concurrency times? robust doctor checks the runtime.',
      });
    for (const [old, plan] of [...this.#plans].slice(0, 1 - OPEN_PLANS)) {
      this.#plans.delete(old);
      await plan.close();
    }
    const document = parseMessage(planSchema, await content.bytes(sha256), 'the plan of a run');
    const first = readInputs(await content.bytes(document.texts)).map(({ example }) => example);
    const opened = { ...(await this.openDocument(document, first, content)), ready: new Map() };
    this.#plans.set(sha256, opened);
    return opened;
  }

  async #answer({ plan }: Opened, input: Buffer, log: ShardLog, signal: AbortSignal): Promise<void> {
    const examples = readInputs(input).map(({ example }) => example);
    const failed = ({ id }: Example, error: unknown) =>
      void this.say({ warn: `the model could not answer example ${id}: ${messageOf(error)}` });
    await log.deliver(writeRows(await answersTo(plan, examples, failed, signal)));
  }

  /** Delivers the victim's answers while the attack learns, as far as Redis carries them: what is not among them is asked again. */
  async #learn({ plan }: Opened, attack: string, input: Buffer, log: ShardLog): Promise<void> {
    const { sample } = parseMessage(commonSchema, input, 'what attacks learn from');
    let size = 0;
    const recorded = tapedPlan(plan, readTape(log.found), (key, answer) => {
      const line = tapeLine(key, answer);
      size += line.length;
      if (size < MOST_BYTES) log.add(line);
    });
    const learnt = { sample: sample as Example[], texts: [] };
    await log.during(() => readyAttacks(recorded, [attack], learnt, () => {}));
    await log.deliver(''); // It may have asked nothing.
  }

  async #search(
    { plan }: Opened,
    { attacks, measured }: Ready,
    { shard }: FleetJob,
    input: Buffer,
    log: ShardLog,
    signal: AbortSignal,
  ): Promise<number> {
    const known = new Set<string>();
    for (const line of log.found.split('\n')) {
      const entry = tryParse(line);
      if (entry !== undefined) known.add(`${entry.index} ${entry.outcome.attack}`);
    }
    const { length } = plan.model.classifier.labels;
    let found = 0;
    const work = {
      attacks: attacks.filter(({ planned }) => shard.attacks.includes(planned.label)),
      examples: readInputs(input).map(({ index, example, before = '' }) => ({
        index,
        example,
        before: must(readRows(before, length)[0]),
      })),
      measured,
      known: (attack: string, index: number) => known.has(`${index} ${attack}`),
      onOutcome(index: number, outcome: Outcome) {
        found++;
        log.add(`${lineOf({ index, outcome })}\n`);
      },
    };
    // Its outcomes are valid if it ends early; the next worker of the shard does the rest.
    const whole = await log.during(() => searchPart(plan, work, { signal: AbortSignal.any([signal, log.over]) }));
    if (!whole) throw log.over.aborted ? runOver() : new Error('it was stopped');
    return found;
  }

  /** The attacks of a plan, having learnt. */
  async #ready({ plan, ready }: Opened, { common = '' }: FleetJob, content: Content): Promise<Ready> {
    const known = ready.get(common);
    if (known !== undefined) return known;
    const bytes = await content.bytes(common);
    const { tapes, sample, texts } = parseMessage(commonSchema, bytes, 'what all searches know');
    const attacks: ReadyAttack[] = [];
    for (const { label } of plan.attacks) {
      const tape = readTape(tapes[label] === undefined ? '' : (await content.bytes(tapes[label])).toString());
      const learnt = { sample: sample as Example[], texts };
      attacks.push(...(await readyAttacks(tapedPlan(plan, tape), [label], learnt, () => {})));
    }
    const made = { attacks, measured: qualityOf(plan, async () => texts) };
    ready.set(common, made);
    return made;
  }
}
