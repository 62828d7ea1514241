/**
 * @file The coordinator of a run that others compute: it cuts the work into jobs, takes what they find, and keeps the run's folder,
 * which it alone writes. All that must outlive it is there or in the queue.
 */

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { closingOnError } from '../core/closing-stack.js';
import { defined } from '../core/defined.js';
import { chunks, collect, take } from '../core/take.js';
import type { HttpServer } from '../http/server.js';
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
import { AnswerPhase } from './answer-phase.js';
import { Dispatcher } from './dispatcher.js';
import { Inbox } from './exchange.js';
import { Intake } from './intake.js';
import { Leadership } from './leadership.js';
import { Machines } from './machines.js';
import type { PlanDocument } from './messages.js';
import { runMetrics } from './metrics.js';
import { isObjectStore, ObjectStore, type StoreAccess } from './object-store.js';
import type { FleetProgress, Phase } from './phase.js';
import { loadOrLearnTapes, PreparePhase } from './prepare-phase.js';
import { type Broker, explainFullBroker, openBroker } from './redis.js';
import { SearchPhase } from './search-phase.js';
import { type DataSegment, SEGMENT, writeExamples, writeRows } from './segments.js';
import { listen, offering } from './server.js';
import { FolderStore, hashOf, type KeepFile } from './store.js';
import type { WorkerState } from './worker-state.js';

export interface CoordinatorOptions {
  readonly queue: string;
  /** Where workers reach this process. @default a free port of 127.0.0.1 */
  readonly listen?: string | undefined;
  /** A folder that coordinator and workers see, or s3://bucket/prefix: content and deliveries then go through it. */
  readonly store?: string | undefined;
  /** How a store of objects is reached. */
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

export class Coordinator implements Fleet {
  readonly #plan: RunPlan;
  readonly #folder: RunFolder;
  readonly #hooks: RunHooks;
  readonly #options: CoordinatorOptions;
  readonly #store: FolderStore;
  readonly #machines: Machines;
  readonly #intake: Intake;
  readonly #progress: FleetProgress = { stage: 'clean', done: 0, total: 0, repeated: 0, rate: 0 };
  /** Content that was kept since it was last published. */
  readonly #fresh: string[] = [];
  #inbox: Inbox | undefined;
  #broker!: Broker;
  #leadership: Leadership | undefined;
  #server: HttpServer | undefined;
  #dispatcher: Dispatcher | undefined;
  #segments: DataSegment[] | undefined;
  #failure: unknown;

  private constructor(plan: RunPlan, folder: RunFolder, hooks: RunHooks, options: CoordinatorOptions) {
    this.#plan = plan;
    this.#folder = folder;
    this.#hooks = hooks;
    this.#options = options;
    this.#store = new FolderStore(this.#sharedFolder ?? join(folder.path, 'store'), (sha256) => {
      this.#fresh.push(sha256);
    });
    this.#intake = new Intake(folder.id, {
      onReceived: ({ id, state }, phase) => {
        this.#dispatcher?.onEnd(id, state, phase);
        this.#dispatcher?.wake();
      },
      failed: (error) => this.#fail(error),
    });
    this.#machines = new Machines(join(folder.path, 'machines.jsonl'));
  }

  /**
   * Connects, and takes the lead of the run. Throws RobustError RUN_TAKEN where another coordinator has it, and what `openBroker` and
   * `listen` throw.
   */
  static async open(
    plan: RunPlan,
    folder: RunFolder,
    hooks: RunHooks,
    options: CoordinatorOptions,
  ): Promise<Coordinator> {
    const made = new Coordinator(plan, folder, hooks, options);
    made.#broker = await openBroker(options.queue, options.toolVersion, (message) => hooks.warn?.(message));
    await closingOnError(made, () => explainFullBroker(made.#begin()));
    return made;
  }

  get #sharedFolder(): string | undefined {
    const { store } = this.#options;
    return store === undefined || isObjectStore(store) ? undefined : store;
  }

  /** The place for deliveries, if they do not come here. Throws what `ObjectStore.open` and `Inbox` throw. */
  async #openInbox(): Promise<Inbox | undefined> {
    const { store, access } = this.#options;
    const { id } = this.#folder;
    if (store === undefined) return undefined;
    if (this.#sharedFolder !== undefined) return new Inbox(store, id);
    const { signal = new AbortController().signal, warn } = this.#hooks;
    const objects = await ObjectStore.open(store, access, { signal, warn: (message) => warn?.(message) });
    await objects.check();
    return new Inbox(objects, id);
  }

  async #begin(): Promise<void> {
    this.#inbox = await this.#openInbox();
    const { id } = this.#folder;
    const { toolVersion, listen: at = '127.0.0.1:0' } = this.#options;
    const token = randomBytes(24).toString('hex');
    const leadership = await Leadership.take(this.#broker, {
      ...{ id, token, toolVersion, model: this.#plan.model.name, data: this.#plan.dataset.name },
      fingerprint: hashOf(JSON.stringify(fingerprint(this.#plan))),
    });
    this.#leadership = leadership;
    const offer = {
      token,
      pathOf: (sha256: string) => this.#store.pathOf(sha256),
      deliver: (bytes: Buffer) => this.#intake.take(bytes),
      metrics: () => runMetrics(id, this.#progress, leadership.workers, this.#dispatcher?.outstanding ?? 0),
    };
    this.#server = await listen(at, offering(offer));
    const heard = () => {
      if (this.#dispatcher) this.#dispatcher.slots = Math.max(1, leadership.slots);
    };
    await leadership.announce(this.#server.url, this.#progress, heard, (stop) => this.#fail(stop));
  }

  /** The workers of the run, with their slowest searches. */
  get workers(): readonly WorkerState[] {
    return this.#leadership?.workers ?? [];
  }

  /** Where workers and readers of figures find it. */
  get url(): string {
    return this.#server?.url ?? '';
  }

  /** Ends the run at the next occasion. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#dispatcher?.wake();
  }

  /** Publishes the plan, on the first call, and queues jobs until the phase is done. */
  async #carryOut(phase: Phase): Promise<void> {
    this.#dispatcher ??= await this.#publish();
    const dispatcher = this.#dispatcher;
    const stop = () => dispatcher.wake();
    this.#hooks.signal?.addEventListener('abort', stop);
    this.#intake.phase = phase;
    try {
      await this.#inbox?.publish(this.#store, this.#fresh.splice(0));
      const between = async (): Promise<void> => {
        await this.#inbox?.read((bytes) => this.#intake.take(bytes));
        if (this.#failure !== undefined) throw this.#failure;
        this.#checkSignal();
      };
      await explainFullBroker(dispatcher.run(phase, between));
    } catch (error) {
      // The error may follow from the signal.
      this.#checkSignal();
      throw error;
    } finally {
      this.#hooks.signal?.removeEventListener('abort', stop);
      this.#intake.phase = undefined;
    }
  }

  #checkSignal(): void {
    if (this.#hooks.signal?.aborted) throw new RunInterrupted(this.#folder.id);
  }

  async #publish(): Promise<Dispatcher> {
    const first = await collect(take(firstExamples(this.#plan), FIRST_EXAMPLES));
    const { model, dataset, attacks, leftOut = [], toolVersion } = this.#plan;
    const keep: KeepFile = (file) => this.#store.keep(file);
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
      texts: this.#store.put(writeExamples(first)),
      fingerprint: fingerprint(this.#plan),
    };
    return new Dispatcher(this.#broker.queue, this.#folder.id, this.#store.put(JSON.stringify(document)));
  }

  /** Cuts the data set, once a session. */
  async #cut(): Promise<DataSegment[]> {
    if (this.#segments !== undefined) return this.#segments;
    const segments: DataSegment[] = [];
    let from = 0;
    for await (const examples of chunks(firstExamples(this.#plan), SEGMENT)) {
      segments.push({ from, to: from + examples.length, texts: this.#store.put(writeExamples(examples)) });
      from += examples.length;
      this.#checkSignal();
    }
    this.#segments = segments;
    return segments;
  }

  async answer(answers: AnswerFile): Promise<void> {
    const phase = new AnswerPhase({
      answers,
      segments: await this.#cut(),
      store: this.#store,
      labels: this.#plan.model.classifier.labels.length,
      hooks: this.#hooks,
      progress: this.#progress,
    });
    await this.#carryOut(phase);
    await phase.append();
  }

  async search(work: FleetWork): Promise<void> {
    const segments = await this.#cut();
    const { attacks } = this.#plan;
    // A resumed run has the answers, and workers need them.
    for (const segment of segments) {
      const places = Array.from({ length: segment.to - segment.from }, (_, at) => segment.from + at);
      segment.answers = this.#store.put(writeRows(places.map((index) => work.answers.read(index).row)));
    }
    const total = attacks.length * work.examples;
    let done = 0;
    for (let ordinal = 0; ordinal < total; ordinal++) if (work.has(ordinal)) done++;
    Object.assign(this.#progress, { stage: 'attack', done, total, repeated: 0 });
    await this.#carryOut(
      new SearchPhase({
        plan: this.#plan,
        work,
        segments,
        common: await this.#common(work, done < total),
        store: this.#store,
        machines: this.#machines,
        hooks: this.#hooks,
        progress: this.#progress,
      }),
    );
    const { mixed, records } = this.#machines;
    if (mixed !== undefined) work.warn(mixed);
    this.#folder.update({ machines: records });
  }

  /** The hash of what all jobs must know of the whole; with what attacks learnt, where there is still something `left` to search. */
  async #common({ sample, texts }: FleetWork, left: boolean): Promise<string> {
    const common = this.#store.put(JSON.stringify({ sample, texts, tapes: {} }));
    const learning = this.#plan.attacks.filter(({ plugin, options }) => learns(this.#plan, plugin.create(options)));
    if (!left || learning.length === 0) return common;
    const tapes = await loadOrLearnTapes(join(this.#folder.path, 'tapes.json'), common, async () => {
      const labels = learning.map(({ label }) => label);
      const phase = new PreparePhase(labels, common, this.#store);
      await this.#carryOut(phase);
      return phase.tapes;
    });
    return this.#store.put(JSON.stringify({ sample, texts, tapes }));
  }

  async close(): Promise<void> {
    const { path, record } = this.#folder;
    const done = record.status === 'done';
    await this.#server?.close();
    await this.#leadership?.resign(done, async () => this.#dispatcher?.withdraw());
    await this.#broker.close();
    if (!done) return;
    await this.#inbox?.remove();
    for (const name of ['machines.jsonl', 'tapes.json']) rmSync(join(path, name), { force: true });
    if (this.#sharedFolder === undefined) rmSync(this.#store.path, { recursive: true, force: true });
  }
}
