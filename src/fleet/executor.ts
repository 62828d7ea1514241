/**
 * @file The process that computes for a worker, with the models: fetches what a shard names, answers or searches, and delivers what it finds as it
 * finds it. A shard may take it down; the worker lives on.
 */
import type { Redis } from 'ioredis';
import type { Example } from '../core/dataset.js';
import { type ErrorCode, ModelGone, messageOf, OutputError, RobustError } from '../core/errors.js';
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
  type Machine,
  type PlanDocument,
  packDelivery,
  parseMessage,
  planSchema,
  readInputs,
  type ShardInput,
  unpackDelivery,
  writeRows,
} from './messages.js';
import { connectRedis, explainFullBroker, keys } from './redis.js';

export interface ExecutorSetup {
  readonly queue: string;
  /** A folder or s3://bucket/prefix, and how it is reached. */
  readonly store: string | null;
  readonly access: StoreAccess | null;
  /** For files that are fetched. */
  readonly cache: string;
  readonly machine: Machine;
  /** Threads that run a model. @default one a core */
  readonly threads: number | null;
  /** As its --runtime device says; null where that is for the run to say. */
  readonly device: string | null;
  readonly offline: boolean;
  /** Packages that plans may name. */
  readonly plugins: readonly string[];
}

export type ToExecutor =
  | { readonly kind: 'setup'; readonly setup: ExecutorSetup }
  | { readonly kind: 'job'; readonly id: string; readonly job: FleetJob }
  | { readonly kind: 'stop'; readonly id: string };

/** How a job ended. */
export type JobEnd =
  | { readonly how: 'done' }
  | {
      /**
       * `bad`: no worker should carry out the run; `refused`: this worker cannot; `unable`: this machine can do nothing at present; `crash`: the
       * model went down; `given-back`: it had to end; `broken`: a defect.
       */
      readonly how: 'bad' | 'refused' | 'unable' | 'crash' | 'given-back' | 'broken';
      readonly message: string;
      readonly code: ErrorCode;
      readonly hint: string | null;
    };

export type FromExecutor =
  /** All that the job needs is there, so a crash from here on is its own fault. */
  | { readonly kind: 'ready'; readonly id: string }
  | { readonly kind: 'found' }
  | { readonly kind: 'end'; readonly id: string; readonly end: JobEnd }
  | { readonly kind: 'warn'; readonly message: string };

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

interface Ready {
  readonly attacks: readonly ReadyAttack[];
  readonly measured: (outcome: Outcome) => Promise<Outcome>;
}

interface Opened extends OpenPlan {
  /** By the hash of what all searches must know. */
  readonly ready: Map<string, Promise<Ready>>;
  users: number;
}

const DELIVER_MS = 1000;
/** Plans that are kept open: more would hold more models than a machine has memory for. */
const OPEN_PLANS = 2;

/** Takes messages until the worker is gone. */
export function serveWorker(openWith: (setup: ExecutorSetup, warn: (message: string) => void) => OpenDocument): void {
  const say = (message: FromExecutor): Promise<void> =>
    // A worker that is gone needs nothing.
    new Promise((resolve) => (process.connected ? process.send?.(message, () => resolve()) : resolve()));
  const warn = (message: string) => void say({ kind: 'warn', message });
  const stops = new Map<string, AbortController>();
  let executor: Promise<Executor> | undefined;

  const carryOut = async (id: string, job: FleetJob): Promise<void> => {
    const stop = new AbortController();
    stops.set(id, stop);
    try {
      const made = await (executor ?? Promise.reject(new Error('a job came before the setup')));
      await explainFullBroker(made.execute(id, job, stop.signal, say));
      await say({ kind: 'end', id, end: { how: 'done' } });
    } catch (error) {
      await say({ kind: 'end', id, end: endOf(error, stop.signal) });
    } finally {
      stops.delete(id);
    }
  };

  process.on('message', (message: ToExecutor) => {
    if (message.kind === 'setup') {
      executor = Executor.of(message.setup, openWith(message.setup, warn), warn);
      executor.catch(() => {});
    } else if (message.kind === 'job') void carryOut(message.id, message.job);
    else stops.get(message.id)?.abort();
  });
  // There is no worker any more to deliver for.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

function endOf(error: unknown, stop: AbortSignal): JobEnd {
  const known = error instanceof RobustError;
  if (known && error.code === 'RUN_OVER') return { how: 'done' };
  const { message = String(error), stack } = error as Error;
  if (!known)
    return {
      how: stop.aborted ? 'given-back' : 'broken',
      message: `${message}\n${stack}`,
      code: 'INTERNAL',
      hint: null,
    };
  const { code, hint = null } = error;
  const how = (): JobEnd['how'] => {
    if (stop.aborted) return 'given-back';
    if (error instanceof ModelGone) return 'crash';
    if (error instanceof OutputError || code === 'QUEUE_UNREACHABLE') return 'unable';
    return ['QUEUE_DAMAGED', 'QUEUE_PLUGIN_NOT_FOUND'].includes(code) ? 'bad' : 'refused';
  };
  return { how: how() as 'crash', message, code, hint };
}

class Executor {
  readonly #redis: Redis;
  readonly #large: LargeStore | undefined;
  readonly #setup: ExecutorSetup;
  readonly #openDocument: OpenDocument;
  readonly #warn: (message: string) => void;
  readonly #plans = new Map<string, Promise<Opened>>();

  private constructor(
    redis: Redis,
    large: LargeStore | undefined,
    setup: ExecutorSetup,
    open: OpenDocument,
    warn: (message: string) => void,
  ) {
    this.#redis = redis;
    this.#large = large;
    this.#setup = setup;
    this.#openDocument = open;
    this.#warn = warn;
  }

  static async of(setup: ExecutorSetup, open: OpenDocument, warn: (message: string) => void): Promise<Executor> {
    const { queue, store, access, cache } = setup;
    const large = await openStore(store ?? undefined, access ?? undefined, cache, warn);
    return new Executor(await connectRedis(queue), large, setup, open, warn);
  }

  /** Throws RobustError for a job that cannot be carried out here, RUN_OVER where nobody waits for it, ModelGone where the model answers nothing any more. */
  async execute(
    id: string,
    job: FleetJob,
    signal: AbortSignal,
    say: (message: FromExecutor) => Promise<void>,
  ): Promise<void> {
    const content = new Content(this.#redis, job.run, this.#large, this.#setup.cache);
    const journal = await ShardJournal.open(this.#redis, id, this.#setup.machine);
    let opened: Opened | undefined;
    try {
      opened = await this.#open(job.plan, content);
      opened.users++;
      const input = await content.bytes(job.input);
      const ready = job.shard.kind === 'search' ? await this.#ready(opened, job, content) : undefined;
      await say({ kind: 'ready', id });
      journal.begin();
      if (job.shard.kind === 'learn') await this.#learn(opened, job.shard.attacks[0]!, input, journal);
      else if (ready === undefined) await this.#answer(opened, readInputs(input), journal, signal);
      else
        await this.#search(opened, ready, job, readInputs(input), journal, signal, () => void say({ kind: 'found' }));
    } catch (error) {
      // What a shard needs is removed with its journal, once another worker has ended it.
      const lacks = error instanceof RobustError && error.code === 'STORE_UNREACHABLE';
      throw lacks && !(await journal.isOpen()) ? runOver() : error;
    } finally {
      if (opened) opened.users--;
    }
  }

  async #open(sha256: string, content: Content): Promise<Opened> {
    const known = this.#plans.get(sha256);
    if (known !== undefined) return known;
    for (const [key, plan] of [...this.#plans].slice(0, Math.max(0, this.#plans.size - OPEN_PLANS + 1))) {
      const old = await plan.catch(() => undefined);
      if (old !== undefined && old.users > 0) continue;
      this.#plans.delete(key);
      await old?.close();
    }
    const opening = (async () => {
      const document = parseMessage(planSchema, await content.bytes(sha256), 'the plan of a run');
      const first = readInputs(await content.bytes(document.texts)).map(({ example }) => example);
      return { ...(await this.#openDocument(document, first, content)), ready: new Map(), users: 0 };
    })();
    this.#plans.set(sha256, opening);
    opening.catch(() => this.#plans.delete(sha256));
    return opening;
  }

  async #answer(
    { plan }: Opened,
    inputs: readonly ShardInput[],
    journal: ShardJournal,
    signal: AbortSignal,
  ): Promise<void> {
    let unanswered: string | undefined;
    const failed = ({ id }: Example, error: unknown) => {
      unanswered ??= `example ${id}: ${messageOf(error)}`;
    };
    const rows = await answersTo(
      plan,
      inputs.map(({ example }) => example),
      failed,
      signal,
    );
    await journal.deliver(writeRows(rows), { clean: journal.seconds }, true, unanswered);
  }

  /** Delivers the victim's answers while the attack learns, as far as Redis carries them: what is not among them is asked again. */
  async #learn({ plan }: Opened, attack: string, input: Buffer, journal: ShardJournal): Promise<void> {
    const { sample } = parseMessage(commonSchema, input, 'what attacks learn from');
    const tape = readTape(journal.found.join(''));
    let waiting = '';
    let size = 0;
    const recorded = tapedPlan(plan, tape, (key, answer) => {
      const line = tapeLine(key, answer);
      size += line.length;
      if (size < MOST_BYTES) waiting += line;
    });
    const send = (end: boolean): Promise<void> => {
      const lines = waiting;
      waiting = '';
      return lines === '' && !end ? Promise.resolve() : journal.deliver(lines, { [attack]: journal.seconds }, end);
    };
    const timer = setInterval(() => void send(false).catch(() => {}), DELIVER_MS);
    try {
      await readyAttacks(recorded, [attack], { sample: sample as Example[], texts: [] }, () => {});
    } finally {
      clearInterval(timer);
    }
    await send(true);
  }

  async #search(
    { plan }: Opened,
    ready: Ready,
    { shard }: FleetJob,
    inputs: readonly ShardInput[],
    journal: ShardJournal,
    signal: AbortSignal,
    onOutcome: () => void,
  ): Promise<void> {
    const known = new Set(inputs.flatMap(({ index, known = [] }) => known.map((attack) => `${index} ${attack}`)));
    for (const line of journal.found.join('').split('\n')) {
      const entry = tryParse(line);
      if (entry !== undefined) known.add(`${entry.index} ${entry.outcome.attack}`);
    }
    const { length } = plan.model.classifier.labels;
    const examples = inputs.map(({ index, example, before = '' }) => {
      const row = new Float32Array(new Uint8Array(Buffer.from(before, 'base64')).buffer, 0, length);
      return { index, example, before: row };
    });
    let waiting: { index: number; outcome: Outcome }[] = [];
    const over = new AbortController();
    const send = (end: boolean): Promise<void> => {
      const batch = waiting;
      waiting = [];
      if (batch.length === 0 && !end) return Promise.resolve();
      const seconds = secondsByAttack(shard.attacks, batch, journal.seconds);
      const sent = journal.deliver(batch.map((entry) => `${lineOf(entry)}\n`).join(''), seconds, end);
      sent.catch(() => over.abort());
      return sent;
    };
    const timer = setInterval(() => void send(false).catch(() => {}), DELIVER_MS);
    const work = {
      attacks: ready.attacks.filter(({ planned }) => shard.attacks.includes(planned.label)),
      examples,
      measured: ready.measured,
      known: (attack: string, index: number) => known.has(`${index} ${attack}`),
      onOutcome(index: number, outcome: Outcome) {
        waiting.push({ index, outcome });
        onOutcome();
      },
    };
    try {
      const whole = await searchPart(plan, work, { signal: AbortSignal.any([signal, over.signal]), warn: this.#warn });
      await send(whole);
      if (!whole) throw new Error('it was stopped');
    } catch (error) {
      // Its outcomes are valid; the next worker of the shard does the rest.
      await send(false).catch(() => {});
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  /** The attacks of a plan, having learnt. */
  #ready({ plan, ready }: Opened, { common = '' }: FleetJob, content: Content): Promise<Ready> {
    let known = ready.get(common);
    if (known === undefined) {
      known = (async () => {
        const { tapes, sample, texts } = parseMessage(
          commonSchema,
          await content.bytes(common),
          'what all searches know',
        );
        const attacks: ReadyAttack[] = [];
        for (const { label } of plan.attacks) {
          const tape = readTape(tapes[label] === undefined ? '' : (await content.bytes(tapes[label])).toString('utf8'));
          const learnt = { sample: sample as Example[], texts };
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

/** What was found of a shard, in Redis: what an earlier worker delivered, and what this one does. */
class ShardJournal {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #machine: Machine;
  #since = performance.now();
  #last: Promise<void> = Promise.resolve();
  /** Of earlier tries. */
  readonly found: readonly string[];

  private constructor(redis: Redis, key: string, machine: Machine, entries: readonly Buffer[]) {
    this.#redis = redis;
    this.#key = key;
    this.#machine = machine;
    this.found = entries.flatMap((entry) => {
      try {
        return [unpackDelivery(entry).found.toString('utf8')];
      } catch {
        return []; // Somebody else's: what it holds is found again.
      }
    });
  }

  /** Throws RobustError RUN_OVER where nobody waits for it. */
  static async open(redis: Redis, id: string, machine: Machine): Promise<ShardJournal> {
    const [mark, ...entries] = await redis.lrangeBuffer(keys.journal(id), 0, -1);
    if (mark === undefined) throw runOver();
    return new ShardJournal(redis, keys.journal(id), machine, entries);
  }

  /** Time counts from here on. */
  begin(): void {
    this.#since = performance.now();
  }

  /** Is it waited for? */
  async isOpen(): Promise<boolean> {
    return (await this.#redis.exists(this.#key)) === 1;
  }

  /** Since this was last asked. */
  get seconds(): number {
    const now = performance.now();
    const seconds = (now - this.#since) / 1000;
    this.#since = now;
    return seconds;
  }

  /** In the order of the calls. Throws RobustError RUN_OVER where nobody takes it any more. */
  deliver(found: Uint8Array | string, seconds: Delivery['seconds'], end: boolean, unanswered?: string): Promise<void> {
    const head: Delivery = { machine: this.#machine, seconds, end, ...(unanswered !== undefined && { unanswered }) };
    this.#last = this.#last.then(async () => {
      if ((await explainFullBroker(this.#redis.rpushx(this.#key, packDelivery(head, found)))) === 0) throw runOver();
    });
    return this.#last;
  }
}

const runOver = (): RobustError => new RobustError('the shard is done, or its run was stopped', { code: 'RUN_OVER' });

/** Divides the time among attacks in proportion to their queries. */
function secondsByAttack(
  attacks: readonly string[],
  found: readonly { readonly outcome: Outcome }[],
  seconds: number,
): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { outcome } of found)
    counts.set(outcome.attack, (counts.get(outcome.attack) ?? 0) + outcome.queries.asked);
  const all = [...counts.values()].reduce((sum, each) => sum + each, 0);
  if (all === 0) return { [attacks[0]!]: seconds };
  return Object.fromEntries([...counts].map(([attack, each]) => [attack, (seconds * each) / all]));
}
