/** @file The phases of a run on a queue: their shards, what workers need for them, and what becomes of their finds. */
import type { Example } from '../core/dataset.js';
import { must, RobustError } from '../core/errors.js';
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
  readInputs,
  readRows,
  type ShardInput,
  writeInputs,
  writeRows,
} from './messages.js';
import { divide, ShardSizes, shardsAhead } from './shards.js';

/** A shard with the content that workers need for it: its examples, one a line. */
export interface Given {
  readonly shard: FleetShard;
  readonly content: string;
}

/** The shards of a phase, and the state of each. */
export interface Phase {
  readonly kind: FleetShard['kind'];
  /** The next shard, if `slots` can run at once; or undefined for now. If none is out either, no more will come. */
  next(slots: number): Promise<Given | undefined>;
  /** Whether a shard that an earlier coordinator of the run gave out can stay: `next` passes it over. */
  adopts(shard: FleetShard): boolean;
  /** Whether something of it is still to be done. */
  lacks(shard: FleetShard): boolean;
  /** Smaller shards instead of one that takes workers down; none where it could be no smaller, and was noted as an error. */
  split(given: Given): readonly Given[];
  /**
   * Keeps what was found; `earlier`: of the same shard. Throws RobustError: QUEUE_DAMAGED for what is none of it, NOT_DETERMINISTIC for something
   * else than what is kept.
   */
  take(shard: FleetShard, delivery: Delivery, earlier: readonly Delivery[]): void;
}

/** How far a run is: answers in the clean pass, then outcomes. */
export interface FleetProgress {
  stage: 'clean' | 'attack';
  done: number;
  total: number;
}

export interface PhaseContext {
  readonly plan: RunPlan;
  readonly hooks: RunHooks;
  readonly progress: FleetProgress;
}

/** The error of a shard that took workers down and cannot be divided further. */
const CRASHED = 'it took its worker down again and again';

const unexpected = (message: string): RobustError => new RobustError(message, { code: 'QUEUE_DAMAGED' });

/** `other`: whoever found what is kept, where that is known. */
const differenceError = (what: string, other: Delivery | undefined, { machine }: Delivery): RobustError =>
  new RobustError(
    `${what}: ${machineName(machine)} found something else than ${other ? machineName(other.machine) : 'a worker before'}`,
    {
      code: 'NOT_DETERMINISTIC',
      hint: 'The same work must give the same bytes. Check whether processors, onnxruntime versions or memory differ, and use machines of one kind.',
    },
  );

/** The examples of a run by their places, forwards. */
class ExampleReader {
  readonly #examples: AsyncGenerator<Example>;

  constructor(
    private readonly plan: RunPlan,
    private at: number,
  ) {
    this.#examples = firstExamples(plan, at);
  }

  async get(index: number): Promise<Example> {
    for (;;) {
      const { value, done } = await this.#examples.next();
      if (done)
        throw new RobustError(`${this.plan.dataset.name} changed while it was being attacked (at its end)`, {
          code: 'DATA_DAMAGED',
          hint: 'Start a new run, and leave the file alone meanwhile.',
        });
      if (this.at++ === index) return value;
    }
  }
}

/** UTF-16 code units of the texts of a shard: Redis carries them. */
const MOST_TEXT = 1 << 20;

/** A phase that gives the examples of the run out in ranges, by what they cost. */
abstract class RangePhase {
  abstract readonly kind: 'clean' | 'search';
  /** Examples in shards of an earlier coordinator of the run. */
  readonly #taken = new Set<number>();
  readonly #reader: ExampleReader;

  /** `attacks`: of its shards; `cursor`: every example before it is done or in a shard. */
  constructor(
    protected readonly of: PhaseContext,
    private readonly attacks: readonly string[],
    private readonly total: number,
    protected cursor: number,
    protected readonly sizes: ShardSizes,
  ) {
    this.#reader = new ExampleReader(of.plan, cursor);
  }

  /** Whether something is still to be done for an example. */
  protected abstract lacksAt(index: number, attacks: readonly string[]): boolean;

  /** What workers need for an example besides its texts. */
  protected abstract more(index: number): Pick<ShardInput, 'before'>;

  /** One attack on an example, or its answer, that takes every worker down counts as an error. */
  protected abstract giveUp(index: number, example: Example, attack: string | undefined): void;

  async next(slots: number): Promise<Given | undefined> {
    const isFree = (index: number) => this.lacksAt(index, this.attacks) && !this.#taken.has(index);
    while (this.cursor < this.total && !isFree(this.cursor)) this.#taken.delete(this.cursor++);
    if (this.cursor >= this.total) return undefined;
    const from = this.cursor;
    const end = from + this.sizes.next(this.total - from, slots);
    const inputs: ShardInput[] = [];
    let length = 0;
    do {
      const example = await this.#reader.get(this.cursor);
      inputs.push({ index: this.cursor, example, ...this.more(this.cursor) });
      length += example.text.length;
      this.cursor++;
    } while (this.cursor < end && isFree(this.cursor) && length < MOST_TEXT);
    const shard = { kind: this.kind, from, to: this.cursor, attacks: [...this.attacks] };
    return { shard, content: writeInputs(inputs) };
  }

  adopts({ from, to, attacks }: FleetShard): boolean {
    // One of some attacks only is given out again, with the others.
    if (attacks.length !== this.attacks.length) return false;
    for (let index = from; index < to; index++) this.#taken.add(index);
    return true;
  }

  lacks({ from, to, attacks }: FleetShard): boolean {
    for (let index = from; index < to; index++) if (this.lacksAt(index, attacks)) return true;
    return false;
  }

  split({ shard, content }: Given): readonly Given[] {
    const { kind, from, to, attacks } = shard;
    if (to - from === 1 && attacks.length < 2) {
      const [input] = readInputs(content);
      this.giveUp(from, must(input).example, attacks[0]);
      return [];
    }
    const ranges = divide(shard);
    // Down to one example it may be any of the attacks.
    const apart = ranges.every((range) => range.to - range.from === 1) && attacks.length > 1;
    const kinds = apart ? attacks.map((label) => [label]) : [attacks];
    const lines = content.split('\n');
    return ranges.flatMap((range) => {
      const part = lines.slice(range.from - from, range.to - from).join('\n');
      return kinds.map((some) => ({ shard: { kind, ...range, attacks: some }, content: part }));
    });
  }
}

/** Answers cost little: fewer of them are not worth a shard's way. */
const LEAST_ANSWERS = 64;
/** Answers after one that is late, for each shard that can be out. */
const WAITING = 1024;

/** The clean pass: answers come in any order, and are kept in that of the data set. */
export class CleanPhase extends RangePhase implements Phase {
  override readonly kind = 'clean';
  readonly #resumed: number;
  readonly #began = performance.now();
  readonly #labelled: ExampleReader;
  /** Rows that are there and not yet in the file, by index. */
  readonly #waiting = new Map<number, Float32Array>();

  constructor(
    of: PhaseContext,
    private readonly answers: AnswerFile,
    private readonly all: number,
  ) {
    super(of, [], all, answers.count, new ShardSizes(LEAST_ANSWERS));
    this.#resumed = answers.count;
    this.#labelled = new ExampleReader(of.plan, answers.count);
  }

  protected override lacksAt(index: number): boolean {
    return index >= this.answers.count && !this.#waiting.has(index);
  }

  protected override more() {
    return {};
  }

  override async next(slots: number): Promise<Given | undefined> {
    await this.append();
    // One shard that takes long must not have the answers after it pile up in memory.
    return this.cursor - this.answers.count > shardsAhead(slots) * WAITING ? undefined : super.next(slots);
  }

  protected override giveUp(index: number): void {
    const { plan, hooks } = this.of;
    this.#waiting.set(index, new Float32Array(plan.model.classifier.labels.length).fill(Number.NaN));
    hooks.warn?.(`the model could not answer example ${index}: ${CRASHED}`);
  }

  take({ from, to }: FleetShard, delivery: Delivery, earlier: readonly Delivery[]): void {
    const rows = readRows(delivery.found, this.of.plan.model.classifier.labels.length);
    if (rows.length !== to - from) throw unexpected(`expected ${quantity(to - from, 'row')}, got ${rows.length}`);
    for (const [at, row] of rows.entries()) {
      const index = from + at;
      const known = this.#waiting.get(index) ?? (this.lacksAt(index) ? undefined : this.answers.read(index).row);
      if (known === undefined) this.#waiting.set(index, row);
      else if (writeRows([known]) !== writeRows([row]))
        throw differenceError(`the answer to example ${index}`, earlier[0], delivery);
    }
    this.sizes.record(rows.length, delivery.seconds);
  }

  /** Puts into the file what is there of the rows that it lacks next. */
  async append(): Promise<void> {
    const { hooks, progress } = this.of;
    const from = this.answers.count;
    const batch: { example: Example; row: Float32Array }[] = [];
    for (let row = this.#waiting.get(from); row !== undefined; row = this.#waiting.get(from + batch.length)) {
      this.#waiting.delete(from + batch.length);
      batch.push({ example: await this.#labelled.get(from + batch.length), row });
    }
    if (batch.length === 0) return;
    this.answers.append(batch);
    const done = from + batch.length;
    progress.done = done;
    hooks.progress?.({
      stage: 'clean',
      done,
      total: this.all,
      resumed: this.#resumed,
      succeeded: 0,
      attacked: 0,
      asked: done - this.#resumed,
      seconds: (performance.now() - this.#began) / 1000,
    });
  }
}

/** Attacks learn once, on one worker each; the others learn the same from its queries and answers. */
export class LearnPhase implements Phase {
  readonly kind = 'learn';
  /** Attack -> its tape. */
  readonly tapes = new Map<string, string>();
  readonly #labels: Set<string>;

  /** `labels`: of the attacks that learn; `common`: what they learn from. */
  constructor(
    labels: readonly string[],
    private readonly common: string,
  ) {
    this.#labels = new Set(labels);
  }

  async next(): Promise<Given | undefined> {
    const [attack] = this.#labels;
    if (attack === undefined) return undefined;
    this.#labels.delete(attack);
    return { shard: { kind: 'learn', from: 0, to: 0, attacks: [attack] }, content: this.common };
  }

  adopts({ attacks: [attack = ''] }: FleetShard): boolean {
    return this.#labels.delete(attack);
  }

  lacks({ attacks: [attack = ''] }: FleetShard): boolean {
    return !this.tapes.has(attack);
  }

  split({ shard }: Given): never {
    throw new RobustError(`${shard.attacks[0]} cannot be prepared: ${CRASHED}`, {
      code: 'MODEL_CRASHED',
      hint: 'Leave that attack out, or give workers more memory.',
    });
  }

  take({ attacks: [attack = ''] }: FleetShard, { found }: Delivery): void {
    this.tapes.set(attack, (this.tapes.get(attack) ?? '') + found);
  }
}

export class SearchPhase extends RangePhase implements Phase {
  override readonly kind = 'search';
  /** Attack -> its index in the plan. */
  readonly #attackIndex: ReadonlyMap<string, number>;

  constructor(
    of: PhaseContext,
    private readonly work: FleetWork,
    private readonly machines: Machines,
  ) {
    const labels = of.plan.attacks.map(({ label }) => label);
    super(of, labels, work.examples, 0, new ShardSizes(1, Math.ceil(of.plan.concurrency / labels.length)));
    this.#attackIndex = new Map(labels.map((label, at) => [label, at]));
  }

  protected override lacksAt(index: number, attacks: readonly string[]): boolean {
    return attacks.some((label) => !this.work.has(this.#ordinal(label, index)));
  }

  protected override more(index: number) {
    return { before: writeRows([this.work.answers.read(index).row]) };
  }

  protected override giveUp(index: number, example: Example, attack: string): void {
    const { plan, hooks } = this.of;
    const pair = { example, attack, before: this.work.answers.read(index).row, decision: decisionOfPlan(plan) };
    const counts = { asked: 1, computed: 1 };
    this.work.add(this.#ordinal(attack, index), outcomeWithoutAttempt(pair, 'errored', CRASHED, counts));
    hooks.warn?.(`${attack} on example ${example.id}: ${CRASHED}; it counts as errored`);
  }

  take(shard: FleetShard, delivery: Delivery, earlier: readonly Delivery[]): void {
    const { machine, seconds } = delivery;
    let kept = 0;
    const entries = this.#entries(shard, delivery);
    const effort = ({ outcome }: JournalEntry) => 1 + outcome.queries.asked;
    const all = entries.reduce((sum, entry) => sum + effort(entry), 0);
    for (const entry of entries) {
      this.work.spent(entry.outcome.attack, (seconds * effort(entry)) / all);
      const at = this.#ordinal(entry.outcome.attack, entry.index);
      if (!this.work.has(at)) {
        this.work.add(at, entry.outcome);
        kept++;
        // On devices other than the processor it may differ, and the first one counts.
      } else if (this.of.plan.model.approximation?.device === undefined && this.work.line(at) !== lineOf(entry)) {
        const { attack, id } = entry.outcome;
        const other = earlier.find((one) =>
          this.#entries(shard, one).some((each) => this.#ordinal(each.outcome.attack, each.index) === at),
        );
        throw differenceError(`${attack} on example ${id}`, other, delivery);
      }
    }
    this.machines.count(machine, kept);
    this.of.progress.done += kept;
    this.sizes.record(kept / this.#attackIndex.size, seconds);
  }

  /** Throws QUEUE_DAMAGED where a line is no outcome of the shard: nothing of the delivery is kept then. */
  #entries({ from, to, attacks }: FleetShard, { found }: Delivery): JournalEntry[] {
    const lines = found.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const entry = tryParse(line);
      const known =
        entry !== undefined && this.#attackIndex.has(entry.outcome.attack) && attacks.includes(entry.outcome.attack);
      if (!known || entry.index < from || entry.index >= Math.min(to, this.work.examples))
        throw unexpected('expected an outcome of its shard');
      return entry;
    });
  }

  #ordinal(attack: string, index: number): number {
    return must(this.#attackIndex.get(attack)) * this.work.examples + index;
  }
}
