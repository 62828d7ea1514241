/**
 * @file Does a resumed run still query the victim it began with? The hash of an ONNX model decides. An endpoint may serve other weights
 * under the same name, and a module may read other weights from a file beside it: for those, texts that were answered before are queried again.
 */
import type { Decision } from '../core/decision.js';
import { FURTHER_ANSWERS } from '../core/endpoint.js';
import { must, RobustError } from '../core/errors.js';
import { quantity } from '../core/figure-text.js';
import { queryText } from '../core/pair.js';
import { isRefusal } from '../core/refusal.js';
import type { AnswerFile } from './answer-file.js';
import { firstExamples, hasAnswer } from './answers.js';
import { sameDecision } from './approximation.js';
import { decisionOfPlan, type EvaluationPlan, type Unpinned } from './plan.js';
import type { RunRecord } from './record.js';

/** Texts that are queried again. */
const RESUMED_TEXTS = 8;
/** Differences of scores up to here are rounding: batches of other sizes, decimals on the wire. */
const ROUNDING = 1e-6;

/** A text that was answered before. */
interface RememberedText {
  readonly id: string;
  readonly text: string;
  readonly row: Float32Array;
}

/** The variation of the earlier victim's answers. */
interface KnownNoise {
  /** Largest difference between two answers to one text. */
  readonly difference: number;
  /** The run has not measured it in full. */
  readonly open: boolean;
  /** Compare decisions only: a vote turns small differences into large ones. */
  readonly decisions: boolean;
}

/** The state that an earlier session left. */
interface Resumed extends Pick<RunRecord, 'clean' | 'endpoint'> {
  /** The run, for the message. */
  readonly what: string;
  readonly answers?: AnswerFile;
}

/**
 * Asks up to eight examples again whose answers are on disk. Throws RobustError (RESUME_MISMATCH) where an answer differs by more than the
 * victim's own noise, and what the victim throws.
 */
export async function checkSameVictim(
  plan: EvaluationPlan,
  { what, answers, clean, endpoint }: Resumed,
): Promise<void> {
  const { unpinned, repeating, defence } = plan.model;
  if (unpinned === undefined) return;
  const texts = await rememberedTexts(plan, answers, unpinned);
  const { repeated = 0, company = 0 } = (endpoint ?? plan.model.endpoint)?.probe ?? {};
  const difference = Math.max(clean?.metrics.repeatability?.difference ?? 0, repeated, company);
  const open = company > ROUNDING || (clean === undefined && repeating !== undefined);
  const noise = { difference, open, decisions: defence !== undefined && difference > ROUNDING };
  await checkAnswers(texts, unpinned, noise, {
    what,
    model: plan.model.name,
    labels: plan.model.classifier.labels,
    decision: decisionOfPlan(plan),
  });
}

/** Spread over the examples that were answered. */
async function rememberedTexts(
  plan: EvaluationPlan,
  answers: AnswerFile | undefined,
  { remembered }: Unpinned,
): Promise<RememberedText[]> {
  const found = new Map<string, RememberedText>();
  const known = answers?.count ?? 0;
  let index = 0;
  for await (const example of firstExamples(plan)) {
    const at = index++;
    if (found.size === RESUMED_TEXTS || (known > 0 && at === known)) break;
    if (at * RESUMED_TEXTS < found.size * known) continue;
    const text = queryText(example.text, example);
    const row = at < known ? answers?.read(at).row : remembered?.(text);
    if (row !== undefined && hasAnswer(row) && !found.has(text)) found.set(text, { id: example.id, text, row });
  }
  return [...found.values()];
}

/** Throws as `checkSameVictim` does. */
async function checkAnswers(
  texts: readonly RememberedText[],
  { classify }: Pick<Unpinned, 'classify'>,
  noise: KnownNoise,
  about: Pick<Finding, 'what' | 'model' | 'labels'> & { readonly decision: Decision },
): Promise<void> {
  if (texts.length === 0) return;
  let most = Math.max(ROUNDING, noise.difference);
  const differs = (each: RememberedText, row: Float32Array): boolean =>
    isRefusal(row) || (noise.decisions ? !sameDecision(about.decision, each.row, row) : distance(each.row, row) > most);
  const alone = async ({ text }: RememberedText) => must((await classify([text]))[0]);
  const rows = await classify(texts.map(({ text }) => text));
  const answered = texts.map((each, at) => ({ each, row: must(rows[at]) }));
  let suspect = answered.filter(({ each, row }) => differs(each, row));
  if (suspect.length > 0 && noise.open) {
    let varies = 0;
    for (const { each, row } of answered) varies = Math.max(varies, distance(row, await alone(each)));
    // Twice: the two answers that are compared may lie on either side.
    most = Math.max(most, 2 * varies);
    suspect = suspect.filter(({ each, row }) => differs(each, row));
  }
  // One answer of a victim that varies may be an extreme one.
  const further = most > ROUNDING ? FURTHER_ANSWERS : 0;
  for (const { each, row } of suspect) {
    let other = true;
    for (let count = 0; count < further && other; count++) other = differs(each, await alone(each));
    if (other) throw otherVictim(each, row, { ...about, most, queries: texts.length, differing: suspect.length });
  }
}

/** Numbers above 1, which a regression answers, are compared by their ratio. */
const distance = (one: Float32Array, other: Float32Array): number =>
  one.reduce((most, score, at) => Math.max(most, gap(score, must(other[at]))), 0);
const gap = (one: number, other: number): number => Math.abs(one - other) / Math.max(1, Math.abs(one));

interface Finding {
  /** The run. */
  readonly what: string;
  readonly model: string;
  readonly labels: readonly string[];
  readonly most: number;
  readonly queries: number;
  readonly differing: number;
}

function otherVictim(
  { id, row }: RememberedText,
  now: Float32Array,
  { what, model, labels, most, queries: asked, differing }: Finding,
): RobustError {
  const gaps = row.map((score, at) => gap(score, must(now[at])));
  const at = gaps.indexOf(Math.max(...gaps));
  const scores = isRefusal(now)
    ? `expected ${display(row[0])} for ${labels[0]}, got a refusal`
    : `expected ${display(row[at])} for ${labels[at]}, got ${display(now[at])}`;
  return new RobustError(
    `${what} cannot be continued: ${model} no longer gives the answers that it gave before: example ${id}: ${scores} (${differing} of ${quantity(asked, 'text')} queried again differ by more than ${Number(most.toPrecision(2))})`,
    {
      code: 'RESUME_MISMATCH',
      hint: 'Put the earlier model back under this name, or start again from the beginning: answers of two models do not belong together.',
    },
  );
}

const display = (score: number | undefined): string => String(Number((score ?? Number.NaN).toPrecision(6)));
