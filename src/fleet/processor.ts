/**
 * @file Carries out shards for a worker, in a process of BullMQ's that it may take down: fetches what a shard names, answers or searches, and
 * writes what it finds into the log of its job as it finds it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxedJob } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Example } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { ModelGone, messageOf, OutputError, RobustError } from '../core/errors.js';
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
  type Delivery,
  type FleetJob,
  jobSchema,
  type Machine,
  type PlanDocument,
  packDelivery,
  parseMessage,
  planSchema,
  readInputs,
  readRows,
  unpackDelivery,
  writeRows,
} from './messages.js';
import { type Broker, connectQueue, explainFullBroker, keys } from './redis.js';

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
export type Said =
  /** All that the job needs is there, so a crash from here on is its own fault. */
  | 'begun'
  | 'opening'
  | { readonly warn: string }
  /** Milliseconds for which others should have the job that is given back. */
  | { readonly pause: number }
  /** This machine can do nothing at present. */
  | { readonly unable: string; readonly code: RobustError['code']; readonly hint?: string };

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
  readonly ready: Map<string, Promise<Ready>>;
}

interface Ready {
  readonly attacks: readonly ReadyAttack[];
  readonly measured: (outcome: Outcome) => Promise<Outcome>;
}

const DELIVER_MS = 1000;
/** Plans that are kept open: more would hold more models than a machine has memory for. */
const OPEN_PLANS = 2;
/** A worker sets a run aside after its opening has ended this many processes. */
const FAILED_OPENINGS = 3;
/** The jobs of a run fail once this many workers have set it aside. */
const MOST_REFUSALS = 10;
/** A worker that gives a job back takes no other in its place for this long, so that other workers do; the time doubles with each job in a row. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** What workers say of a run is forgotten after this time. */
export const REFUSALS_SECONDS = 86_400;

/** An error that BullMQ knows by its name. */
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const runOver = (): RobustError => new RobustError('the shard is done, or its run is over', { code: 'RUN_OVER' });

/** The function that BullMQ calls with each job; `given`: what the variable holds. Its result is the number of outcomes that it found. */
export function processor(
  given: string | undefined,
  open: (setup: ProcessorSetup, warn: (message: string) => void) => OpenDocument,
) {
  const setup = JSON.parse(given ?? '{}') as ProcessorSetup;
  // There is no worker any more to compute for.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  let current: SandboxedJob | undefined;
  const warn = (message: string) => void current?.updateProgress({ warn: message } satisfies Said);
  const made = Processor.of(setup, open(setup, warn), warn);
  made.catch(() => {});
  return async (job: SandboxedJob, token: string, signal: AbortSignal): Promise<number> => {
    current = job;
    try {
      return await explainFullBroker((await made).carryOut(job, signal));
    } catch (error) {
      return (await made).afterError(error, job, token, signal);
    }
  };
}

class Processor {
  readonly #broker: Pick<Broker, 'redis' | 'queue'>;
  readonly #redis: Redis;
  readonly #large: LargeStore | undefined;
  readonly #setup: ProcessorSetup;
  readonly #openDocument: OpenDocument;
  readonly #warn: (message: string) => void;
  readonly #plans = new Map<string, Promise<Opened>>();
  /** Plans that are not carried out here, and why. */
  readonly #setAside = new Map<string, RobustError>();
  /** Jobs of such plans in a row. */
  #givenBack = 0;

  private constructor(
    broker: Pick<Broker, 'redis' | 'queue'>,
    large: LargeStore | undefined,
    setup: ProcessorSetup,
    open: OpenDocument,
    warn: (message: string) => void,
  ) {
    this.#broker = broker;
    this.#redis = broker.redis;
    this.#large = large;
    this.#setup = setup;
    this.#openDocument = open;
    this.#warn = warn;
  }

  static async of(setup: ProcessorSetup, open: OpenDocument, warn: (message: string) => void): Promise<Processor> {
    const { queue, store, access, cache, machine } = setup;
    const large = await openStore(store ?? undefined, access ?? undefined, cache, warn);
    return new Processor(await connectQueue(queue, machine.toolVersion), large, setup, open, warn);
  }

  /** Throws RobustError for a job that cannot be carried out here, RUN_OVER where nobody waits for it, ModelGone where the model answers nothing any more. */
  async carryOut(job: SandboxedJob, signal: AbortSignal): Promise<number> {
    const read = jobSchema.safeParse(job.data);
    if (!read.success) throw named('UnrecoverableError', 'not a job of robust');
    const { data } = read;
    const aside = this.#setAside.get(data.plan);
    if (aside !== undefined) throw aside;
    const content = new Content(this.#redis, data.key, this.#large, this.#setup.cache);
    const log = await ShardLog.open(this.#broker.queue, job.id, this.#setup.machine);
    try {
      if (!this.#plans.has(data.plan)) await job.updateProgress('opening' satisfies Said);
      const opened = await this.#open(data, content);
      const input = await content.bytes(data.input);
      const ready = data.shard.kind === 'search' ? await this.#ready(opened, data, content) : undefined;
      if (signal.aborted) throw new Error('it was stopped');
      await job.updateProgress('begun' satisfies Said);
      this.#givenBack = 0;
      log.begin();
      if (data.shard.kind === 'learn') await this.#learn(opened, data.shard.attacks[0]!, input, log);
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
    if (signal.aborted) {
      await job.moveToWait(token);
      throw named('WaitingError', message);
    }
    if (error instanceof ModelGone) {
      this.#warn(`${job.id} crashed its model: ${message}`);
      await pause(100); // for the warning to arrive
      process.kill(process.pid, 'SIGKILL');
    }
    if (!(error instanceof RobustError)) throw error;
    if (error instanceof OutputError || code === 'QUEUE_UNREACHABLE') {
      await job.updateProgress({ unable: message, code, ...defined({ hint }) } satisfies Said);
      await job.moveToWait(token);
      throw named('WaitingError', message);
    }
    return this.#putAside(error, job, token);
  }

  /**
   * Does none of this run's jobs from here on. A plan that is bad for all workers fails at once, and any other once enough workers have set the
   * run aside: failed jobs are kept, with the run and the reason. Other runs go on.
   */
  async #putAside(refusal: RobustError, job: SandboxedJob, token: string): Promise<never> {
    const { run, key, plan } = job.data as FleetJob;
    const { message, code } = refusal;
    if (!this.#setAside.has(plan)) this.#warn(`run ${run} is set aside: ${code}: ${message}`);
    this.#setAside.set(plan, refusal);
    await this.#redis.sadd(keys.refusals(key), this.#setup.id);
    await this.#redis.expire(keys.refusals(key), REFUSALS_SECONDS);
    const bad = ['QUEUE_DAMAGED', 'QUEUE_PLUGIN_NOT_FOUND'].includes(code);
    if (bad || (await this.#redis.scard(keys.refusals(key))) >= MOST_REFUSALS)
      throw named('UnrecoverableError', `run ${run} was set aside: ${code}: ${message}`);
    const milliseconds = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#givenBack++);
    await job.updateProgress({ pause: milliseconds } satisfies Said);
    await job.moveToDelayed(Date.now() + 1, token); // Behind the jobs of other runs.
    throw named('DelayedError', message);
  }

  async #open({ key, plan: sha256 }: FleetJob, content: Content): Promise<Opened> {
    const known = this.#plans.get(sha256);
    if (known !== undefined) return known;
    if (Number(await this.#redis.hget(keys.openings(key), this.#setup.id)) >= FAILED_OPENINGS)
      throw new RobustError(`the computing process ended ${FAILED_OPENINGS} times while opening a run`, {
        code: 'MODEL_CRASHED',
        hint: 'Does this machine have enough memory for the model, --runtime concurrency times? robust doctor checks the runtime.',
      });
    for (const [old, plan] of [...this.#plans].slice(0, Math.max(0, this.#plans.size - OPEN_PLANS + 1))) {
      this.#plans.delete(old);
      await (await plan).close();
    }
    const opening = (async () => {
      const document = parseMessage(planSchema, await content.bytes(sha256), 'the plan of a run');
      const first = readInputs(await content.bytes(document.texts)).map(({ example }) => example);
      return { ...(await this.#openDocument(document, first, content)), ready: new Map() };
    })();
    this.#plans.set(sha256, opening);
    opening.catch(() => this.#plans.delete(sha256));
    return opening;
  }

  async #answer({ plan }: Opened, input: Buffer, log: ShardLog, signal: AbortSignal): Promise<void> {
    let unanswered: string | undefined;
    const failed = ({ id }: Example, error: unknown) => {
      unanswered ??= `example ${id}: ${messageOf(error)}`;
    };
    const examples = readInputs(input).map(({ example }) => example);
    const rows = await answersTo(plan, examples, failed, signal);
    await log.deliver(writeRows(rows), { clean: log.seconds }, unanswered);
  }

  /** Delivers the victim's answers while the attack learns, as far as Redis carries them: what is not among them is asked again. */
  async #learn({ plan }: Opened, attack: string, input: Buffer, log: ShardLog): Promise<void> {
    const { sample } = parseMessage(commonSchema, input, 'what attacks learn from');
    let waiting = '';
    let size = 0;
    const recorded = tapedPlan(plan, readTape(log.found.join('')), (key, answer) => {
      const line = tapeLine(key, answer);
      size += line.length;
      if (size < MOST_BYTES) waiting += line;
    });
    const send = async (): Promise<void> => {
      const lines = waiting;
      waiting = '';
      if (lines !== '') await log.deliver(lines, { [attack]: log.seconds });
    };
    await regularly(send, () => readyAttacks(recorded, [attack], { sample: sample as Example[], texts: [] }, () => {}));
    await log.deliver('', {}); // It may have asked nothing.
  }

  async #search(
    { plan }: Opened,
    { attacks, measured }: Ready,
    { shard }: FleetJob,
    input: Buffer,
    log: ShardLog,
    signal: AbortSignal,
  ): Promise<number> {
    const inputs = readInputs(input);
    const known = new Set(inputs.flatMap(({ index, known = [] }) => known.map((attack) => `${index} ${attack}`)));
    for (const line of log.found.join('').split('\n')) {
      const entry = tryParse(line);
      if (entry !== undefined) known.add(`${entry.index} ${entry.outcome.attack}`);
    }
    const { length } = plan.model.classifier.labels;
    let waiting: { index: number; outcome: Outcome }[] = [];
    let found = 0;
    const over = new AbortController();
    const send = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      if (batch.length === 0) return;
      const lines = batch.map((entry) => `${lineOf(entry)}\n`).join('');
      await log.deliver(lines, secondsByAttack(shard.attacks, batch, log.seconds)).catch((error) => {
        over.abort();
        throw error;
      });
    };
    const work = {
      attacks: attacks.filter(({ planned }) => shard.attacks.includes(planned.label)),
      examples: inputs.map(({ index, example, before = '' }) => ({
        ...{ index, example, before: readRows(before, length)[0]! },
      })),
      measured,
      known: (attack: string, index: number) => known.has(`${index} ${attack}`),
      onOutcome(index: number, outcome: Outcome) {
        found++;
        waiting.push({ index, outcome });
      },
    };
    // Its outcomes are valid if it ends early; the next worker of the shard does the rest.
    const whole = await regularly(send, () =>
      searchPart(plan, work, { signal: AbortSignal.any([signal, over.signal]) }),
    );
    if (!whole) throw over.signal.aborted ? runOver() : new Error('it was stopped');
    return found;
  }

  /** The attacks of a plan, having learnt. */
  #ready({ plan, ready }: Opened, { common = '' }: FleetJob, content: Content): Promise<Ready> {
    let known = ready.get(common);
    if (known === undefined) {
      known = (async () => {
        const bytes = await content.bytes(common);
        const { tapes, sample, texts } = parseMessage(commonSchema, bytes, 'what all searches know');
        const learnt = { sample: sample as Example[], texts };
        const attacks: ReadyAttack[] = [];
        for (const { label } of plan.attacks) {
          const tape = readTape(tapes[label] === undefined ? '' : (await content.bytes(tapes[label])).toString('utf8'));
          attacks.push(...(await readyAttacks(tapedPlan(plan, tape), [label], learnt, () => {})));
        }
        return { attacks, measured: qualityOf(plan, async () => texts) };
      })();
      ready.set(common, known);
      known.catch(() => ready.delete(common));
    }
    return known;
  }
}

/** Sends each second while the work lasts, and the rest at its end, however it ends. */
async function regularly<T>(send: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void send().catch(() => {}), DELIVER_MS);
  try {
    const result = await work();
    await send();
    return result;
  } catch (error) {
    await send().catch(() => {});
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** The log of a shard's job: what an earlier worker delivered, and what this one does. */
class ShardLog {
  readonly #queue: Broker['queue'];
  readonly #id: string;
  readonly #machine: Machine;
  #since = performance.now();
  #last: Promise<void> = Promise.resolve();
  /** Of earlier tries. */
  readonly found: readonly string[];

  private constructor(queue: Broker['queue'], id: string, machine: Machine, entries: readonly string[]) {
    this.#queue = queue;
    this.#id = id;
    this.#machine = machine;
    this.found = entries.flatMap((entry) => {
      try {
        return [unpackDelivery(entry).found];
      } catch {
        return []; // Somebody else's: what it holds is found again.
      }
    });
  }

  static async open(queue: Broker['queue'], id: string, machine: Machine): Promise<ShardLog> {
    return new ShardLog(queue, id, machine, (await queue.getJobLogs(id)).logs);
  }

  /** Time counts from here on. */
  begin(): void {
    this.#since = performance.now();
  }

  /** Is it waited for? */
  async isOpen(): Promise<boolean> {
    return (await this.#queue.getJobState(this.#id)) !== 'unknown';
  }

  /** Since this was last asked. */
  get seconds(): number {
    const now = performance.now();
    const seconds = (now - this.#since) / 1000;
    this.#since = now;
    return seconds;
  }

  /** In the order of the calls. Throws RobustError RUN_OVER where nobody takes it any more. */
  deliver(found: string, seconds: Delivery['seconds'], unanswered?: string): Promise<void> {
    const text = packDelivery({ machine: this.#machine, seconds, ...defined({ unanswered }) }, found);
    this.#last = this.#last.then(async () => {
      try {
        await explainFullBroker(this.#queue.addJobLog(this.#id, text));
      } catch (error) {
        throw /^Missing key/.test((error as Error).message) ? runOver() : error;
      }
    });
    return this.#last;
  }
}

/** Divides the time among attacks in proportion to their queries. */
function secondsByAttack(
  attacks: readonly string[],
  found: readonly { readonly outcome: Outcome }[],
  seconds: number,
): Record<string, number> {
  const all = found.reduce((sum, { outcome }) => sum + outcome.queries.asked, 0);
  if (all === 0) return { [attacks[0]!]: seconds };
  const shares: Record<string, number> = {};
  for (const { outcome } of found)
    shares[outcome.attack] = (shares[outcome.attack] ?? 0) + (seconds * outcome.queries.asked) / all;
  return shares;
}
