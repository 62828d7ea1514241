/** @file Attacks two models on the same texts of a log in memory, and finds the texts that became evadable. */

import type { Example } from '../../core/dataset.js';

import { holm, mcnemarExact, pairedDifference } from '../../core/paired.js';
import { random } from '../../core/random.js';
import { wilson } from '../../core/stats.js';
import type { UnlabelledComparison } from '../../core/unlabelled-comparison.js';
import { type AnsweredExample, decisionOfPlan, type RunPlan, readyAttacks, searchPart } from '../../run/index.js';
import type { Context } from '../context.js';
import { truthOf } from '../pages/decided.js';
import { countedWork, stopwatch } from '../progress.js';
import { type AnsweredText, INTERRUPTED } from './differences.js';

/** Most texts that are attacked. */
const ATTACKED_TEXTS = 100;

/** Queries for each attack and text where `--query-budget` is not given. */
export const QUERY_BUDGET = 100;

/** The adversarial text by the index of its original; undefined outside text space. */
type FoundTexts = Map<number, string | undefined>;

interface AttackedSide {
  readonly plan: RunPlan;
  readonly examples: readonly AnsweredExample[];
  /** By attack. */
  readonly flips: Map<string, FoundTexts>;
  /** Indices of texts on which an attack broke. */
  readonly errored: Set<number>;
  queries: number;
}

interface EvasionTerms {
  readonly seed: number;
  /** Try the texts that flip one model on the other. */
  readonly transfer: boolean;
}

export interface Evasions {
  readonly result: Omit<UnlabelledComparison['evasion'], 'texts'>;
  readonly newly: readonly {
    readonly text: AnsweredText;
    readonly attack: string;
    readonly adversarial: string | undefined;
  }[];
  /** Attacked texts that are in no rate, because an attack broke on them. */
  readonly errored: number;
}

/**
 * Attacks both models on the same sample of the texts that they answer alike. An adversarial text of one model is also tried on the other,
 * so that a text counts as newly evadable only if the same edit does not flip the first model.
 */
export async function evasionsOf(
  texts: readonly AnsweredText[],
  plans: readonly [RunPlan, RunPlan],
  { seed, transfer }: EvasionTerms,
  context: Context,
): Promise<Evasions> {
  const concerned = texts.filter(
    (text) => text.direction === undefined && plans.every((plan, at) => concerns(plan, exampleOf(plan, text, at))),
  );
  const sample = random(seed, 'unlabelled').shuffle(concerned).slice(0, ATTACKED_TEXTS);
  const [a, b] = plans.map((plan, at) => sideOf(plan, sample, at)) as [AttackedSide, AttackedSide];
  const labels = plans.map(({ attacks }) => attacks.map(({ label }) => label)) as [string[], string[]];
  const attacks = labels[0].filter((label) => labels[1].includes(label));
  for (const side of [a, b]) await attackSide(side, attacks, context);
  if (transfer) {
    for (const attack of attacks) {
      await tryOn(a, b, attack);
      await tryOn(b, a, attack);
    }
  }
  const usable = [...sample.keys()].filter((at) => !a.errored.has(at) && !b.errored.has(at));
  const byAttack = attacks.map((name) => ({ name, ...flippedRates(usable, [a, b], [name]) }));
  const adjusted = holm(byAttack.flatMap(({ mcnemarP }) => mcnemarP ?? []));
  const newly = usable.filter((at) => isFlipped(b, at, attacks) && !isFlipped(a, at, attacks));
  return {
    result: {
      goal: plans[0].goal.name,
      queryBudget: plans[0].queryBudget ?? QUERY_BUDGET,
      attacked: sample.length,
      ...flippedRates(usable, [a, b], attacks),
      attacks: byAttack.map((one, at) => ({ ...one, adjustedP: adjusted[at] ?? null })),
      queries: { a: a.queries, b: b.queries },
    },
    newly: newly.map((at) => {
      const attack = attacks.find((name) => b.flips.get(name)?.has(at))!;
      return { text: sample[at]!, attack, adversarial: b.flips.get(attack)?.get(at) };
    }),
    errored: sample.length - usable.length,
  };
}

/** Shares of the texts that one of these attacks flips. */
function flippedRates(usable: readonly number[], [a, b]: readonly [AttackedSide, AttackedSide], attacks: string[]) {
  const counts = { both: 0, onlyA: 0, onlyB: 0, neither: 0 };
  for (const at of usable) {
    const [inA, inB] = [isFlipped(a, at, attacks), isFlipped(b, at, attacks)];
    counts[inA ? (inB ? 'both' : 'onlyA') : inB ? 'onlyB' : 'neither'] += 1;
  }
  const n = usable.length;
  return {
    a: wilson(counts.both + counts.onlyA, n),
    b: wilson(counts.both + counts.onlyB, n),
    newlyEvadable: wilson(counts.onlyB, n),
    noLongerEvadable: wilson(counts.onlyA, n),
    difference: pairedDifference(counts),
    mcnemarP: n === 0 ? null : mcnemarExact(counts.onlyA, counts.onlyB),
  };
}

const isFlipped = ({ flips }: AttackedSide, at: number, attacks: readonly string[]): boolean =>
  attacks.some((name) => flips.get(name)?.has(at));

/** The text with the model's answer as its label. */
const exampleOf = (plan: RunPlan, { id, text, rows }: AnsweredText, side: number): Example => ({
  id,
  text,
  ...truthOf(decisionOfPlan(plan), rows[side]!),
});

/** Has the text a label, and does the goal apply to it? */
const concerns = ({ goal }: RunPlan, example: Example): boolean =>
  example.label >= 0 && goal.concerns?.(example) !== false;

const sideOf = (plan: RunPlan, sample: readonly AnsweredText[], side: number): AttackedSide => ({
  plan,
  examples: sample.map((text, index) => ({ index, example: exampleOf(plan, text, side), before: text.rows[side]! })),
  flips: new Map(),
  errored: new Set(),
  queries: 0,
});

async function attackSide(side: AttackedSide, attacks: readonly string[], context: Context): Promise<void> {
  const { plan, examples, errored } = side;
  const sample = examples.map(({ example }) => example);
  const texts = sample.map(({ text }) => text);
  const seconds = stopwatch();
  for (const [done, label] of attacks.entries()) {
    context.check(INTERRUPTED);
    context.run.work(countedWork(`attacking ${plan.model.name}`, 'attacks', done, attacks.length, seconds()));
    const flips: FoundTexts = new Map();
    side.flips.set(label, flips);
    await searchPart(
      plan,
      {
        attacks: await readyAttacks(plan, [label], { sample, texts }, context.warn),
        examples,
        measured: async (outcome) => outcome,
        known: () => false,
        onOutcome(index, { status, adversarial, queries }) {
          side.queries += queries.asked;
          if (status === 'succeeded') flips.set(index, adversarial);
          else if (status !== 'failed') errored.add(index);
        },
      },
      context.run,
    );
  }
  context.check(INTERRUPTED);
}

/** Tries the texts by which an attack flips one model alone on the other one, a query each. */
async function tryOn(other: AttackedSide, flipped: AttackedSide, attack: string): Promise<void> {
  const { plan, examples, flips } = other;
  const own = flips.get(attack) ?? new Map();
  const found = [...(flipped.flips.get(attack) ?? [])].flatMap(([at, adversarial]) =>
    adversarial === undefined || own.has(at) ? [] : [[at, adversarial] as const],
  );
  if (found.length === 0) return;
  const rows = await plan.model.classifier.classify(found.map(([, adversarial]) => adversarial));
  other.queries += found.length;
  for (const [place, [at, adversarial]] of found.entries()) {
    const { example, before } = examples[at]!;
    const wanted = plan.goal.of?.(example, before) ?? { goal: plan.goal, label: example.label };
    if (wanted.goal.reached(rows[place]!, wanted.label)) own.set(at, adversarial);
  }
}
