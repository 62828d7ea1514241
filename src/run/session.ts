/** @file The engine: clean pass, searches, canonical journal, each beginning where an earlier session ended. */
import { rmSync, statSync } from 'node:fs';
import type { Example } from '../core/dataset.js';
import { defined } from '../core/defined.js';
import { RobustError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import { take } from '../core/take.js';
import { type AnswerCheck, worseOf } from './answer-check.js';
import { AnswerFile } from './answer-file.js';
import { firstExamples, hasAnswer } from './answers.js';
import { AttackClock } from './attack-clock.js';
import { budgetSpent, RunBudget } from './budget.js';
import { answerCheck, cleanPass } from './clean.js';
import { diagnosticEvidence } from './diagnose.js';
import { eachOfSeveral } from './each-of-several.js';
import type { Fleet } from './fleet.js';
import type { RunFolder } from './folder.js';
import { RunInterrupted } from './interrupted.js';
import { Journal } from './journal.js';
import { MOST_KEPT } from './kept-answers.js';
import { type RunningSearches, SearchCancelled, unlessAborted } from './metered-victim.js';
import { qualityOf } from './part.js';
import { type AttackPair, decisionOfPlan, type PlannedAttack, type RunHooks, type RunPlan } from './plan.js';
import { prepareAttack } from './prepare.js';
import { ProgressCounter } from './progress-counter.js';
import { checkSameVictim } from './same-victim.js';
import { type SearchTerms, search, searchTerms } from './search.js';
import { shardOf } from './shard.js';
import { timeAnswers } from './time-answers.js';

/** Examples an attack may learn from before it begins. */
const SAMPLE_EXAMPLES = 128;

interface PendingAttack extends AttackPair, SearchTerms {
  readonly ordinal: number;
  readonly by: EvasionAttack;
}

interface OpenAttack {
  /** Ordinal of its first pair. */
  readonly first: number;
  readonly planned: PlannedAttack;
  readonly by: EvasionAttack;
}

/** Texts that represent the data set, and UTF-16 code units of them: enough to know its words, little to read again. */
const SOME_TEXTS = { texts: 256, length: 1 << 19 };

/** One process's part of a run. */
export class Session {
  readonly #plan: RunPlan;
  readonly #folder: RunFolder;
  readonly #hooks: RunHooks;
  readonly #fleet: Fleet | undefined;
  readonly #resume: string;
  readonly #warnings: Set<string>;
  /** Attacks whose first error was reported. */
  readonly #announced = new Set<string>();
  readonly #measured: (outcome: Outcome) => Promise<Outcome>;
  #seconds: { clean: number; attacks: Record<string, number> };
  #check: AnswerCheck | undefined;
  /** Examples that attacks may learn from; read at the first that needs them. */
  #learnt: readonly Example[] | undefined;

  /** `fleet`: who asks and searches instead of this process. */
  constructor(plan: RunPlan, folder: RunFolder, hooks: RunHooks, fleet?: Fleet) {
    this.#fleet = fleet;
    this.#plan = plan;
    this.#folder = folder;
    this.#hooks = hooks;
    this.#resume = `continue with: robust attack --resume ${folder.id}`;
    this.#warnings = new Set(folder.record.warnings);
    this.#measured = qualityOf(plan, () => this.#texts());
    this.#seconds = structuredClone(folder.record.seconds);
  }

  async run(): Promise<void> {
    const folder = this.#folder;
    try {
      folder.update({ status: 'running' });
      const answers = new AnswerFile(
        folder.answers,
        folder.record.model.labels.length,
        this.#resume,
        folder.guard,
        decisionOfPlan(this.#plan).truth,
      );
      try {
        await unlessAborted(
          checkSameVictim(this.#plan, { ...folder.record, what: `run ${folder.id}`, answers }),
          this.#hooks.signal,
        );
        const examples = await this.#clean(answers);
        let begun = (): void => {};
        const begins = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const searching = this.#searches(answers, examples, begun).finally(begun);
        const [searched, remark] = await Promise.allSettled([searching, this.#remark(begins)]);
        if (remark.status === 'fulfilled' && remark.value !== undefined) this.#warnings.add(remark.value);
        for (const end of [searched, remark]) if (end.status === 'rejected') throw end.reason;
        await unlessAborted(this.#diagnose(answers, examples), this.#hooks.signal);
      } finally {
        answers.close();
      }
      folder.update({ ...this.#notes(), status: 'done' });
    } catch (error) {
      try {
        folder.update({ ...this.#notes(), status: 'interrupted' });
      } catch {
        // The first error says more; the folder can be continued whatever its status says.
      }
      throw error instanceof SearchCancelled ? new RunInterrupted(folder.id) : error;
    }
    if (statSync(folder.answers).size > MOST_KEPT) rmSync(folder.answers, { force: true });
  }

  /** Makes the plan's remark while the workers have their first queries: it may read a dictionary. */
  async #remark(begins: Promise<void>): Promise<string | undefined> {
    await begins;
    await new Promise((resolve) => setTimeout(resolve));
    const remark = this.#plan.remark?.(await this.#texts(), this.#plan.language);
    if (remark !== undefined) this.#hooks.warn?.(remark);
    return remark;
  }

  /** Makes the extra queries of diagnostics, once. */
  async #diagnose(answers: AnswerFile, examples: number): Promise<void> {
    if (this.#plan.diagnose === undefined || this.#folder.record.diagnostics !== undefined) return;
    this.#folder.update({ diagnostics: await diagnosticEvidence(this.#plan, this.#plan.diagnose, answers, examples) });
  }

  /** Makes or completes the clean pass; returns the number of examples. */
  async #clean(answers: AnswerFile): Promise<number> {
    const known = this.#folder.record.clean;
    if (known !== undefined && answers.count === known.examples) {
      this.#check = await answerCheck(this.#plan);
      return known.examples;
    }
    await this.#fleet?.answer(answers);
    if (answers.count === 0 && this.#plan.timed !== undefined) {
      const latency = await timeAnswers(this.#plan, this.#plan.timed, this.#hooks.signal);
      if (latency !== undefined) this.#folder.update({ latency });
    }
    const { examples, metrics, seconds, check } = await cleanPass(this.#plan, answers, this.#hooks, (w) =>
      this.#warn(w),
    );
    this.#check = check;
    this.#seconds.clean += seconds;
    this.#folder.update({ ...this.#notes(), clean: { examples, metrics } });
    return examples;
  }

  /** Runs every pair that has no outcome yet, then puts the journal into canonical order. `begun` is called when the first begins. */
  async #searches(answers: AnswerFile, examples: number, begun: () => void): Promise<void> {
    const plan = this.#plan;
    const searchPlan = this.#planOfSearches;
    const { signal } = this.#hooks;
    const attacks = plan.attacks.map(({ label }) => label);
    const total = attacks.length * examples;
    const mine = await this.#mine(examples);
    const budget = new RunBudget(total, plan.runBudget ?? Number.POSITIVE_INFINITY);
    const progress = new ProgressCounter({ attacks, examples: mine.count }, this.#hooks);

    const journal = await Journal.open(
      this.#folder.journal,
      { attacks, examples, resume: this.#resume, guard: this.#folder.guard },
      (ordinal, outcome) => {
        budget.spend(ordinal, outcome.queries.asked);
        progress.countFound(outcome);
      },
    );
    const clock = new AttackClock();
    try {
      const pairs = this.#pairs(answers, examples, journal, budget, mine.has);
      const searchPair = async (work: PendingAttack, searches: RunningSearches): Promise<void> => {
        begun();
        const allows = (queries: number) => budget.allows(work.ordinal, queries);
        const broken = (error: unknown) => this.#broken(work, error);
        clock.begin(work.attack);
        try {
          const found = await search(searchPlan, work.by, work, { ...work, searches, allows, onBroken: broken });
          if (found === undefined) return;
          const outcome = await this.#measured(found);
          journal.append(work.ordinal, outcome);
          budget.spend(work.ordinal, outcome.queries.asked);
          progress.add(outcome);
        } finally {
          clock.end(work.attack);
        }
      };
      if (this.#fleet) begun();
      const whole = this.#fleet
        ? await this.#elsewhere(this.#fleet, answers, examples, journal, progress)
        : await eachOfSeveral(pairs, plan.concurrency, signal, searchPair);
      if (!whole) throw new SearchCancelled('the run was interrupted');
      await this.#checkAgain();
      this.#folder.update(journal.finish(budget.end, mine.has));
    } finally {
      journal.close();
      for (const [label, seconds] of clock.seconds) {
        this.#seconds.attacks[label] = (this.#seconds.attacks[label] ?? 0) + seconds;
      }
    }
    if (budget.end < total) this.#warn(budgetSpent(plan.runBudget, budget.end, total));
  }

  /** A model may have changed its answers while it was attacked: the same texts once more. */
  async #checkAgain(): Promise<void> {
    const later = await this.#check?.measure();
    const { clean } = this.#folder.record;
    if (later === undefined || clean === undefined) return;
    const repeatability = worseOf(clean.metrics.repeatability, later);
    this.#folder.update({ clean: { ...clean, metrics: { ...clean.metrics, ...defined({ repeatability }) } } });
  }

  /** The plan; without further questions about each success where the victim has repeated its answers. */
  get #planOfSearches(): RunPlan {
    const { endpoint, again: _, ...model } = this.#plan.model;
    const varies = endpoint !== undefined || this.#folder.record.clean?.metrics.repeatability !== undefined;
    return varies ? this.#plan : { ...this.#plan, model };
  }

  /** Has others search; this process keeps what they find. False where the signal ended it. */
  async #elsewhere(
    fleet: Fleet,
    answers: AnswerFile,
    examples: number,
    journal: Journal,
    progress: ProgressCounter,
  ): Promise<boolean> {
    const { attacks } = this.#seconds;
    await fleet.search({
      answers,
      examples,
      sample: await this.#sample(answers, examples),
      texts: await this.#texts(),
      has: (ordinal) => journal.has(ordinal),
      line: (ordinal) => journal.line(ordinal),
      add(ordinal, outcome) {
        journal.append(ordinal, outcome);
        progress.add(outcome);
      },
      spent(attack, seconds) {
        attacks[attack] = (attacks[attack] ?? 0) + seconds;
      },
      warn: (message) => this.#warn(message),
    });
    return !this.#hooks.signal?.aborted;
  }

  /**
   * The pairs without an outcome, example by example: what several attacks ask of one example is computed once, and forgotten with it, however many
   * examples there are. A run that its budget may end goes attack by attack, in canonical order, for it keeps the pairs before that end.
   */
  async *#pairs(
    answers: AnswerFile,
    examples: number,
    journal: Journal,
    budget: RunBudget,
    mine: (index: number) => boolean,
  ): AsyncGenerator<PendingAttack> {
    const all = [...this.#plan.attacks.entries()];
    const lacks = (index: number, ordinal: number): boolean => mine(index) && !journal.has(ordinal);
    for (const attacks of this.#plan.runBudget === undefined ? [all] : all.map((one) => [one])) {
      const ready: OpenAttack[] = [];
      for (const [at, planned] of attacks) {
        const by = planned.plugin.create(planned.options);
        const sample = async () => (this.#learnt ??= await this.#sample(answers, examples));
        if (!this.#complete(journal, at, examples, mine))
          await prepareAttack(this.#plan, planned, by, sample, (message) => this.#warn(message));
        ready.push({ first: at * examples, planned, by });
      }
      if (!(yield* this.#pairsOf(ready, answers, examples, budget, lacks))) return;
    }
  }

  /** The pairs of some attacks without an outcome. Returns false if the budget ends the run. */
  async *#pairsOf(
    ready: readonly OpenAttack[],
    answers: AnswerFile,
    examples: number,
    budget: RunBudget,
    lacks: (index: number, ordinal: number) => boolean,
  ): AsyncGenerator<PendingAttack, boolean> {
    let index = 0;
    for await (const example of firstExamples(this.#plan)) {
      const answer = index < examples ? answers.read(index) : undefined;
      if (answer?.label !== example.label) throw this.#dataChanged(example.id);
      for (const { first, planned, by } of ready) {
        const ordinal = first + index;
        if (!budget.wants(ordinal)) return false;
        if (!lacks(index, ordinal)) continue;
        yield { ordinal, attack: planned.label, by, ...searchTerms(planned), example, before: answer.row };
      }
      index++;
    }
    if (index < examples) throw this.#dataChanged('at its end');
    return true;
  }

  /** The first texts, whatever the model makes of them. */
  async #texts(): Promise<string[]> {
    const texts: string[] = [];
    let length = 0;
    for await (const { text } of firstExamples(this.#plan)) {
      length += text.length;
      if (texts.length === SOME_TEXTS.texts || (length > SOME_TEXTS.length && texts.length > 0)) break;
      texts.push(text);
    }
    return texts;
  }

  #complete(journal: Journal, attack: number, examples: number, mine: (index: number) => boolean): boolean {
    for (let index = 0; index < examples; index++) {
      if (mine(index) && !journal.has(attack * examples + index)) return false;
    }
    return true;
  }

  /** The examples of this shard, of which there are `count`; all of them where the run is not divided. */
  async #mine(examples: number): Promise<{ readonly count: number; has(index: number): boolean }> {
    const { shard } = this.#plan;
    if (shard === undefined) return { count: examples, has: () => true };
    const ours = new Uint8Array(examples);
    let index = 0;
    for await (const { id } of firstExamples(this.#plan)) {
      if (index < examples) ours[index++] = shardOf(id, shard.count) === shard.index ? 1 : 0;
    }
    return { count: ours.reduce((sum, one) => sum + one, 0), has: (at) => ours[at] === 1 };
  }

  /** The first examples the victim gets right, for attacks that learn from some. */
  async #sample(answers: AnswerFile, examples: number): Promise<Example[]> {
    const sample: Example[] = [];
    const decision = decisionOfPlan(this.#plan);
    let index = 0;
    for await (const example of take(firstExamples(this.#plan), examples)) {
      const { row } = answers.read(index++);
      if (hasAnswer(row) && decision.right(row, example) && sample.push(example) === SAMPLE_EXAMPLES) break;
    }
    return sample;
  }

  #dataChanged(where: string): RobustError {
    return new RobustError(`${this.#plan.dataset.name} changed while it was being attacked (example ${where})`, {
      code: 'DATA_DAMAGED',
      hint: 'Start a new run, and leave the file alone meanwhile.',
    });
  }

  /** Warns of the first error of each attack; the stacks go to `debug`. */
  #broken({ attack, example }: PendingAttack, error: unknown): void {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    this.#hooks.debug?.(`${attack}, example ${example.id}: ${stack}`);
    if (this.#announced.has(attack)) return;
    this.#announced.add(attack);
    this.#hooks.warn?.(`${attack} broke on example ${example.id}: ${message}`);
  }

  /** Notes a warning that belongs to the result. */
  #warn(message: string): void {
    this.#warnings.add(message);
    this.#hooks.warn?.(message);
  }

  #notes() {
    const { endpoint } = this.#plan.model;
    const notes = { seconds: this.#seconds, warnings: [...this.#warnings] };
    if (endpoint === undefined) return notes;
    const { usage, ...facts } = endpoint;
    return { ...notes, endpoint: { ...facts, ...usage() } };
  }
}
