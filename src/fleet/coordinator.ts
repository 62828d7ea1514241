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
import { Content, hashOf, type KeepFile, type LargeStore } from './content.js';
import { Dispatcher, removeJobs } from './dispatcher.js';
import { Machines } from './machines.js';
import { type PlanDocument, writeInputs } from './messages.js';
import { CleanPhase, type FleetProgress, LearnPhase, type Phase, type PhaseContext, SearchPhase } from './phases.js';
import { type Broker, explainedBroker, keys, openBroker, type RunState, stateOf, workersOn } from './redis.js';

export interface CoordinatorOptions {
  readonly queue: string;
  /** A folder that all machines see, or s3://bucket/prefix: for what is large. */
  readonly store?: string | undefined;
  /** How a bucket is reached. */
  readonly access?: StoreAccess | undefined;
  readonly toolVersion: string;
  /** How workers get the models, once `keep` has given their files their hashes. */
  models(keep: KeepFile): Promise<Pick<PlanDocument, 'model' | 'guessers'>>;
  /** The settings of the workers' plans, without those that name files. */
  readonly settings: PlanDocument['settings'];
}

/** First examples by which workers see what kind of victim it is. */
const FIRST_EXAMPLES = 256;
/** A coordinator that showed no sign of life for so long is taken for dead. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 3000;
/** Time to remove what is left of a run. */
const CLEARING_MS = 600_000;

export class Coordinator implements Fleet {
  /** The hash of the run's fingerprint: its name on the queue. */
  readonly #key: string;
  readonly #content: Content;
  readonly #machines: Machines;
  readonly #context: PhaseContext;
  /** When the stage began, and how far it was. */
  #since = { at: performance.now(), done: 0 };
  #heart: NodeJS.Timeout | undefined;
  #dispatcher: Dispatcher | undefined;
  #stopped: RobustError | undefined;
  /** Workers on the queue. */
  workers = 0;

  private constructor(
    private readonly plan: RunPlan,
    private readonly folder: RunFolder,
    private readonly hooks: RunHooks,
    private readonly options: CoordinatorOptions,
    private readonly broker: Broker,
    large: LargeStore | undefined,
  ) {
    this.#key = hashOf(JSON.stringify(fingerprint(plan)));
    this.#content = new Content(broker.redis, this.#key, large, join(folder.path, 'store'));
    this.#machines = new Machines(folder.record.machines);
    const progress: FleetProgress = { stage: 'clean', done: 0, total: 0 };
    this.#context = { plan, hooks, progress };
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
    const large = await openStore(store, access, join(folder.path, 'store'), warn);
    const broker = await openBroker(queue, toolVersion, warn);
    const made = new Coordinator(plan, folder, hooks, options, broker, large);
    await closingOnError(made, () => explainedBroker(made.#beat()));
    made.#heart = setInterval(
      () =>
        void made.#beat().catch((error) => {
          if (error instanceof RobustError) made.#stopped = error;
        }),
      HEARTBEAT_MS,
    );
    return made;
  }

  /** Takes the run, or keeps it, and shows how far it is. Throws RobustError RUN_TAKEN where another coordinator has it. */
  async #beat(): Promise<void> {
    const { redis, queue } = this.broker;
    const { stage, done, total } = this.#context.progress;
    const rate = (1000 * (done - this.#since.done)) / Math.max(1, performance.now() - this.#since.at);
    const { model, dataset, toolVersion: version } = this.plan;
    const state: RunState = {
      run: this.folder.id,
      version,
      model: model.name,
      data: dataset.name,
      stage,
      done,
      total,
      rate,
      coordinator: `${hostname()}:${process.pid}`,
      seen: new Date().toISOString(),
    };
    const held = await stateOf(redis, this.#key);
    // This very run has no other coordinator: we hold the lock of its folder. A Redis that was restarted may have forgotten it.
    const lease = [keys.run(this.#key), JSON.stringify(state), 'PX', LEASE_MS] as const;
    const taken = held?.run === state.run ? await redis.set(...lease) : await redis.set(...lease, 'NX');
    if (taken !== 'OK')
      throw new RobustError(
        `another coordinator (${held?.coordinator}) has the same run on this queue, as ${held?.run}`,
        {
          code: 'RUN_TAKEN',
          hint: `Wait for it. A coordinator that does not respond is dropped after ${LEASE_MS / 1000} s; then the same command goes on with what was found.`,
        },
      );
    await redis.sadd(keys.runs, this.#key);
    const workers = await workersOn(queue);
    this.workers = workers.length;
    const slots = workers.reduce((sum, { concurrency }) => sum + concurrency, 0);
    if (this.#dispatcher) this.#dispatcher.slots = Math.max(1, slots);
  }

  /** Publishes the plan, on the first call, and gives out shards until the phase is done. */
  async #carryOut(phase: Phase, common?: string): Promise<void> {
    try {
      this.#dispatcher ??= new Dispatcher(this.broker, this.#content, {
        run: this.folder.id,
        key: this.#key,
        plan: await this.#publish(),
      });
      await this.#beat();
      await explainedBroker(this.#dispatcher.run(phase, common, () => this.#checkSignal()));
    } catch (error) {
      // The error may follow from the signal.
      this.#checkSignal();
      throw error;
    } finally {
      this.folder.update({ machines: this.#machines.records });
    }
  }

  #checkSignal(): void {
    if (this.hooks.signal?.aborted) throw new RunInterrupted(this.folder.id);
    if (this.#stopped) throw this.#stopped;
  }

  /** The hash of the plan. */
  async #publish(): Promise<string> {
    const first = await collect(take(firstExamples(this.plan), FIRST_EXAMPLES));
    const { model, dataset, attacks, leftOut = [] } = this.plan;
    const document: PlanDocument = {
      settings: this.options.settings,
      ...(await this.options.models((file) => this.#content.keep(file))),
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
      texts: await this.#content.put(writeInputs(first.map((example, index) => ({ index, example }))), true),
      fingerprint: fingerprint(this.plan),
    };
    return this.#content.put(JSON.stringify(document), true);
  }

  #enter(stage: FleetProgress['stage'], done: number, total: number): void {
    Object.assign(this.#context.progress, { stage, done, total });
    this.#since = { at: performance.now(), done };
  }

  async answer(answers: AnswerFile): Promise<void> {
    let total = 0;
    for await (const _ of firstExamples(this.plan)) if (++total % 1024 === 0) this.#checkSignal();
    this.#enter('clean', answers.count, total);
    const phase = new CleanPhase(this.#context, answers, total);
    await this.#carryOut(phase);
    await phase.append();
  }

  async search(work: FleetWork): Promise<void> {
    const total = this.plan.attacks.length * work.examples;
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
    const learning = this.plan.attacks
      .filter(({ plugin, options }) => learns(this.plan, plugin.create(options)))
      .map(({ label }) => label);
    if (learning.length === 0) return this.#content.put(common, true);
    const phase = new LearnPhase(learning, common);
    await this.#carryOut(phase);
    const tapes: Record<string, string> = {};
    for (const [label, tape] of phase.tapes) tapes[label] = await this.#content.put(tape, true);
    return this.#content.put(JSON.stringify({ sample, texts, tapes }), true);
  }

  async close(): Promise<void> {
    clearInterval(this.#heart);
    const { path, record } = this.folder;
    const done = record.status === 'done';
    // A Redis that is away is not waited for.
    const farewell = this.broker.redis.status === 'ready' ? this.#resign(done).catch(() => {}) : undefined;
    await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, CLEARING_MS).unref())]);
    await this.broker.close();
    if (done) rmSync(join(path, 'store'), { recursive: true, force: true });
  }

  async #resign(done: boolean): Promise<void> {
    const { redis, queue } = this.broker;
    if ((await stateOf(redis, this.#key))?.run !== this.folder.id) return;
    if (done) {
      await removeJobs(queue, this.#key);
      await this.#content.remove();
      await redis.del(keys.refusals(this.#key), keys.openings(this.#key));
    }
    await redis.srem(keys.runs, this.#key);
    await redis.del(keys.run(this.#key));
  }
}
