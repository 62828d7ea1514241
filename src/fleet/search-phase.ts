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
import type { Delivery, FleetJob } from './messages.js';
import {
  CRASHED,
  differenceError,
  examplesOf,
  type FleetProgress,
  type Phase,
  RangePhase,
  unexpected,
} from './phase.js';
import { divide, type IndexRange, rangesWhere } from './ranges.js';
import type { DataSegment } from './segments.js';
import type { FolderStore } from './store.js';

export interface SearchWork {
  readonly plan: RunPlan;
  readonly work: FleetWork;
  readonly segments: readonly DataSegment[];
  /** The hash of what all jobs must know of the whole. */
  readonly common: string;
  readonly store: FolderStore;
  readonly machines: Machines;
  readonly hooks: RunHooks;
  readonly progress: FleetProgress;
}

type SearchJob = FleetJob & { readonly kind: 'search' };

export class SearchPhase extends RangePhase implements Phase {
  readonly kind = 'search';
  readonly #of: SearchWork;
  readonly #labels: readonly string[];
  /** Attack -> its index in the plan. */
  readonly #attackIndex: ReadonlyMap<string, number>;
  /** Job -> seconds of its deliveries so far. */
  readonly #spent = new Map<string, number>();

  constructor(of: SearchWork) {
    super(of.segments);
    this.#of = of;
    this.#labels = of.plan.attacks.map(({ label }) => label);
    this.#attackIndex = new Map(this.#labels.map((label, at) => [label, at]));
  }

  protected override lacks(index: number): boolean {
    return this.#lacksAny(this.#labels, index);
  }

  async next(slots: number): Promise<FleetJob | undefined> {
    const range = this.nextRange(slots);
    if (range === undefined) return undefined;
    // Outcomes of an earlier session may divide the range: what follows the first gap is for the next job.
    const [first] = this.#jobsFor(range, this.#labels);
    this.cursor = first?.to ?? range.to;
    return first;
  }

  rest(job: FleetJob): FleetJob[] {
    return job.kind === 'search' ? this.#jobsFor(job, job.attacks) : [];
  }

  /** The searches of a range that lack an outcome. */
  #jobsFor(range: IndexRange, attacks: readonly string[]): SearchJob[] {
    return rangesWhere(range, (index) => this.#lacksAny(attacks, index)).map(({ from, to }) => {
      const lacking = attacks.filter((label) => {
        for (let index = from; index < to; index++) if (this.#lacksAny([label], index)) return true;
        return false;
      });
      return this.#job({ from, to }, lacking);
    });
  }

  async splitJob(job: FleetJob): Promise<FleetJob[]> {
    if (job.kind !== 'search') return [];
    if (job.to - job.from > 1 || job.attacks.length > 1) {
      const ranges = divide(job);
      // Down to one example it may be any of the attacks.
      const apart = ranges.every(({ from, to }) => to - from === 1);
      const kinds = apart ? job.attacks.map((label) => [label]) : [job.attacks];
      return ranges.flatMap((range) => kinds.map((attacks) => this.#job(range, attacks)));
    }
    await this.#giveUp(job);
    return [];
  }

  /** A search that takes every worker down counts as errored. */
  async #giveUp({ attacks: [label = ''], from, texts, segment }: SearchJob): Promise<void> {
    const { plan, work, store, hooks } = this.#of;
    const example = (await examplesOf(store, { texts }))[from - segment]!;
    const before = work.answers.read(from).row;
    const pair = { example, attack: label, before, decision: decisionOfPlan(plan) };
    work.add(this.#ordinal(label, from), outcomeWithoutAttempt(pair, 'errored', CRASHED, { asked: 1, computed: 1 }));
    hooks.warn?.(`${label} on example ${example.id}: ${CRASHED}; it counts as errored`);
  }

  receive(head: Delivery, product: Buffer): void {
    const { work, progress, machines } = this.#of;
    const { job, machine, id: jobId, state } = head;
    if (job.kind !== 'search') throw unexpected('expected outcomes');
    let kept = 0;
    let start = -1;
    for (const entry of this.#entries(job, product)) {
      const at = this.#ordinal(entry.outcome.attack, entry.index);
      if (work.has(at)) {
        this.#compare(at, entry, head);
        continue;
      }
      work.add(at, entry.outcome);
      if (start < 0) start = work.line(at).start;
      kept++;
    }
    if (kept > 0) machines.recordFound(machine, start, kept);
    progress.done += kept;
    for (const [attack, seconds] of Object.entries(head.seconds)) work.spent(attack, seconds);
    const seconds = Object.values(head.seconds).reduce((sum, each) => sum + each, this.#spent.get(jobId) ?? 0);
    if (state === 'more') this.#spent.set(jobId, seconds);
    else this.#spent.delete(jobId);
    if (state === 'done') {
      this.sizes.record(((job.to - job.from) * job.attacks.length) / this.#labels.length, seconds);
    }
  }

  /** Throws if an outcome that is already there differs; on devices other than the processor it may, and the first one counts. */
  #compare(at: number, entry: JournalEntry, head: Delivery): void {
    const { plan, work, progress, machines } = this.#of;
    const { attack, id } = entry.outcome;
    progress.repeated++;
    const known = work.line(at);
    if (plan.model.approximation?.device === undefined && known.text !== lineOf(entry))
      throw differenceError(`${attack} on example ${id}`, machines.at(known.start), head);
  }

  /** Throws Unexpected where a line is no outcome of the job: nothing of the delivery is kept then. */
  #entries({ from, to, attacks }: SearchJob, product: Buffer): JournalEntry[] {
    const lines = product.toString('utf8').split('\n');
    return lines
      .filter((line) => line !== '')
      .map((line) => {
        const entry = tryParse(line);
        const known =
          entry !== undefined && this.#attackIndex.has(entry.outcome.attack) && attacks.includes(entry.outcome.attack);
        if (!known || entry.index < from || entry.index >= Math.min(to, this.#of.work.examples))
          throw unexpected('expected an outcome of its job');
        return entry;
      });
  }

  #ordinal(attack: string, index: number): number {
    return this.#attackIndex.get(attack)! * this.#of.work.examples + index;
  }

  #lacksAny(attacks: readonly string[], index: number): boolean {
    return attacks.some((label) => !this.#of.work.has(this.#ordinal(label, index)));
  }

  #job({ from, to }: IndexRange, attacks: readonly string[]): SearchJob {
    const { common } = this.#of;
    const { from: segment, texts, answers = '' } = this.segmentOf(from);
    return { kind: 'search', from, to, attacks: [...attacks], segment, texts, answers, common };
  }
}
