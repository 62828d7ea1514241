/** @file The phases of a run on a queue: their shards, what workers need for them, and what becomes of their finds. */
import type { Example } from '../core/dataset.js';
import { RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import {
  type AnswerFile,
  decisionOfPlan,
  type FleetWork,
  firstExamples,
  type JournalEntry,
  lineOf,
  outcomeWithoutAttempt,
  type RunHooks,
  type RunPlan,
  tryParse,
} from '../run/index.js';
import type { Machines } from './machines.js';
import {
  type Delivery,
  type FleetShard,
  machineName,
  readRows,
  type ShardInput,
  writeInputs,
  writeRows,
} from './messages.js';
import { divide, type IndexRange, ShardSizes, shardsAhead } from './shards.js';

/** The shards of a phase, and the state of each. */
export interface Phase {
  readonly kind: FleetShard['kind'];
  /** The next shard, if `slots` can run at once; or undefined for now. If none is out either, no more will come. */
  next(slots: number): Promise<FleetShard | undefined>;
  /** A shard that an earlier coordinator of the run gave out: `next` passes it over. */
  onTaken(shard: FleetShard): void;
  /** Whether something of it is still to be done. */
  lacks(shard: FleetShard): boolean;
  /** The content that workers need for it. */
  input(shard: FleetShard): Promise<string>;
  /** Smaller shards instead of one that takes workers down; none where it could be no smaller, and was noted as an error. */
  split(shard: FleetShard): Promise<FleetShard[]>;
  /**
   * Keeps what was found; `earlier`: of the same shard. Throws RobustError: QUEUE_DAMAGED for what is none of it, NOT_DETERMINISTIC for something
   * else than what is kept.
   */
  take(shard: FleetShard, received: Received, earlier: readonly Received[]): void;
}

/** What a worker found. */
export interface Received {
  readonly head: Delivery;
  readonly found: string;
}

/** How far a run is: answers in the clean pass, then outcomes. */
export interface FleetProgress {
  stage: 'clean' | 'attack';
  done: number;
  total: number;
}

export interface PhaseContext {
  readonly plan: RunPlan;
  readonly examples: Examples;
  readonly hooks: RunHooks;
  readonly progress: FleetProgress;
}

/** The error of a shard that took workers down and cannot be divided further. */
const CRASHED = 'it took its worker down again and again';

const unexpected = (message: string): RobustError => new RobustError(message, { code: 'QUEUE_DAMAGED' });

/** `other`: whoever found what is kept, where that is known. */
const differenceError = (what: string, other: Received | undefined, { machine }: Delivery): RobustError =>
  new RobustError(
    `${what}: ${machineName(machine)} found something else than ${other ? machineName(other.head.machine) : 'a worker before'}`,
    {
      code: 'NOT_DETERMINISTIC',
      hint: 'The same work must give the same bytes. Check whether processors, onnxruntime versions or memory differ, and use machines of one kind.',
    },
  );

/** The examples of a run by their places: read once in their order, and again where an earlier one is wanted. */
export class Examples {
  readonly #plan: RunPlan;
  /** Those of shards that are out. */
  readonly #kept = new Map<number, Example>();
  #reader: AsyncGenerator<Example>;
  #at = 0;

  constructor(plan: RunPlan) {
    this.#plan = plan;
    this.#reader = firstExamples(plan);
  }

  /** Keeps the example until it is dropped. */
  async get(index: number): Promise<Example> {
    if (this.#kept.has(index)) return this.#kept.get(index)!;
    if (index < this.#at) {
      await this.#reader.return(undefined);
      this.#reader = firstExamples(this.#plan, index);
      this.#at = index;
    }
    for (;;) {
      const { value, done } = await this.#reader.next();
      if (done) {
        throw new RobustError(`${this.#plan.dataset.name} changed while it was being attacked (at its end)`, {
          code: 'DATA_DAMAGED',
          hint: 'Start a new run, and leave the file alone meanwhile.',
        });
      }
      if (this.#at++ < index) continue;
      this.#kept.set(index, value);
      return value;
    }
  }

  drop({ from, to }: IndexRange): void {
    for (let index = from; index < to; index++) this.#kept.delete(index);
  }
}

/** UTF-16 code units of the texts of a shard: Redis carries them. */
const MOST_TEXT = 1 << 20;

/** A phase that gives the examples of the run out in ranges, by what they cost. */
abstract class RangePhase {
  /** Shards of an earlier coordinator of the run. */
  readonly #taken: IndexRange[] = [];
  protected readonly sizes = new ShardSizes();
  protected readonly of: PhaseContext;
  readonly #total: number;
  readonly #least: number;
  /** Every example before it is done or in a shard. */
  #cursor: number;

  /** `least`: examples that are worth the way. */
  constructor(of: PhaseContext, total: number, begin: number, least: number) {
    this.of = of;
    this.#total = total;
    this.#cursor = begin;
    this.#least = least;
  }

  /** Whether something is still to be done for an example. */
  protected abstract lacksAt(index: number): boolean;

  protected get cursor(): number {
    return this.#cursor;
  }

  protected async nextRange(slots: number): Promise<IndexRange | undefined> {
    for (;;) {
      const earlier = this.#taken.find(({ from, to }) => from <= this.#cursor && this.#cursor < to);
      if (earlier !== undefined) this.#cursor = earlier.to;
      else if (this.#cursor < this.#total && !this.lacksAt(this.#cursor)) this.#cursor++;
      else break;
    }
    if (this.#cursor >= this.#total) return undefined;
    const from = this.#cursor;
    const size = Math.max(this.#least, this.sizes.next(this.#total - from, slots));
    const later = this.#taken.map((range) => range.from).filter((start) => start > from);
    const end = Math.min(from + size, this.#total, ...later);
    let length = 0;
    do {
      length += (await this.of.examples.get(this.#cursor)).text.length;
      this.#cursor++;
    } while (this.#cursor < end && length < MOST_TEXT);
    return { from, to: this.#cursor };
  }

  onTaken(shard: FleetShard): void {
    this.#taken.push(shard);
  }

  protected async inputs({ from, to }: IndexRange, more: (index: number) => Partial<ShardInput>): Promise<string> {
    const inputs: ShardInput[] = [];
    for (let index = from; index < to; index++) {
      const example = await this.of.examples.get(index);
      inputs.push({ index, example, ...more(index) });
    }
    return writeInputs(inputs);
  }
}

/** Answers cost little: fewer of them are not worth a shard's way. */
const LEAST_ANSWERS = 64;
/** Answers after one that is late, for each shard that can be out. */
const WAITING = 1024;

/** The clean pass: answers come in any order, and are kept in that of the data set. */
export class CleanPhase extends RangePhase implements Phase {
  readonly kind = 'clean';
  readonly #answers: AnswerFile;
  readonly #all: number;
  readonly #resumed: number;
  readonly #began = performance.now();
  /** Rows that are there and not yet in the file, by index. */
  readonly #waiting = new Map<number, Float32Array>();

  constructor(of: PhaseContext, answers: AnswerFile, total: number) {
    super(of, total, answers.count, LEAST_ANSWERS);
    this.#answers = answers;
    this.#all = total;
    this.#resumed = answers.count;
  }

  protected override lacksAt(index: number): boolean {
    return index >= this.#answers.count && !this.#waiting.has(index);
  }

  async next(slots: number): Promise<FleetShard | undefined> {
    await this.append();
    // One shard that takes long must not have the answers after it pile up in memory.
    if (this.cursor - this.#answers.count > shardsAhead(slots) * WAITING) return undefined;
    const range = await this.nextRange(slots);
    return range && this.#shard(range);
  }

  lacks({ from, to }: FleetShard): boolean {
    for (let index = from; index < to; index++) if (this.lacksAt(index)) return true;
    return false;
  }

  input(shard: FleetShard): Promise<string> {
    return this.inputs(shard, () => ({}));
  }

  async split(shard: FleetShard): Promise<FleetShard[]> {
    if (shard.to - shard.from > 1) return divide(shard).map((range) => this.#shard(range));
    const { labels } = this.of.plan.model.classifier;
    this.#waiting.set(shard.from, new Float32Array(labels.length).fill(Number.NaN));
    this.of.hooks.warn?.(`the model could not answer example ${shard.from}: ${CRASHED}`);
    return [];
  }

  take({ from, to }: FleetShard, { head, found }: Received, earlier: readonly Received[]): void {
    const rows = readRows(found, this.of.plan.model.classifier.labels.length);
    if (rows.length !== to - from) throw unexpected(`expected ${quantity(to - from, 'row')}, got ${rows.length}`);
    for (const [at, row] of rows.entries()) {
      const index = from + at;
      const known = this.#rowOf(index);
      if (known === undefined) this.#waiting.set(index, row);
      else if (!alike(known, row)) throw differenceError(`the answer to example ${index}`, earlier[0], head);
    }
    this.sizes.record(rows.length, head.seconds.clean ?? 0);
    if (head.unanswered !== undefined) this.of.hooks.debug?.(`unanswered: ${head.unanswered}`);
  }

  #rowOf(index: number): Float32Array | undefined {
    const there = index < this.#answers.count;
    return this.#waiting.get(index) ?? (there ? this.#answers.read(index).row : undefined);
  }

  /** Puts into the file what is there of the rows that it lacks next. */
  async append(): Promise<void> {
    const { examples, hooks, progress } = this.of;
    const from = this.#answers.count;
    const batch: { example: Example; row: Float32Array }[] = [];
    for (let row = this.#waiting.get(from); row !== undefined; row = this.#waiting.get(from + batch.length)) {
      this.#waiting.delete(from + batch.length);
      batch.push({ example: await examples.get(from + batch.length), row });
    }
    if (batch.length === 0) return;
    this.#answers.append(batch);
    const done = from + batch.length;
    examples.drop({ from, to: done });
    progress.done = done;
    hooks.progress?.({
      ...{ stage: 'clean', done, total: this.#all, resumed: this.#resumed, succeeded: 0, attacked: 0 },
      asked: done - this.#resumed,
      seconds: (performance.now() - this.#began) / 1000,
    });
  }

  #shard({ from, to }: IndexRange): FleetShard {
    return { kind: 'clean', from, to, attacks: [] };
  }
}

/** Whether the bytes are equal; NaN means no answer. */
const alike = (a: Float32Array, b: Float32Array): boolean =>
  a.length === b.length && a.every((value, at) => Object.is(value, b[at]));

/** Attacks learn once, on one worker each; the others learn the same from its queries and answers. */
export class LearnPhase implements Phase {
  readonly kind = 'learn';
  /** Attack -> its tape. */
  readonly tapes = new Map<string, string>();
  readonly #common: string;
  readonly #labels: string[];

  /** `labels`: of the attacks that learn; `common`: what they learn from. */
  constructor(labels: readonly string[], common: string) {
    this.#labels = [...labels];
    this.#common = common;
  }

  async next(): Promise<FleetShard | undefined> {
    const attack = this.#labels.shift();
    return attack === undefined ? undefined : { kind: 'learn', from: 0, to: 0, attacks: [attack] };
  }

  onTaken({ attacks }: FleetShard): void {
    this.#labels.splice(0, this.#labels.length, ...this.#labels.filter((label) => !attacks.includes(label)));
  }

  lacks({ attacks: [attack = ''] }: FleetShard): boolean {
    return !this.tapes.has(attack);
  }

  async input(): Promise<string> {
    return this.#common;
  }

  async split({ attacks }: FleetShard): Promise<FleetShard[]> {
    throw new RobustError(`${attacks[0]} cannot be prepared: ${CRASHED}`, {
      code: 'MODEL_CRASHED',
      hint: 'Leave that attack out, or give workers more memory.',
    });
  }

  take({ attacks: [attack = ''] }: FleetShard, { found }: Received): void {
    this.tapes.set(attack, (this.tapes.get(attack) ?? '') + found);
  }
}

export class SearchPhase extends RangePhase implements Phase {
  readonly kind = 'search';
  readonly #work: FleetWork;
  readonly #machines: Machines;
  readonly #labels: readonly string[];
  /** Attack -> its index in the plan. */
  readonly #attackIndex: ReadonlyMap<string, number>;

  constructor(of: PhaseContext, work: FleetWork, machines: Machines) {
    super(of, work.examples, 0, 1);
    this.#work = work;
    this.#machines = machines;
    this.#labels = of.plan.attacks.map(({ label }) => label);
    this.#attackIndex = new Map(this.#labels.map((label, at) => [label, at]));
  }

  protected override lacksAt(index: number): boolean {
    return this.#lacking(this.#labels, index);
  }

  async next(slots: number): Promise<FleetShard | undefined> {
    const range = await this.nextRange(slots);
    return range && { kind: 'search', ...range, attacks: [...this.#labels] };
  }

  lacks({ from, to, attacks }: FleetShard): boolean {
    for (let index = from; index < to; index++) if (this.#lacking(attacks, index)) return true;
    return false;
  }

  async input(shard: FleetShard): Promise<string> {
    const text = await this.inputs(shard, (index) => {
      const { row } = this.#work.answers.read(index);
      const known = this.#labels.filter((label) => !this.#lacking([label], index));
      return { before: writeRows([row]), ...(known.length > 0 && { known }) };
    });
    this.of.examples.drop(shard);
    return text;
  }

  async split(shard: FleetShard): Promise<FleetShard[]> {
    const { from, to, attacks } = shard;
    if (to - from > 1 || attacks.length > 1) {
      const ranges = divide(shard);
      // Down to one example it may be any of the attacks.
      const apart = ranges.every((range) => range.to - range.from === 1);
      const kinds = apart ? attacks.map((label) => [label]) : [attacks];
      return ranges.flatMap((range) => kinds.map((some): FleetShard => ({ kind: 'search', ...range, attacks: some })));
    }
    await this.#giveUp(attacks[0]!, from);
    return [];
  }

  /** A search that takes every worker down counts as errored. */
  async #giveUp(attack: string, index: number): Promise<void> {
    const { plan, examples, hooks } = this.of;
    const example = await examples.get(index);
    const pair = { example, attack, before: this.#work.answers.read(index).row, decision: decisionOfPlan(plan) };
    this.#work.add(
      this.#ordinal(attack, index),
      outcomeWithoutAttempt(pair, 'errored', CRASHED, { asked: 1, computed: 1 }),
    );
    hooks.warn?.(`${attack} on example ${example.id}: ${CRASHED}; it counts as errored`);
  }

  take(shard: FleetShard, { head, found }: Received, earlier: readonly Received[]): void {
    let kept = 0;
    for (const entry of this.#entries(shard, found)) {
      const at = this.#ordinal(entry.outcome.attack, entry.index);
      if (!this.#work.has(at)) {
        this.#work.add(at, entry.outcome);
        kept++;
        // On devices other than the processor it may differ, and the first one counts.
      } else if (this.of.plan.model.approximation?.device === undefined && this.#work.line(at) !== lineOf(entry)) {
        const { attack, id } = entry.outcome;
        const other = earlier.find((one) =>
          this.#entries(shard, one.found).some((each) => this.#ordinal(each.outcome.attack, each.index) === at),
        );
        throw differenceError(`${attack} on example ${id}`, other, head);
      }
    }
    this.#machines.count(head.machine, kept);
    this.of.progress.done += kept;
    for (const [attack, seconds] of Object.entries(head.seconds)) this.#work.spent(attack, seconds);
    const seconds = Object.values(head.seconds).reduce((sum, each) => sum + each, 0);
    this.sizes.record(kept / this.#labels.length, seconds);
  }

  /** Throws QUEUE_DAMAGED where a line is no outcome of the shard: nothing of the delivery is kept then. */
  #entries({ from, to, attacks }: FleetShard, found: string): JournalEntry[] {
    const lines = found.split('\n');
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const entry = tryParse(line);
        const known =
          entry !== undefined && this.#attackIndex.has(entry.outcome.attack) && attacks.includes(entry.outcome.attack);
        if (!known || entry.index < from || entry.index >= Math.min(to, this.#work.examples))
          throw unexpected('expected an outcome of its shard');
        return entry;
      });
  }

  #ordinal(attack: string, index: number): number {
    return this.#attackIndex.get(attack)! * this.#work.examples + index;
  }

  #lacking(attacks: readonly string[], index: number): boolean {
    return attacks.some((label) => !this.#work.has(this.#ordinal(label, index)));
  }
}
