/** @file From what an attack achieved to the line that stays. The order of the keys is the order in the file. */
import { type Decision, mostProbable, trueLabels } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { wordsOf } from '../core/draft.js';
import type { Attempt, Outcome, Quality, Queries, Status } from '../core/outcome.js';
import { exampleTexts } from '../core/pair.js';
import type { Measure } from '../results/measures/measure.js';
import { MIN_REACH } from '../results/measures/reach.js';
import { hasAnswer } from './answers.js';
import type { AttackPair } from './plan.js';

/**
 * A score as written: 6 decimals, which a float32 probability holds for certain. Its further digits are noise of the
 * last bit, and would make lines longer and comparisons across machines harder.
 */
const round = (score: number): number => (Number.isFinite(score) ? Math.round(score * 1e6) / 1e6 : 0);

/** Figures of an attack's own: 6 significant digits, since their unit is unknown. JSON has no infinities: they become words. */
function format(value: number | string | readonly number[]): number | string | number[] {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return value.map((one) => Number(one.toPrecision(6)));
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : String(value);
}

/**
 * The outcome of a search that ended, with the evidence of the attack's own measures. `onTheLine`: does the victim's noise decide the side of
 * such an answer? An attempt that ended there is a tie, whatever the attack makes of it, unless it could try nothing.
 */
export function outcomeOfAttempt(
  pair: AttackPair,
  attempt: Attempt,
  queries: Queries,
  measures: readonly Measure[] = [],
  onTheLine: (row: Float32Array) => boolean = () => false,
): Outcome {
  const { text, probabilities, words, changed, reason, reach, details } = attempt;
  const tied = reason === undefined && text !== pair.example.text && onTheLine(probabilities);
  const succeeded = attempt.succeeded && !tied;
  return {
    ...head(pair, succeeded ? 'succeeded' : tied ? 'tied' : 'failed', probabilities),
    ...(succeeded && text !== undefined ? { adversarial: text } : {}),
    words,
    changed,
    queries,
    ...defined({ reason }),
    // Only where it decides something, so that a line stays as short as it can be.
    ...(succeeded || tied || reach === undefined || reach >= MIN_REACH ? {} : { reach: round(reach) }),
    ...evidenceOf(attempt, measures),
    ...(details === undefined
      ? {}
      : { details: Object.fromEntries(Object.entries(details).map(([name, value]) => [name, format(value)])) }),
  };
}

const evidenceOf = (attempt: Attempt, measures: readonly Measure[]): object =>
  Object.fromEntries(
    measures.flatMap(({ evidence }) => {
      const found = evidence && attempt[evidence.key];
      return evidence === undefined || found === undefined
        ? []
        : [[evidence.key, evidence.serialise?.(found) ?? found]];
    }),
  );

/** The outcome of a success in text space with what its text is like. */
export const withQuality = (outcome: Outcome, { editDistance, similarity, readability }: Quality): Outcome => ({
  ...outcome,
  quality: { editDistance, similarity: round(similarity), readability: round(readability) },
});

/**
 * The outcome of a search that was not begun, found nothing to do, or broke. `from` and `to` are -1 and the scores 0
 * where the victim gave no answer to the unedited text.
 */
export function outcomeWithoutAttempt(
  pair: AttackPair,
  status: Status,
  reason: string | undefined,
  queries: Queries,
): Outcome {
  return {
    ...head(pair, status, pair.before),
    words: wordsOf(pair.example.text).length,
    changed: 0,
    queries,
    ...defined({ reason }),
  };
}

/** The labels that tie in a row, under this name; nothing of a row that is decided. */
function tiesOf(
  decision: Decision,
  row: Float32Array,
  name: 'fromTied' | 'toTied',
): Partial<Record<typeof name, number[]>> {
  const tied = hasAnswer(row) ? decision.tied(row) : [];
  return tied.length === 0 ? {} : { [name]: tied };
}

function head({ example, attack, before, decision = mostProbable }: AttackPair, status: Status, after: Float32Array) {
  const { id, label, value } = example;
  const read = (row: Float32Array): number => (hasAnswer(row) ? decision.label(row) : -1);
  const sure = (row: Float32Array): number => round(decision.confidence(row, example));
  return {
    id,
    attack,
    status,
    ...exampleTexts(example),
    label,
    ...(decision.truth === 'labels' && {
      labels: trueLabels(example),
      fromLabels: hasAnswer(before) ? decision.labels(before) : [],
      toLabels: hasAnswer(after) ? decision.labels(after) : [],
    }),
    ...(decision.truth === 'value' && value !== undefined && { value }),
    from: read(before),
    to: read(after),
    ...tiesOf(decision, before, 'fromTied'),
    ...tiesOf(decision, after, 'toTied'),
    scoreBefore: sure(before),
    scoreAfter: sure(after),
  };
}
