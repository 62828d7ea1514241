/** @file A few texts of a run, for a process that keeps no folder: what the victim says to them, and what attacks make of them. */
import type { Example } from '../core/dataset.js';
import type { Outcome } from '../core/outcome.js';
import type { EvasionAttack } from '../core/plugin.js';
import { answers } from './answers.js';
import { eachOfSeveral } from './each-of-several.js';
import { withQuality } from './outcome.js';
import type { PlannedAttack, RunHooks, RunPlan } from './plan.js';
import { prepareAttack } from './prepare.js';
import { search, searchTerms } from './search.js';

/** Facts of the whole run that all its parts need. */
export interface CommonTexts {
  /** Examples that attacks may learn from. */
  readonly sample: readonly Example[];
  /** Texts that represent the data set when the quality of a text is measured. */
  readonly texts: readonly string[];
}

export interface AnsweredExample {
  /** Its place in the run. */
  readonly index: number;
  readonly example: Example;
  /** The victim's answer to the unedited text. */
  readonly before: Float32Array;
}

/** An attack that has learnt what it must. */
export interface ReadyAttack {
  readonly planned: PlannedAttack;
  readonly by: EvasionAttack;
}

/** The victim's answers, in order; all NaN where it could not answer, which `failed` is called for. */
export async function answersTo(
  plan: RunPlan,
  examples: readonly Example[],
  failed: (example: Example, error: unknown) => void,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  const dataset = {
    ...plan.dataset,
    async *examples() {
      yield* examples;
    },
  };
  const rows: Float32Array[] = [];
  for await (const batch of answers({ ...plan, dataset, numExamples: 0 }, 0, signal, failed)) {
    rows.push(...batch.map(({ row }) => row));
  }
  return rows;
}

/** The attacks with these labels, in the order of the plan, having learnt as they do at the beginning of a run. */
export async function readyAttacks(
  plan: RunPlan,
  labels: readonly string[],
  { sample }: CommonTexts,
  warn: (message: string) => void,
): Promise<ReadyAttack[]> {
  const ready: ReadyAttack[] = [];
  for (const planned of plan.attacks.filter(({ label }) => labels.includes(label))) {
    const by = planned.plugin.create(planned.options);
    await prepareAttack(plan, planned, by, () => sample, warn);
    ready.push({ planned, by });
  }
  return ready;
}

/** Adds the quality of its text to a success in text space; `texts` is called at the first. */
export function qualityOf(
  { quality, language }: RunPlan,
  texts: () => Promise<readonly string[]>,
): (outcome: Outcome) => Promise<Outcome> {
  let meter: Promise<ReturnType<NonNullable<typeof quality>>> | undefined;
  return async (outcome) => {
    if (quality === undefined || outcome.adversarial === undefined) return outcome;
    meter ??= texts().then((some) => quality(some, language));
    return withQuality(outcome, (await meter)(outcome.text, outcome.adversarial));
  };
}

export interface PartWork {
  readonly attacks: readonly ReadyAttack[];
  readonly examples: readonly AnsweredExample[];
  /** Adds what is measured of a success besides. */
  readonly measured: (outcome: Outcome) => Promise<Outcome>;
  /** Has it an outcome already? */
  known(attack: string, index: number): boolean;
  /** Called for each pair when its search begins. */
  begun?(attack: string, example: Example): void;
  /** Called for each outcome once it is known. */
  onOutcome(index: number, outcome: Outcome): void;
}

/**
 * Searches example by example, as a whole run does. False where the signal ended it before all were done: the outcomes until then are valid. Throws ModelGone where the victim answers nothing any more.
 */
export function searchPart(plan: RunPlan, work: PartWork, { signal, debug }: RunHooks): Promise<boolean> {
  async function* pairs() {
    for (const each of work.examples) {
      for (const ready of work.attacks) if (!work.known(ready.planned.label, each.index)) yield { ...each, ...ready };
    }
  }
  return eachOfSeveral(pairs(), plan.concurrency, signal, async ({ index, example, before, planned, by }, searches) => {
    work.begun?.(planned.label, example);
    const pair = { example, before, attack: planned.label };
    const onBroken = (error: unknown) =>
      debug?.(`${planned.label}, example ${example.id}: ${error instanceof Error ? error.stack : String(error)}`);
    const outcome = await search(plan, by, pair, { searches, onBroken: onBroken, ...searchTerms(planned) });
    if (outcome !== undefined) work.onOutcome(index, await work.measured(outcome));
  });
}
