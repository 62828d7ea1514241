/**
 * @file The coordinator of a run that others compute: it cuts the work into tasks, takes what comes of them, and keeps the run's folder,
 * which it alone writes. All that must outlive it is there or in the queue.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Example } from '../core/dataset.js';
import { RobustError, UsageError } from '../core/errors.js';
import { writeWhole } from '../files/write.js';
import {
  type AnswerFile,
  decisionOfPlan,
  type Fleet,
  type FleetWork,
  fingerprint,
  firstExamples,
  learns,
  lineOf,
  outcomeWithoutAttempt,
  type RunFolder,
  type RunHooks,
  RunInterrupted,
  type RunPlan,
  tryParse,
} from '../run/index.js';
import { Dispatcher, type Phase } from './dispatcher.js';
import { Machines } from './machines.js';
import { type Delivery, type FleetTask, machineName, type PlanDocument, parsed, unpacked } from './messages.js';
import { runMetrics } from './metrics.js';
import { PartSizes } from './part-sizes.js';
import { type Broker, keys, openBroker } from './redis.js';
import {
  type DataSegment,
  inSegments,
  readExamples,
  readRows,
  SEGMENT,
  writtenExamples,
  writtenRows,
} from './segments.js';
import { listen, type OpenPort, offering } from './server.js';
import { DELIVERED } from './shared-folder.js';
import { FolderStore, hashOf } from './store.js';
import { liveWorkers, type WorkerState } from './worker-state.js';

export interface CoordinatorOptions {
  readonly queue: string;
  /** Where workers reach this process. @default a free port of 127.0.0.1 */
  readonly listen?: string | undefined;
  /** A folder that coordinator and workers see: content and deliveries then go through it. */
  readonly store?: string | undefined;
  readonly toolVersion: string;
  /** How workers get the model, once `keep` has given its files their hashes. */
  model(keep: (file: string) => Promise<{ sha256: string; bytes: number }>): Promise<PlanDocument['model']>;
  /** What workers make their plan of, without what names files. */
  readonly settings: PlanDocument['settings'];
}

/** A coordinator that showed no sign of life for so long is taken for dead. */
const LEASE_MS = 30_000;
const HEARTBEAT_MS = 3000;
/** Workers wait so long for a coordinator that was killed. */
const ABSENT_SECONDS = 3600;
/** First examples by which workers see what kind of victim it is. */
const FIRST_EXAMPLES = 256;
const CRASHED = 'it took its worker down three times';

/** What attacks learnt, kept for whoever goes on with the run: the hash of what they learnt from, and attack -> that of its tape. */
const tapesSchema = z.strictObject({ common: z.string(), tapes: z.record(z.string(), z.string()) });

type Receive = (head: Delivery, product: Buffer) => void;

/** Another machine found something else. */
class Differs extends RobustError {}
/** A delivery that no task of this run asked for. */
class Unasked extends RobustError {}

export class Coordinator implements Fleet {
  readonly #plan: RunPlan;
  readonly #folder: RunFolder;
  readonly #hooks: RunHooks;
  readonly #options: CoordinatorOptions;
  readonly #store: FolderStore;
  readonly #inbox: string | undefined;
  readonly #token = randomBytes(24).toString('hex');
  readonly #machines: Machines;
  readonly #sizes = new PartSizes();
  readonly #fingerprint: string;
  #broker!: Broker;
  #server!: OpenPort;
  #dispatcher!: Dispatcher;
  #heart: NodeJS.Timeout | undefined;
  #segments: DataSegment[] | undefined;
  #receiving: { readonly kind: Phase['kind']; readonly take: Receive } | undefined;
  #failure: unknown;
  #progress = { stage: 'clean', done: 0, total: 0, repeated: 0 };
  #workers: readonly WorkerState[] = [];

  private constructor(plan: RunPlan, folder: RunFolder, hooks: RunHooks, options: CoordinatorOptions) {
    this.#plan = plan;
    this.#folder = folder;
    this.#hooks = hooks;
    this.#options = options;
    this.#store = new FolderStore(options.store ?? join(folder.path, 'store'));
    this.#inbox = options.store === undefined ? undefined : join(options.store, folder.id, 'inbox');
    this.#machines = new Machines(join(folder.path, 'machines.jsonl'));
    this.#fingerprint = hashOf(JSON.stringify(fingerprint(plan)));
  }

  /**
   * Connects, and takes the lead of the run. Throws UsageError QUEUE_RUN_TAKEN where another coordinator has it, and what `openBroker` and
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
    try {
      await made.#lead();
      const offer = {
        token: made.#token,
        pathOf: (sha256: string) => made.#store.pathOf(sha256),
        deliver: (bytes: Buffer) => made.#taken(bytes),
        metrics: () => runMetrics(folder.id, made.#progress, made.#workers, made.#dispatcher?.outstanding ?? 0),
      };
      made.#server = await listen(options.listen ?? '127.0.0.1:0', offering(offer));
      if (made.#inbox) mkdirSync(made.#inbox, { recursive: true });
      await made.#announce();
      return made;
    } catch (error) {
      await made.close();
      throw error;
    }
  }

  /** Where workers and readers of figures find it. */
  get url(): string {
    return this.#server.url;
  }

  async #lead(): Promise<void> {
    const { redis } = this.#broker;
    const key = keys.leader(this.#fingerprint);
    const mine = JSON.stringify({ run: this.#folder.id, host: hostname(), pid: process.pid });
    if ((await redis.set(key, mine, 'PX', LEASE_MS, 'NX')) === 'OK') return;
    const held = (await redis.get(key)) ?? mine;
    const { run, host, pid } = JSON.parse(held) as { run: string; host: string; pid: number };
    // Of this very run there is none but us: we hold the lock of its folder.
    if (run !== this.#folder.id) {
      throw new UsageError(`another coordinator (${pid} on ${host}) has the same run on this queue, as ${run}`, {
        code: 'QUEUE_RUN_TAKEN',
        hint: `Wait for it; or, once it has ended, go on with it: robust attack --resume ${run}. What has no sign of life is forgotten after ${LEASE_MS / 1000} s.`,
      });
    }
    await redis.set(key, mine, 'PX', LEASE_MS);
  }

  /** Says where this coordinator is, and goes on saying that it lives. */
  async #announce(): Promise<void> {
    const { redis, queue } = this.#broker;
    const { id } = this.#folder;
    const beat = async (): Promise<void> => {
      const { stage, done, total } = this.#progress;
      await redis.hset(keys.run(id), {
        url: this.#server.url,
        token: this.#token,
        host: hostname(),
        pid: process.pid,
        version: this.#options.toolVersion,
        queue: queue.name,
        fingerprint: this.#fingerprint,
        model: this.#plan.model.name,
        data: this.#plan.dataset.name,
        stage,
        done,
        total,
        beat: new Date().toISOString(),
      });
      await redis.expire(keys.run(id), ABSENT_SECONDS);
      await redis.sadd(keys.runs, id);
      await redis.pexpire(keys.leader(this.#fingerprint), LEASE_MS);
      this.#workers = await liveWorkers(redis);
      const slots = this.#workers
        .filter(({ machine }) => machine.toolVersion === this.#options.toolVersion)
        .reduce((sum, { concurrency }) => sum + concurrency, 0);
      if (this.#dispatcher) this.#dispatcher.slots = Math.max(1, slots);
      if (await redis.sismember(keys.drained, id)) this.#failure ??= new RunInterrupted(id);
    };
    await redis.srem(keys.drained, id);
    await beat();
    this.#heart = setInterval(() => void beat().catch(() => {}), HEARTBEAT_MS);
  }

  /** Publishes the plan, on the first call, and gives out tasks until the phase is done. */
  async #carryOut(phase: Phase, receive: Receive): Promise<void> {
    this.#dispatcher ??= await this.#published();
    const stop = () => this.#dispatcher.wake();
    this.#hooks.signal?.addEventListener('abort', stop);
    this.#receiving = { kind: phase.kind, take: receive };
    try {
      await this.#dispatcher.run(phase, async () => {
        this.#readInbox();
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#hooks.signal?.aborted) throw new RunInterrupted(this.#folder.id);
      });
    } finally {
      this.#hooks.signal?.removeEventListener('abort', stop);
      this.#receiving = undefined;
    }
  }

  async #published(): Promise<Dispatcher> {
    const first: Example[] = [];
    for await (const example of firstExamples(this.#plan)) {
      if (first.push(example) === FIRST_EXAMPLES) break;
    }
    const { model, dataset, attacks, leftOut = [], toolVersion } = this.#plan;
    const document: PlanDocument = {
      run: this.#folder.id,
      toolVersion,
      settings: this.#options.settings,
      model: await this.#options.model((file) => this.#store.keep(file)),
      dataset: {
        name: dataset.name,
        labels: [...dataset.labels],
        source: { ...dataset.source },
        ...(dataset.pairs && { pairs: true }),
      },
      ...(model.decision && { decision: model.decision }),
      attacks: attacks.map(({ label }) => label),
      leftOut: leftOut.map((each) => ({ ...each })),
      texts: this.#store.put(writtenExamples(first)),
      fingerprint: fingerprint(this.#plan),
    };
    return new Dispatcher(this.#broker.queue, this.#folder.id, this.#store.put(JSON.stringify(document)));
  }

  /** Cuts the data set, once a session. */
  async #cut(): Promise<DataSegment[]> {
    if (this.#segments !== undefined) return this.#segments;
    const segments: DataSegment[] = [];
    let from = 0;
    for await (const examples of inSegments(firstExamples(this.#plan))) {
      segments.push({ from, to: from + examples.length, texts: this.#store.put(writtenExamples(examples)) });
      from += examples.length;
      if (this.#hooks.signal?.aborted) throw new RunInterrupted(this.#folder.id);
    }
    this.#segments = segments;
    return segments;
  }

  async answer(answers: AnswerFile): Promise<void> {
    const segments = await this.#cut();
    const labels = this.#plan.model.classifier.labels.length;
    const total = segments.at(-1)?.to ?? 0;
    const resumed = answers.count;
    const began = performance.now();
    /** Rows that are there and not yet in the file, by index. */
    const waiting = new Map<number, Float32Array>();
    let cursor = resumed;
    const taken: { from: number; to: number }[] = [];
    const missing = (index: number): boolean => index >= answers.count && !waiting.has(index);
    const segmentOf = (index: number) => segments[Math.floor(index / SEGMENT)] as DataSegment;
    const task = (from: number, to: number): FleetTask => ({ kind: 'answers', from, to, texts: segmentOf(from).texts });
    const append = async (): Promise<void> => {
      while (waiting.has(answers.count)) {
        const from = answers.count;
        const segment = segmentOf(from);
        const examples = readExamples(await this.#store.bytes(segment.texts));
        const batch: { example: Example; row: Float32Array }[] = [];
        for (let index = from; index < segment.to; index++) {
          const row = waiting.get(index);
          if (row === undefined) break;
          waiting.delete(index);
          batch.push({ example: examples[index - segment.from] as Example, row });
        }
        answers.append(batch);
        const done = answers.count;
        this.#progress = { ...this.#progress, stage: 'clean', done, total };
        this.#hooks.progress?.({
          ...{ stage: 'clean', done, total, resumed, succeeded: 0, attacked: 0, asked: done - resumed },
          seconds: (performance.now() - began) / 1000,
        });
      }
    };
    const phase: Phase = {
      kind: 'answers',
      async next() {
        await append();
        for (let on = taken.find((each) => each.from <= cursor && cursor < each.to); on !== undefined; ) {
          cursor = on.to;
          on = taken.find((each) => each.from <= cursor && cursor < each.to);
        }
        if (cursor >= total) return undefined;
        const from = cursor;
        cursor = Math.min(segmentOf(from).to, ...taken.filter((each) => each.from > from).map((each) => each.from));
        return task(from, cursor);
      },
      taken: (each) => taken.push(each as { from: number; to: number }),
      rest: (each) => (each.kind === 'answers' ? stretches(each.from, each.to, missing).map((s) => task(...s)) : []),
      broken: async (each) => {
        if (each.kind !== 'answers') return [];
        if (each.to - each.from > 1) return divided(each).map(([from, to]) => task(from, to));
        waiting.set(each.from, new Float32Array(labels).fill(Number.NaN));
        this.#hooks.warn?.(`the model could not answer example ${each.from}: ${CRASHED}`);
        return [];
      },
    };
    await this.#carryOut(phase, (head, product) => {
      const { task: done } = head;
      if (done.kind !== 'answers') throw new Unasked('expected answers', { code: 'QUEUE_MESSAGE' });
      const rows = readRows(product, labels);
      if (done.to > total || (head.state !== 'crashed' && rows.length !== done.to - done.from))
        throw new Unasked(`expected ${done.to - done.from} rows, got ${rows.length}`, { code: 'QUEUE_MESSAGE' });
      for (const [at, row] of rows.entries()) {
        const index = done.from + at;
        const known = waiting.get(index) ?? (index < answers.count ? answers.read(index).row : undefined);
        if (known === undefined) waiting.set(index, row);
        else if (!alike(known, row)) throw differing(`the answer to example ${index}`, 'an earlier worker', head);
      }
      if (head.unanswered && head.unanswered.count > 0) this.#hooks.debug?.(`unanswered: ${head.unanswered.first}`);
      this.#dispatcher.ended(head.job, head.state, phase);
      this.#dispatcher.wake();
    });
    await append();
  }

  async search(work: FleetWork): Promise<void> {
    const segments = await this.#cut();
    const { attacks } = this.#plan;
    // Whoever goes on with a run has the answers, and workers need them.
    for (const segment of segments) {
      const rows = Array.from(
        { length: segment.to - segment.from },
        (_, at) => work.answers.read(segment.from + at).row,
      );
      segment.answers = this.#store.put(writtenRows(rows));
    }
    const common = { sample: work.sample, texts: work.texts };
    let commonHash = this.#store.put(JSON.stringify({ ...common, tapes: {} }));
    const learning = attacks.filter(({ plugin, options }) => learns(this.#plan, plugin.create(options)));
    const total = attacks.length * work.examples;
    let done = 0;
    for (let ordinal = 0; ordinal < total; ordinal++) if (work.has(ordinal)) done++;
    this.#progress = { stage: 'attack', done, total, repeated: 0 };
    if (done < total && learning.length > 0) {
      const file = join(this.#folder.path, 'tapes.json');
      const known = existsSync(file) ? parsed(tapesSchema, readFileSync(file, 'utf8'), file) : undefined;
      const tapes =
        known?.common === commonHash
          ? known.tapes
          : await this.#prepared(
              learning.map(({ label }) => label),
              commonHash,
            );
      writeWhole(file, JSON.stringify({ common: commonHash, tapes }), 'what attacks learnt');
      commonHash = this.#store.put(JSON.stringify({ ...common, tapes }));
    }
    await this.#searched(work, segments, commonHash);
    const { mixed, records } = this.#machines;
    if (mixed !== undefined) work.warn(mixed);
    this.#folder.update({ machines: records });
  }

  /** What each attack that learns has asked, by which others learn the same without asking. */
  async #prepared(labels: readonly string[], common: string): Promise<Record<string, string>> {
    const tapes: Record<string, string> = {};
    const given = new Set<string>();
    const phase: Phase = {
      kind: 'prepare',
      async next() {
        const attack = labels.find((label) => !given.has(label));
        if (attack === undefined) return undefined;
        given.add(attack);
        return { kind: 'prepare', attack, common };
      },
      taken: (task) => void (task.kind === 'prepare' && given.add(task.attack)),
      rest: (task) => (task.kind === 'prepare' && tapes[task.attack] === undefined ? [task] : []),
      async broken(task) {
        throw new RobustError(`${task.kind === 'prepare' ? task.attack : ''} cannot be prepared: ${CRASHED}`, {
          code: 'MODEL_CRASHED',
          hint: 'Leave that attack out, or give workers more memory.',
        });
      },
    };
    await this.#carryOut(phase, (head, product) => {
      if (head.task.kind !== 'prepare') throw new Unasked('expected what was learnt', { code: 'QUEUE_MESSAGE' });
      if (head.state === 'done') tapes[head.task.attack] ??= this.#store.put(product);
      this.#dispatcher.ended(head.job, head.state, phase);
    });
    return tapes;
  }

  async #searched(work: FleetWork, segments: readonly DataSegment[], common: string): Promise<void> {
    const { attacks } = this.#plan;
    const labels = attacks.map(({ label }) => label);
    const places = new Map(labels.map((label, at) => [label, at]));
    const ordinal = (attack: string, index: number) => (places.get(attack) as number) * work.examples + index;
    const lacking = (index: number) => labels.filter((label) => !work.has(ordinal(label, index)));
    const taken: { from: number; to: number }[] = [];
    const spent = new Map<string, number>();
    const task = (from: number, to: number, of: readonly string[]): FleetTask => {
      const { from: segment, texts, answers = '' } = segments[Math.floor(from / SEGMENT)] as DataSegment;
      return { kind: 'search', from, to, attacks: [...of], segment, texts, answers, common };
    };
    const rest = (each: FleetTask): FleetTask[] => {
      if (each.kind !== 'search') return [];
      const missing = (index: number) => each.attacks.some((label) => !work.has(ordinal(label, index)));
      return stretches(each.from, each.to, missing).map(([from, to]) => {
        const of = each.attacks.filter((label) => {
          for (let index = from; index < to; index++) if (!work.has(ordinal(label, index))) return true;
          return false;
        });
        return task(from, to, of);
      });
    };
    let cursor = 0;
    const phase: Phase = {
      kind: 'search',
      next: async (slots) => {
        for (;;) {
          const on = taken.find((each) => each.from <= cursor && cursor < each.to);
          if (on !== undefined) cursor = on.to;
          else if (cursor < work.examples && lacking(cursor).length === 0) cursor++;
          else break;
        }
        if (cursor >= work.examples) return undefined;
        const from = cursor;
        const { to: end } = segments[Math.floor(from / SEGMENT)] as DataSegment;
        const size = this.#sizes.next(work.examples - from, slots);
        cursor = Math.min(from + size, end, ...taken.filter((each) => each.from > from).map((each) => each.from));
        return rest(task(from, cursor, labels))[0] as FleetTask;
      },
      taken: (each) => taken.push(each as { from: number; to: number }),
      rest,
      broken: async (each) => {
        if (each.kind !== 'search') return [];
        if (each.to - each.from > 1 || each.attacks.length > 1) {
          const pieces = divided(each);
          // Down to one example it may be any of the attacks.
          const apart = pieces.every(([from, to]) => to - from === 1);
          const kinds = apart ? each.attacks.map((label) => [label]) : [each.attacks];
          return pieces.flatMap(([from, to]) => kinds.map((of) => task(from, to, of)));
        }
        const [label = ''] = each.attacks;
        const example = readExamples(await this.#store.bytes(each.texts))[each.from - each.segment] as Example;
        const pair = {
          example,
          attack: label,
          before: work.answers.read(each.from).row,
          decision: decisionOfPlan(this.#plan),
        };
        work.add(ordinal(label, each.from), outcomeWithoutAttempt(pair, 'errored', CRASHED, { asked: 1, computed: 1 }));
        this.#hooks.warn?.(`${label} on example ${example.id}: ${CRASHED}; it counts as errored`);
        return [];
      },
    };
    await this.#carryOut(phase, (head, product) => {
      const { task: of, machine, job } = head;
      if (of.kind !== 'search') throw new Unasked('expected outcomes', { code: 'QUEUE_MESSAGE' });
      const entries = product
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const entry = tryParse(line);
          const place = entry && places.get(entry.outcome.attack);
          if (
            entry === undefined ||
            place === undefined ||
            entry.index < of.from ||
            entry.index >= of.to ||
            entry.index >= work.examples
          )
            throw new Unasked('expected an outcome of its task', { code: 'QUEUE_MESSAGE' });
          return { entry, at: place * work.examples + entry.index };
        });
      let kept = 0;
      let start = -1;
      for (const { entry, at } of entries) {
        if (!work.has(at)) {
          work.add(at, entry.outcome);
          if (start < 0) start = work.line(at).start;
          kept++;
          continue;
        }
        this.#progress.repeated++;
        const known = work.line(at);
        if (known.text !== lineOf(entry)) {
          // What is noted of this delivery so far must not be mistaken for the other machine's.
          throw differing(
            `${entry.outcome.attack} on example ${entry.outcome.id}`,
            this.#machines.at(known.start),
            head,
          );
        }
      }
      if (kept > 0) this.#machines.found(machine, start, kept);
      this.#progress.done += kept;
      for (const [attack, seconds] of Object.entries(head.seconds)) work.spent(attack, seconds);
      const seconds = Object.values(head.seconds).reduce((sum, each) => sum + each, spent.get(job) ?? 0);
      if (head.state === 'done') {
        spent.delete(job);
        this.#sizes.measured(((of.to - of.from) * of.attacks.length) / labels.length, seconds);
      } else spent.set(job, seconds);
      this.#dispatcher.ended(job, head.state, phase);
      if (this.#progress.done >= this.#progress.total) this.#dispatcher.wake();
    });
  }

  /** Takes a delivery: the status of HTTP to answer with. */
  #taken(bytes: Buffer): number {
    try {
      const { head, product } = unpacked(bytes);
      if (head.run !== this.#folder.id) return 410;
      // Between two phases: later.
      if (this.#receiving === undefined) return 503;
      // Of a phase that is over; or of one that an earlier coordinator had reached: whoever waited for that might keep this one from going on.
      if (this.#receiving.kind !== head.task.kind) return 410;
      this.#receiving.take(head, product);
      return 200;
    } catch (error) {
      if (error instanceof Unasked || (error instanceof RobustError && error.code === 'QUEUE_MESSAGE')) return 400;
      this.#failure ??= error;
      this.#dispatcher?.wake();
      return error instanceof Differs ? 409 : 500;
    }
  }

  /** Takes what lies in the folder that all see. */
  #readInbox(): void {
    if (this.#inbox === undefined || !existsSync(this.#inbox)) return;
    for (const name of readdirSync(this.#inbox)
      .filter((each) => each.endsWith(DELIVERED))
      .sort()) {
      const path = join(this.#inbox, name);
      const status = this.#taken(readFileSync(path));
      if (status === 200 || status === 410) rmSync(path, { force: true });
      else if (status !== 503) renameSync(path, `${path}.refused`);
    }
  }

  /** Workers need not wait for a coordinator that left in good order. */
  async #withdraw(): Promise<void> {
    await this.#broker.redis.hset(keys.run(this.#folder.id), { stage: 'stopped' });
    await this.#dispatcher?.withdraw();
  }

  async close(): Promise<void> {
    clearInterval(this.#heart);
    const { redis } = this.#broker;
    const { id } = this.#folder;
    const done = this.#folder.record.status === 'done';
    await this.#server?.close();
    const tidy = async (): Promise<void> => {
      if (!done) await this.#withdraw();
      const held = await redis.get(keys.leader(this.#fingerprint));
      if (held?.includes(JSON.stringify(id))) await redis.del(keys.leader(this.#fingerprint));
      if (!done) return;
      await redis.del(keys.run(id), keys.strikes(id));
      await redis.srem(keys.runs, id);
    };
    // A broker that is away is not waited for.
    await Promise.race([tidy().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 2000).unref())]);
    await this.#broker.close();
    if (!done) return;
    for (const name of ['machines.jsonl', 'tapes.json']) rmSync(join(this.#folder.path, name), { force: true });
    if (this.#inbox === undefined) rmSync(this.#store.path, { recursive: true, force: true });
    else rmSync(join(this.#inbox, '..'), { recursive: true, force: true });
  }
}

/** Runs of indices in [from, to) that hold. */
function stretches(from: number, to: number, holds: (index: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  for (let index = from; index < to; index++) {
    if (!holds(index)) continue;
    const last = found.at(-1);
    if (last !== undefined && last[1] === index) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}

/** Pieces of a range that took workers down: few tries find the one example. */
const PIECES = 4;

function divided({ from, to }: { readonly from: number; readonly to: number }): [number, number][] {
  const pieces = Math.min(PIECES, to - from);
  const at = (piece: number): number => from + Math.round(((to - from) * piece) / pieces);
  return Array.from({ length: pieces }, (_, piece) => [at(piece), at(piece + 1)]);
}

/** The same bytes: NaN stands for no answer. */
const alike = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, at) => Object.is(value, b[at]));

const differing = (what: string, other: string, { machine }: Delivery): Differs =>
  new Differs(`${what}: ${machineName(machine)} found something else than ${other}`, {
    code: 'NOT_DETERMINISTIC',
    hint: 'The same work must give the same bytes: do processors, versions of onnxruntime or the memory of these machines differ? Run on machines of one kind.',
  });
