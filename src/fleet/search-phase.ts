/** @file The searches on workers: cut into tasks by what they cost, and each outcome kept once. */
import type { Example } from '../core/dataset.js';
import {
  decisionOfPlan,
  type FleetWork,
  type JournalEntry,
  lineOf,
  outcomeWithoutAttempt,
  type RunHooks,
  type RunPlan,
  tryParse,
} from '../run/index.js';
import type { Machines } from './machines.js';
import type { Delivery, FleetTask } from './messages.js';
import { PartSizes } from './part-sizes.js';
import { CRASHED, differing, examplesOf, type FleetProgress, type Phase, segmentOf, Unasked } from './phase.js';
import { divided, stretches, TakenRanges } from './ranges.js';
import type { DataSegment } from './segments.js';
import type { FolderStore } from './store.js';

export interface SearchWork {
  readonly plan: RunPlan;
  readonly work: FleetWork;
  readonly segments: readonly DataSegment[];
  /** The hash of what all tasks must know of the whole. */
  readonly common: string;
  readonly store: FolderStore;
  readonly machines: Machines;
  readonly hooks: RunHooks;
  readonly progress: FleetProgress;
}

type SearchTask = FleetTask & { readonly kind: 'search' };

export class SearchPhase implements Phase {
  readonly kind = 'search';
  readonly #of: SearchWork;
  readonly #labels: readonly string[];
  /** Attack -> its place in the plan. */
  readonly #places: ReadonlyMap<string, number>;
  readonly #sizes = new PartSizes();
  readonly #taken = new TakenRanges();
  /** Job -> seconds of its deliveries so far. */
  readonly #spent = new Map<string, number>();
  #cursor = 0;

  constructor(of: SearchWork) {
    this.#of = of;
    this.#labels = of.plan.attacks.map(({ label }) => label);
    this.#places = new Map(this.#labels.map((label, at) => [label, at]));
  }

  async next(slots: number): Promise<FleetTask | undefined> {
    const { work, segments } = this.#of;
    for (;;) {
      this.#cursor = this.#taken.past(this.#cursor);
      if (this.#cursor < work.examples && !this.#lacks(this.#labels, this.#cursor)) this.#cursor++;
      else break;
    }
    if (this.#cursor >= work.examples) return undefined;
    const from = this.#cursor;
    const size = this.#sizes.next(work.examples - from, slots);
    this.#cursor = Math.min(from + size, segmentOf(segments, from).to, this.#taken.after(from));
    return this.rest(this.#task({ from, to: this.#cursor }, this.#labels))[0];
  }

  taken(task: FleetTask): void {
    if (task.kind === 'search') this.#taken.add(task);
  }

  rest(task: FleetTask): FleetTask[] {
    if (task.kind !== 'search') return [];
    return stretches(task, (index) => this.#lacks(task.attacks, index)).map(({ from, to }) => {
      const lacking = task.attacks.filter((label) => {
        for (let index = from; index < to; index++) if (this.#lacks([label], index)) return true;
        return false;
      });
      return this.#task({ from, to }, lacking);
    });
  }

  async broken(task: FleetTask): Promise<FleetTask[]> {
    if (task.kind !== 'search') return [];
    if (task.to - task.from > 1 || task.attacks.length > 1) {
      const pieces = divided(task);
      // Down to one example it may be any of the attacks.
      const apart = pieces.every(({ from, to }) => to - from === 1);
      const kinds = apart ? task.attacks.map((label) => [label]) : [task.attacks];
      return pieces.flatMap((range) => kinds.map((attacks) => this.#task(range, attacks)));
    }
    await this.#giveUp(task);
    return [];
  }

  /** What takes workers down whoever searches it counts as errored. */
  async #giveUp({ attacks: [label = ''], from, texts, segment }: SearchTask): Promise<void> {
    const { plan, work, store, hooks } = this.#of;
    const example = (await examplesOf(store, { texts }))[from - segment] as Example;
    const before = work.answers.read(from).row;
    const pair = { example, attack: label, before, decision: decisionOfPlan(plan) };
    work.add(this.#ordinal(label, from), outcomeWithoutAttempt(pair, 'errored', CRASHED, { asked: 1, computed: 1 }));
    hooks.warn?.(`${label} on example ${example.id}: ${CRASHED}; it counts as errored`);
  }

  receive(head: Delivery, product: Buffer): void {
    const { work, progress, machines } = this.#of;
    const { task, machine, job, state } = head;
    if (task.kind !== 'search') throw new Unasked('expected outcomes');
    let kept = 0;
    let start = -1;
    for (const entry of this.#entries(task, product)) {
      const { attack, id } = entry.outcome;
      const at = this.#ordinal(attack, entry.index);
      if (!work.has(at)) {
        work.add(at, entry.outcome);
        if (start < 0) start = work.line(at).start;
        kept++;
        continue;
      }
      progress.repeated++;
      const known = work.line(at);
      // What is noted of this delivery so far must not be mistaken for the other machine's.
      // Of a device that is not the processor the first word counts.
      if (this.#of.plan.model.approximation?.device !== undefined) continue;
      if (known.text !== lineOf(entry)) throw differing(`${attack} on example ${id}`, machines.at(known.start), head);
    }
    if (kept > 0) machines.found(machine, start, kept);
    progress.done += kept;
    for (const [attack, seconds] of Object.entries(head.seconds)) work.spent(attack, seconds);
    const seconds = Object.values(head.seconds).reduce((sum, each) => sum + each, this.#spent.get(job) ?? 0);
    if (state === 'part') this.#spent.set(job, seconds);
    else this.#spent.delete(job);
    if (state === 'done') {
      this.#sizes.measured(((task.to - task.from) * task.attacks.length) / this.#labels.length, seconds);
    }
  }

  /** Throws Unasked where a line is no outcome of the task: nothing of the delivery is kept then. */
  #entries({ from, to, attacks }: SearchTask, product: Buffer): JournalEntry[] {
    const lines = product.toString('utf8').split('\n');
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const entry = tryParse(line);
        const known =
          entry !== undefined && this.#places.has(entry.outcome.attack) && attacks.includes(entry.outcome.attack);
        if (!known || entry.index < from || entry.index >= Math.min(to, this.#of.work.examples))
          throw new Unasked('expected an outcome of its task');
        return entry;
      });
  }

  #ordinal(attack: string, index: number): number {
    return (this.#places.get(attack) as number) * this.#of.work.examples + index;
  }

  #lacks(attacks: readonly string[], index: number): boolean {
    return attacks.some((label) => !this.#of.work.has(this.#ordinal(label, index)));
  }

  #task({ from, to }: { readonly from: number; readonly to: number }, attacks: readonly string[]): SearchTask {
    const { segments, common } = this.#of;
    const { from: segment, texts, answers = '' } = segmentOf(segments, from);
    return { kind: 'search', from, to, attacks: [...attacks], segment, texts, answers, common };
  }
}
