/** @file Makes the plan of a review from a finished run. */
import type { Decision } from '../core/decision.js';
import { RobustError } from '../core/errors.js';
import type { Outcome } from '../core/outcome.js';
import { otherText } from '../core/pair.js';
import type { AttackMetrics } from '../results/measures/attack-metrics.js';
import { taskOf } from '../tasks/index.js';
import { drawItems } from './draw.js';
import { opaqueId, type PlannedItem, type ReviewPlan, type ReviewQuestion } from './plan.js';

export interface ReviewSubject {
  readonly run: string;
  readonly resultsSha256: string;
  readonly labels: readonly string[];
  readonly decision: Decision;
  readonly attacks: readonly Pick<AttackMetrics, 'name' | 'ownGoal'>[];
  /** Iterated several times. */
  readonly outcomes: AsyncIterable<Outcome>;
}

export interface ReviewDesign {
  /** Number of adversarial texts to read, over all attacks. */
  readonly texts: number;
  readonly seed: number;
}

/** Throws RobustError RUN_UNSUPPORTED for a model of numbers, EXAMPLES_TOO_FEW for a run without adversarial texts. */
export async function makePlan(subject: ReviewSubject, { texts, seed }: ReviewDesign): Promise<ReviewPlan> {
  const { run, resultsSha256, decision, attacks, outcomes } = subject;
  const pair = await isOfPairs(outcomes);
  const question = questionOf(subject, pair);
  const flipping = attacks.filter(({ ownGoal }) => !ownGoal);
  const key = opaqueId(resultsSha256, JSON.stringify(question), String(seed));
  const items = await drawItems(outcomes, {
    // Not the key alone: readers know it, and could compute the ids of originals.
    texts,
    seed,
    of: `${resultsSha256} ${key}`,
    attacks: flipping.map(({ name }) => name),
    truthOf: truthOf(decision),
  });
  if (items.every(({ kind }) => kind === 'original'))
    throw new RobustError(`expected a run with adversarial texts, got none in run ${run}`, {
      code: 'EXAMPLES_TOO_FEW',
      hint: 'No attack flipped a prediction by an edit of the text: there is nothing to review.',
    });
  const drawn = new Set(items.flatMap(({ attack }) => attack ?? []));
  return {
    schemaVersion: 1,
    key,
    run,
    resultsSha256,
    seed,
    question,
    attacks: flipping.filter(({ name }) => drawn.has(name)).map(({ name }) => ({ name })),
    items,
  };
}

async function isOfPairs(outcomes: AsyncIterable<Outcome>): Promise<boolean> {
  for await (const outcome of outcomes) return otherText(outcome) !== undefined;
  return false;
}

function questionOf({ labels, decision }: ReviewSubject, pair: boolean): ReviewQuestion {
  const { review } = taskOf(decision);
  if (review === undefined)
    throw new RobustError('expected a run of a classifier, got one of a model that returns a number', {
      code: 'RUN_UNSUPPORTED',
      hint: 'Readers choose among labels.',
    });
  const { kind, prompt, options = labels.map((name) => ({ name })) } = review.question(decision, pair);
  return { kind, prompt, options };
}

const truthOf =
  (decision: Decision) =>
  (outcome: Outcome): PlannedItem['truth'] =>
    taskOf(decision).review?.truth(decision, outcome) ?? outcome.label;
