/** @file Carries out jobs: fetches what they name, queries or searches, and delivers what it finds as it finds it. */
import type { Example } from '../core/dataset.js';
import { messageOf } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import {
  answersTo,
  type CommonTexts,
  lineOf,
  qualityOf,
  type ReadyAttack,
  type RunHooks,
  type RunPlan,
  readyAttacks,
  searchPart,
} from '../run/index.js';
import { type AnswerTape, readTape, tapedClassifier, tapedWhiteBox, writeTape } from './answer-tape.js';
import type { Receipt } from './coordinator-link.js';
import {
  commonSchema,
  type Delivery,
  type FleetJob,
  type Machine,
  type PlanDocument,
  packDelivery,
  parseMessage,
  planSchema,
  type QueuedJob,
} from './messages.js';
import { readExamples, readRows, SEGMENT, writeRows } from './segments.js';
import type { ContentSource } from './store.js';

/** Where a worker reads and delivers. */
export interface WorkerStore extends ContentSource {
  deliver(delivery: Buffer): Promise<Receipt>;
  /** Milliseconds for which outcomes wait to be delivered together. @default 1000 */
  readonly deliverMs?: number;
}

/** A plan whose model is loaded. */
export interface OpenPlan {
  readonly plan: RunPlan;
  close(): Promise<void>;
}

export interface ExecutorOptions {
  readonly machine: Machine;
  /** Makes the plan of a document; throws where it would not be the same run. */
  open(document: PlanDocument, examples: readonly Example[], content: ContentSource): Promise<OpenPlan>;
  readonly hooks: RunHooks;
}

export interface JobCalls {
  readonly store: WorkerStore;
  /** Ends the job early; what is found until then is delivered. */
  readonly signal: AbortSignal;
  /** Called once all that the job needs is there; it begins when this resolves. */
  ready(): Promise<void>;
  /** Searches that an earlier try delivered. */
  delivered(attack: string, index: number): boolean;
  /** Called with the searches whose outcomes the coordinator kept. */
  onKept(searches: readonly (readonly [attack: string, index: number])[]): void;
  /** A search began, and ended: for progress. */
  begun(attack: string, id: string): void;
  onOutcome(outcome: Outcome): void;
}

const DELIVER_MS = 1000;
/** Plans that are kept open: more would hold more models than a machine has memory for. */
const OPEN_PLANS = 2;

interface Opened extends OpenPlan {
  /** By the hash of what all jobs must know. */
  readonly common: Map<
    string,
    Promise<{ texts: CommonTexts; ready: readonly ReadyAttack[]; measured: (outcome: Outcome) => Promise<Outcome> }>
  >;
  users: number;
}

export class Executor {
  readonly #options: ExecutorOptions;
  readonly #plans = new Map<string, Promise<Opened>>();

  constructor(options: ExecutorOptions) {
    this.#options = options;
  }

  /** Throws RobustError for a job that cannot be carried out here, ModelGone where the model answers nothing any more. */
  async execute(id: string, { run, plan, job }: QueuedJob, calls: JobCalls): Promise<Receipt> {
    const opened = await this.#open(plan, calls.store);
    opened.users++;
    try {
      const deliver = (
        state: Delivery['state'],
        product: Uint8Array | string,
        seconds: Record<string, number>,
        more = {},
      ) =>
        calls.store.deliver(
          packDelivery(
            { run, id, machine: this.#options.machine, job, state, seconds, ...more },
            Buffer.from(product as string),
          ),
        );
      if (job.kind === 'answers') return await this.#answer(opened, job, calls, deliver);
      if (job.kind === 'prepare') return await this.#prepare(opened, job, calls, deliver);
      return await this.#search(opened, job, calls, deliver);
    } finally {
      opened.users--;
    }
  }

  async #open(sha256: string, store: WorkerStore): Promise<Opened> {
    const known = this.#plans.get(sha256);
    if (known !== undefined) return known;
    for (const [key, plan] of [...this.#plans].slice(0, Math.max(0, this.#plans.size - OPEN_PLANS + 1))) {
      const old = await plan.catch(() => undefined);
      if (old !== undefined && old.users > 0) continue;
      this.#plans.delete(key);
      await old?.close();
    }
    const opening = (async () => {
      const document = parseMessage(planSchema, (await store.bytes(sha256)).toString('utf8'), 'the plan of a run');
      const { plan, close } = await this.#options.open(
        document,
        readExamples(await store.bytes(document.texts)),
        store,
      );
      return { plan, close, common: new Map(), users: 0 };
    })();
    this.#plans.set(sha256, opening);
    opening.catch(() => this.#plans.delete(sha256));
    return opening;
  }

  async #answer(
    { plan }: Opened,
    job: FleetJob & { kind: 'answers' },
    { store, signal, ready }: JobCalls,
    deliver: Deliver,
  ): Promise<Receipt> {
    const all = readExamples(await store.bytes(job.texts));
    await ready();
    const began = performance.now();
    // A segment begins at a multiple of its length, a part of it anywhere.
    const first = job.from % SEGMENT;
    const examples = all.slice(first, first + job.to - job.from);
    let count = 0;
    let said = '';
    const rows = await answersTo(
      plan,
      examples,
      ({ id }, error) => {
        count++;
        said ||= `example ${id}: ${messageOf(error)}`;
      },
      signal,
    );
    return deliver('done', writeRows(rows), { clean: secondsSince(began) }, { unanswered: { count, first: said } });
  }

  async #prepare(
    { plan }: Opened,
    job: FleetJob & { kind: 'prepare' },
    { store, ready }: JobCalls,
    deliver: Deliver,
  ): Promise<Receipt> {
    const tape: AnswerTape = new Map();
    const { sample } = await commonOf(store, job.common);
    await ready();
    const began = performance.now();
    await readyAttacks(withTape(plan, tape, true), [job.attack], { sample, texts: [] }, () => {});
    return deliver('done', writeTape(tape), { [job.attack]: secondsSince(began) });
  }

  async #search(
    opened: Opened,
    job: FleetJob & { kind: 'search' },
    calls: JobCalls,
    deliver: Deliver,
  ): Promise<Receipt> {
    const { plan } = opened;
    const { store, signal } = calls;
    const { ready, measured } = await this.#ready(opened, job.common, store);
    const [texts, answers] = await Promise.all([store.bytes(job.texts), store.bytes(job.answers)]);
    const all = readExamples(texts);
    const rows = readRows(answers, plan.model.classifier.labels.length);
    const examples = all
      .map((example, at) => ({ index: job.segment + at, example, before: rows[at]! }))
      .filter(({ index }) => index >= job.from && index < job.to);
    await calls.ready();

    const over = new AbortController();
    const deliveries = new OutcomeDeliveries(job.attacks, deliver, calls.onKept, () => over.abort());
    const timer = setInterval(() => void deliveries.send('more').catch(() => {}), store.deliverMs ?? DELIVER_MS);
    const work = {
      attacks: ready.filter(({ planned }) => job.attacks.includes(planned.label)),
      examples,
      measured,
      known: calls.delivered,
      begun: (attack: string, { id }: Example) => calls.begun(attack, id),
      onOutcome(index: number, outcome: Outcome) {
        deliveries.waiting.push({ index, outcome });
        calls.onOutcome(outcome);
      },
    };
    try {
      const hooks = { ...this.#options.hooks, signal: AbortSignal.any([signal, over.signal]) };
      return await deliveries.send((await searchPart(plan, work, hooks)) ? 'done' : 'stopped');
    } catch (error) {
      // Its outcomes are valid; the next worker of the job does the rest.
      await deliveries.send('more').catch(() => {});
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  #ready({ plan, common }: Opened, sha256: string, store: WorkerStore) {
    let known = common.get(sha256);
    if (known === undefined) {
      known = (async () => {
        const { tapes, ...texts } = await commonOf(store, sha256);
        const ready: ReadyAttack[] = [];
        for (const { label } of plan.attacks) {
          const written = tapes[label];
          const tape: AnswerTape =
            written === undefined ? new Map() : readTape((await store.bytes(written)).toString('utf8'));
          ready.push(...(await readyAttacks(withTape(plan, tape, false), [label], texts, () => {})));
        }
        return { texts, ready, measured: qualityOf(plan, async () => texts.texts) };
      })();
      common.set(sha256, known);
      known.catch(() => common.delete(sha256));
    }
    return known;
  }

  async close(): Promise<void> {
    for (const plan of this.#plans.values()) await plan.then(({ close }) => close()).catch(() => {});
    this.#plans.clear();
  }
}

async function commonOf(store: WorkerStore, sha256: string) {
  const { sample, texts, tapes } = parseMessage(
    commonSchema,
    (await store.bytes(sha256)).toString('utf8'),
    'what is common to all jobs',
  );
  return { sample: sample as Example[], texts, tapes };
}

type Deliver = (
  state: Delivery['state'],
  product: Uint8Array | string,
  seconds: Record<string, number>,
  more?: Partial<Delivery>,
) => Promise<Receipt>;

/** Delivers outcomes in the order in which they were found; `over` is called once no more are taken. */
class OutcomeDeliveries {
  waiting: { index: number; outcome: Outcome }[] = [];
  readonly #attacks: readonly string[];
  readonly #deliver: Deliver;
  readonly #kept: JobCalls['onKept'];
  readonly #over: () => void;
  #since = performance.now();
  #sending: Promise<Receipt> = Promise.resolve('kept');

  constructor(attacks: readonly string[], deliver: Deliver, kept: JobCalls['onKept'], over: () => void) {
    this.#attacks = attacks;
    this.#deliver = deliver;
    this.#kept = kept;
    this.#over = over;
  }

  send(state: Delivery['state']): Promise<Receipt> {
    const batch = this.waiting.splice(0);
    this.#sending = this.#sending.then((last) =>
      last !== 'kept' || (state === 'more' && batch.length === 0) ? last : this.#sendBatch(state, batch),
    );
    this.#sending.catch(this.#over);
    return this.#sending;
  }

  async #sendBatch(state: Delivery['state'], batch: typeof this.waiting): Promise<Receipt> {
    const seconds = secondsByAttack(this.#attacks, batch, secondsSince(this.#since));
    this.#since = performance.now();
    const receipt = await this.#deliver(state, batch.map((entry) => `${lineOf(entry)}\n`).join(''), seconds);
    if (receipt === 'kept') this.#kept(batch.map(({ index, outcome }) => [outcome.attack, index]));
    else this.#over();
    return receipt;
  }
}

const secondsSince = (began: number): number => (performance.now() - began) / 1000;

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

const withTape = (plan: RunPlan, tape: AnswerTape, record: boolean): RunPlan => {
  const { classifier, gradients } = plan.model;
  return {
    ...plan,
    model: {
      ...plan.model,
      classifier: tapedClassifier(classifier, tape, record),
      ...(gradients && { gradients: tapedWhiteBox(gradients, tape, record) }),
    },
  };
};
