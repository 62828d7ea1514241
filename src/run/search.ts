/** @file One attack on one example: the outcome, whatever happens. */
import type { Example } from '../core/dataset.js';
import type { Decision } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { ModelGone, RobustError } from '../core/errors.js';
import { BESIDE_GOAL, besideGoal, GOAL_REACHED, type Outcome, TIED_PREDICTION } from '../core/outcome.js';
import { type ExampleTexts, exampleTexts } from '../core/pair.js';
import { NO_TIME_LIMIT, type TimeLimit, withinIdleTime } from '../core/patience.js';
import type { EvasionAttack } from '../core/plugin.js';
import { isRefusal, REFUSED } from '../core/refusal.js';
import type { Goal } from '../core/search.js';
import { searchQueries } from '../core/tags/carried.js';
import { tagEvidence } from '../core/tags/evidence.js';
import type { Measure } from '../results/measures/measure.js';
import { hasAnswer } from './answers.js';
import { sameDecision } from './approximation.js';
import { confirmAttempt } from './asked-again.js';
import { ConfirmedAnswers } from './confirmed-answers.js';
import { meteredVictim, QueryMeter, type RunningSearches } from './metered-victim.js';
import { outcomeOfAttempt, outcomeWithoutAttempt } from './outcome.js';
import { type AttackPair, decisionOfPlan, type PlannedAttack, type RunPlan } from './plan.js';

const ONE = { asked: 1, computed: 1 } as const;

export interface SearchTerms {
  readonly patience: TimeLimit;
  /** The attack's own. */
  readonly measures?: readonly Measure[] | undefined;
  /** Ask the approximation of the victim, where there is one. @default false */
  readonly approximate?: boolean;
  /** An answer on the line is a tie, and no success. Not of attacks whose success is of another kind. @default true */
  readonly ties?: boolean;
}

/** No answer of the victim confirms other measures of an attack, nor successes of another kind. */
export const searchTerms = ({
  patience = NO_TIME_LIMIT,
  plugin: { measures, ownGoal },
}: PlannedAttack): SearchTerms => ({
  patience,
  measures,
  approximate: ownGoal === undefined && measures === undefined,
  ties: ownGoal === undefined,
});

/** One search within a run. */
interface SearchCall extends SearchTerms {
  readonly searches: RunningSearches;
  /** Whether the run's budget allows this number of queries. @default any number */
  allows?(queries: number): boolean;
  /** Called for an error of the attack or of the victim. */
  onBroken(error: unknown): void;
}

/**
 * The pair's outcome, or undefined when it is not to be kept because the run ended. An error of the attack or of the
 * victim is an `errored` outcome. Throws ModelGone where the victim answers nothing any more.
 */
export async function search(
  plan: RunPlan,
  attack: EvasionAttack,
  work: AttackPair,
  { searches, allows, onBroken: broken, patience, measures, approximate = false, ties = true }: SearchCall,
): Promise<Outcome | undefined> {
  const pair = { ...work, decision: decisionOfPlan(plan) };
  const { example, before } = pair;
  const begun = aimOf(plan, pair);
  if ('status' in begun) return withTags(plan, begun);
  const { goal, attacked } = begun;
  const queries = searchQueries(example);
  const meter = new QueryMeter(example.text, plan.queryBudget ?? Number.POSITIVE_INFINITY, allows);
  searches.hold(meter);
  try {
    const answering = approximate ? approximateVictim(plan, { ...pair, goal }, attacked.label) : undefined;
    const run = async () => {
      const target = (row: Float32Array) =>
        meteredVictim(plan, { ...pair, before: row, goal }, meter, answering, queries);
      if (answering === undefined) return attack.run(attacked, target(before));
      const [row = before] = await meter.idle.during(answering.classify([queries.queryOf(example.text)]));
      const found = await attack.run(attacked, target(row));
      return meter.idle.during(answering.confirm(found, queries.queryOf));
    };
    const late = () => attackTimedOut(pair.attack, patience);
    const attempt = await withinIdleTime(patience, meter.idle, pair.attack, run, late);
    if (isCancelled(meter)) return undefined;
    const again =
      plan.model.again && (await meter.idle.during(confirmAttempt(plan.model.again, attempt, pair, queries.queryOf)));
    const tied = (row: Float32Array) => ties && !attack.peerRule && isOnTheLine(goal, row, attacked.label);
    const outcome = outcomeOfAttempt(pair, again?.attempt ?? attempt, meter.queries, measures, tied);
    const confirmations = again?.confirmations ?? answering?.confirmations;
    const { text = example.text } = again?.attempt ?? attempt;
    const found = { ...withRefusals(outcome, meter.refused), ...defined({ confirmations }) };
    return withTags(plan, found, { ...exampleTexts(example), text, ...queries.examplesOf(text) });
  } catch (error) {
    if (isCancelled(meter)) return undefined;
    return outcomeOfError(error, pair, meter, broken);
  } finally {
    searches.release(meter);
  }
}

/** The outcome with what a victim that tags finds in the example and in its strongest rewrite. */
async function withTags(
  { model: { tags, output } }: RunPlan,
  outcome: Outcome,
  strongest: ExampleTexts = outcome,
): Promise<Outcome> {
  if (tags === undefined || besideGoal(outcome) || outcome.entities === undefined) return outcome;
  return { ...outcome, tags: await tagEvidence(tags, output?.tags ?? {}, outcome, strongest) };
}

/** The goal of a search and the example with the label that it is after, or the outcome of a pair that is not searched. */
export function aimOf(
  { goal }: Pick<RunPlan, 'goal'>,
  pair: AttackPair & { readonly decision: Decision },
): Outcome | { readonly goal: Goal; readonly attacked: Example } {
  const { example, before, decision } = pair;
  const without = (status: 'skipped' | 'errored', reason?: string): Outcome =>
    outcomeWithoutAttempt(pair, status, reason, ONE);
  if (isRefusal(before)) return without('skipped', REFUSED);
  if (!hasAnswer(before)) return without('errored', 'the victim could not classify the unedited text');
  if (goal.concerns?.(example) === false) return without('skipped', BESIDE_GOAL);
  const own = goal.of?.(example, before);
  const attackable = goal.of === undefined ? decision.right(before, example) : own !== undefined;
  if (!attackable) return without('skipped', decision.tied(before).length > 0 ? TIED_PREDICTION : undefined);
  const aim =
    own === undefined ? { goal, attacked: example } : { goal: own.goal, attacked: { ...example, label: own.label } };
  return aim.goal.reached(before, aim.attacked.label) ? without('skipped', GOAL_REACHED) : aim;
}

/** Throws ModelGone where the victim answers nothing any more. */
function isCancelled(meter: QueryMeter): boolean {
  if (meter.gone !== undefined) throw meter.gone;
  return meter.cancelled;
}

/** Throws ModelGone. */
function outcomeOfError(
  error: unknown,
  pair: AttackPair,
  meter: QueryMeter,
  broken: (error: unknown) => void,
): Outcome {
  // A language model that guesses words is not behind the meter.
  if (error instanceof ModelGone) throw error;
  // An attack that does not look at `remaining` has not found anything within its budget, which is not a defect.
  if (meter.overspent && error instanceof RangeError)
    return outcomeWithoutAttempt(pair, 'failed', 'the query budget is spent', meter.queries);
  broken(error);
  const { queries } = meter;
  // Its later queries, if there are any, are refused.
  meter.cancel();
  return outcomeWithoutAttempt(pair, 'errored', reasonOf(error), queries);
}

const isOnTheLine = (goal: Goal, row: Float32Array, label: number): boolean =>
  !goal.reached(row, label) && goal.tied?.(row, label) === true;

/** With how many of its answers were refusals, where some were. */
const withRefusals = (outcome: Outcome, refused: number): Outcome =>
  refused === 0 ? outcome : { ...outcome, details: { ...outcome.details, refused } };

const approximateVictim = (
  { model: { classifier, approximation } }: RunPlan,
  { decision, goal, before }: AttackPair & { readonly decision: Decision; readonly goal: Goal },
  label: number,
): ConfirmedAnswers | undefined => {
  const isFlipped = (row: Float32Array) => goal.reached(row, label) || !sameDecision(decision, row, before);
  return approximation && new ConfirmedAnswers(classifier, approximation, decision, isFlipped);
};

/** An attack that is busy with itself for too long. */
export const attackTimedOut = (label: string, { seconds }: TimeLimit): RobustError =>
  new RobustError(`${label}: expected a question or its end within ${seconds} s, got neither`, {
    code: 'PLUGIN_UNREACHABLE',
    hint: 'Mend the attack, or allow more time: --runtime timeout=SECONDS (0: any).',
  });

function reasonOf(error: unknown): string {
  if (error instanceof RobustError) return error.message;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
