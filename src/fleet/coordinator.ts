/**
 * @file The coordinator of a run that others compute: it gives the examples out in shards, takes what workers find, and keeps the run's folder,
 * which it alone writes. All that must outlive it is there or in Redis.
 */
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { closingOnError } from '../core/closing-stack.js';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import { collect, take } from '../core/take.js';
import {
  type AnswerFile,
  type Fleet,
  type FleetWork,
  fingerprint,
  firstExamples,
  learns,
  type RunFolder,
  type RunHooks,
  RunInterrupted,
  type RunPlan,
} from '../run/index.js';
import { openStore, type StoreAccess } from './buckets.js';
import { Content, hashOf, type KeepFile } from './content.js';
import { Dispatcher } from './dispatcher.js';
import { Machines } from './machines.js';
import { type PlanDocument, writeInputs } from './messages.js';
import { CleanPhase, Examples, type FleetProgress, LearnPhase, type Phase, SearchPhase } from './phases.js';
import { type Broker, explainFullBroker, keys, openBroker, workersOn } from './redis.js';

export interface CoordinatorOptions {
  readonly queue: string;
  /** A folder that all machines see, or s3://bucket/prefix: for what is large. */
  readonly store?: string | undefined;
  /** How a bucket is reached. */
  readonly access?: StoreAccess | undefined;
  readonly toolVersion: string;
  /** How workers get the model, once `keep` has given its files their hashes. */
  model(keep: KeepFile): Promise<PlanDocument['model']>;
  /** The same of the masked language models that attacks ask. */
  guessers?: ((keep: KeepFile) => Promise<PlanDocument['guessers']>) | undefined;
  /** The settings of the workers' plans, without those that name files. */
  readonly settings: PlanDocument['settings'];
}

/** First examples by which workers see what kind of victim it is. */
const FIRST_EXAMPLES = 256;
/** A coordinator that showed no sign of life for so long is taken for dead. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 3000;
/** The state of a run is shown for so long after its coordinator was killed. */
const ABSENT_SECONDS = 3600;
/** A Redis that is away is not waited for at the end. */
const FAREWELL_MS = 2000;

export class Coordinator implements Fleet {
  readonly #plan: RunPlan;
  readonly #folder: RunFolder;
  readonly #hooks: RunHooks;
  readonly #options: CoordinatorOptions;
  readonly #broker: Broker;
  readonly #content: Content;
  /** The hash of the run's fingerprint: its name on the queue. */
  readonly #key: string;
  readonly #machines: Machines;
  readonly #examples: Examples;
  readonly #progress: FleetProgress = { stage: 'clean', done: 0, total: 0 };
  /** When the stage began, and how far it was. */
  #since = { at: performance.now(), done: 0 };
  #heart: NodeJS.Timeout | undefined;
  #dispatcher: Dispatcher | undefined;
  #stopped: RobustError | undefined;
  /** Workers on the queue. */
  workers = 0;

  private constructor(
    plan: RunPlan,
    folder: RunFolder,
    hooks: RunHooks,
    options: CoordinatorOptions,
    broker: Broker,
    content: Content,
    key: string,
  ) {
    this.#plan = plan;
    this.#folder = folder;
    this.#hooks = hooks;
    this.#options = options;
    this.#broker = broker;
    this.#content = content;
    this.#key = key;
    this.#machines = new Machines(folder.record.machines);
    this.#examples = new Examples(plan);
  }

  /** Connects, and takes the run. Throws RobustError RUN_TAKEN where another coordinator has it, and what `openBroker` and `openStore` throw. */
  static async open(
    plan: RunPlan,
    folder: RunFolder,
    hooks: RunHooks,
    options: CoordinatorOptions,
  ): Promise<Coordinator> {
    const { queue, store, access, toolVersion } = options;
    const warn = (message: string) => hooks.warn?.(message);
    const cache = join(folder.path, 'store');
    const large = await openStore(store, access, cache, warn);
    const broker = await openBroker(queue, toolVersion, warn);
    const key = hashOf(JSON.stringify(fingerprint(plan)));
    const content = new Content(broker.redis, key, large, cache);
    const made = new Coordinator(plan, folder, hooks, options, broker, content, key);
    await closingOnError(made, () => explainFullBroker(made.#begin()));
    return made;
  }

  /** Takes the run, and shows every few seconds that this coordinator lives and how far it is. */
  async #begin(): Promise<void> {
    await this.#lead();
    await this.#beat();
    this.#heart = setInterval(
      () =>
        void this.#lead()
          .then(() => this.#beat())
          .catch((error) => {
            if (error instanceof RobustError) this.#stopped = error;
          }),
      HEARTBEAT_MS,
    );
  }

  get #me(): string {
    return JSON.stringify({ run: this.#folder.id, host: hostname(), pid: process.pid });
  }

  /** Throws RobustError RUN_TAKEN where another coordinator has the run. */
  async #lead(): Promise<void> {
    const { redis } = this.#broker;
    const key = keys.leader(this.#key);
    const held = JSON.parse((await redis.get(key)) ?? this.#me) as { run: string; host: string; pid: number };
    // This very run has no other coordinator: we hold the lock of its folder. A Redis that was restarted may have forgotten it.
    const taken =
      held.run === this.#folder.id
        ? await redis.set(key, this.#me, 'PX', LEASE_MS)
        : await redis.set(key, this.#me, 'PX', LEASE_MS, 'NX');
    if (taken !== 'OK')
      throw new RobustError(
        `another coordinator (${held.pid} on ${held.host}) has the same run on this queue, as ${held.run}`,
        {
          code: 'RUN_TAKEN',
          hint: `Wait for it. A coordinator that does not respond is dropped after ${LEASE_MS / 1000} s; then the same command goes on with what was found.`,
        },
      );
  }

  async #beat(): Promise<void> {
    const { redis, queue } = this.#broker;
    const { stage, done, total } = this.#progress;
    const rate = (1000 * (done - this.#since.done)) / Math.max(1, performance.now() - this.#since.at);
    const { model, dataset, toolVersion: version } = this.#plan;
    const what = { run: this.#folder.id, version, model: model.name, data: dataset.name, stage, done, total, rate };
    const who = { host: hostname(), pid: process.pid, beat: new Date().toISOString() };
    await redis.hset(keys.run(this.#key), { ...what, ...who });
    await redis.expire(keys.run(this.#key), ABSENT_SECONDS);
    await redis.sadd(keys.runs, this.#key);
    const workers = await workersOn(queue);
    this.workers = workers.length;
    const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    if (this.#dispatcher) this.#dispatcher.slots = Math.max(1, slots);
  }

  /** Publishes the plan, on the first call, and gives out shards until the phase is done. */
  async #carryOut(phase: Phase, common?: string): Promise<void> {
    try {
      this.#dispatcher ??= new Dispatcher(this.#broker, this.#content, {
        ...{ run: this.#folder.id, key: this.#key, plan: await this.#publish() },
      });
      await this.#beat();
      await explainFullBroker(this.#dispatcher.run(phase, common, () => this.#checkSignal()));
    } catch (error) {
      // The error may follow from the signal.
      this.#checkSignal();
      throw error;
    } finally {
      this.#folder.update({ machines: this.#machines.records });
    }
  }

  #checkSignal(): void {
    if (this.#hooks.signal?.aborted) throw new RunInterrupted(this.#folder.id);
    if (this.#stopped) throw this.#stopped;
  }

  /** The hash of the plan. */
  async #publish(): Promise<string> {
    const first = await collect(take(firstExamples(this.#plan), FIRST_EXAMPLES));
    const { model, dataset, attacks, leftOut = [], toolVersion } = this.#plan;
    const keep: KeepFile = (file) => this.#content.keep(file);
    const document: PlanDocument = {
      run: this.#folder.id,
      toolVersion,
      settings: this.#options.settings,
      model: await this.#options.model(keep),
      guessers: (await this.#options.guessers?.(keep)) ?? [],
      dataset: {
        name: dataset.name,
        labels: [...dataset.labels],
        source: { ...dataset.source },
        ...(dataset.pairs && { pairs: true }),
        ...(dataset.tagged && { tagged: true }),
      },
      ...defined({ decision: model.decision }),
      attacks: attacks.map(({ label }) => label),
      leftOut: leftOut.map((each) => ({ ...each })),
      texts: await this.#content.put(writeInputs(first.map((example, index) => ({ index, example }))), 'lasting'),
      fingerprint: fingerprint(this.#plan),
    };
    return this.#content.put(JSON.stringify(document), 'lasting');
  }

  #enter(stage: FleetProgress['stage'], done: number, total: number): void {
    Object.assign(this.#progress, { stage, done, total });
    this.#since = { at: performance.now(), done };
  }

  get #context() {
    return { plan: this.#plan, examples: this.#examples, hooks: this.#hooks, progress: this.#progress };
  }

  async answer(answers: AnswerFile): Promise<void> {
    let total = 0;
    for await (const _ of firstExamples(this.#plan)) if (++total % 1024 === 0) this.#checkSignal();
    this.#enter('clean', answers.count, total);
    const phase = new CleanPhase(this.#context, answers, total);
    await this.#carryOut(phase);
    await phase.append();
  }

  async search(work: FleetWork): Promise<void> {
    const total = this.#plan.attacks.length * work.examples;
    let done = 0;
    for (let ordinal = 0; ordinal < total; ordinal++) if (work.has(ordinal)) done++;
    this.#enter('attack', done, total);
    if (done < total)
      await this.#carryOut(new SearchPhase(this.#context, work, this.#machines), await this.#common(work));
    const { mixed } = this.#machines;
    if (mixed !== undefined) work.warn(mixed);
  }

  /** The hash of what all searches must know of the whole, with what attacks learnt. */
  async #common({ sample, texts }: FleetWork): Promise<string> {
    const common = JSON.stringify({ sample, texts, tapes: {} });
    const learning = this.#plan.attacks
      .filter(({ plugin, options }) => learns(this.#plan, plugin.create(options)))
      .map(({ label }) => label);
    if (learning.length === 0) return this.#content.put(common, 'lasting');
    const phase = new LearnPhase(learning, common);
    await this.#carryOut(phase);
    const tapes: Record<string, string> = {};
    for (const [label, tape] of phase.tapes) tapes[label] = await this.#content.put(tape, 'lasting');
    return this.#content.put(JSON.stringify({ sample, texts, tapes }), 'lasting');
  }

  async close(): Promise<void> {
    clearInterval(this.#heart);
    const { path, record } = this.#folder;
    const farewell = this.#resign(record.status === 'done').catch(() => {});
    await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())]);
    await this.#broker.close();
    if (record.status === 'done') rmSync(join(path, 'store'), { recursive: true, force: true });
  }

  async #resign(done: boolean): Promise<void> {
    const { redis } = this.#broker;
    const leader = keys.leader(this.#key);
    if ((await redis.get(leader)) !== this.#me) return;
    if (done) {
      await this.#content.remove();
      await redis.del(...[keys.run, keys.kept, keys.refusals, keys.openings].map((key) => key(this.#key)));
      await redis.srem(keys.runs, this.#key);
    } else await redis.hset(keys.run(this.#key), { stage: 'stopped' });
    await redis.del(leader);
  }
}
