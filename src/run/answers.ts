/** @file The victim's answers to the unedited texts, in data set order, streaming. */
import type { Example } from '../core/dataset.js';
import { ModelError, ModelGone, must, RobustError } from '../core/errors.js';
import { queryText } from '../core/pair.js';
import { isRefusal } from '../core/refusal.js';
import { taskOfRule } from '../tasks/index.js';
import { unlessAborted } from './metered-victim.js';
import type { EvaluationPlan } from './plan.js';

/** Texts given to the classifier at once. Many more than a batch: it groups them by length, and lengths are many. */
const BATCH_TEXTS = 256;
/** Length of a batch of huge texts, in UTF-16 code units. */
const BATCH_LENGTH = 1 << 20;
/** Batches given ahead, so that the classifier never waits for the reader. */
const BATCHES_AHEAD = 4;

export interface Answer {
  readonly example: Example;
  /** One probability per label; all NaN where the classifier could not answer. */
  readonly row: Float32Array;
}

/** The first `limit` examples (0 = all), without the first `skip`. */
export async function* firstExamples(plan: EvaluationPlan, skip = 0): AsyncGenerator<Example> {
  let at = 0;
  if (plan.numExamples > 0 && skip >= plan.numExamples) return;
  for await (const example of plan.dataset.examples()) {
    if (at++ >= skip) yield example;
    if (at === plan.numExamples) return;
  }
}

/**
 * The victim's answers in data set order, a batch at a time. A text the classifier fails on is answered with NaN and passed to `failed`; it
 * throws what the classifier threw only when the very first batch fails text by text, and where the model's process crashed.
 */
export async function* answers(
  plan: EvaluationPlan,
  skip: number,
  signal: AbortSignal | undefined,
  failed: (example: Example, error: unknown) => void,
): AsyncGenerator<Answer[]> {
  const ahead: Promise<Answer[]>[] = [];
  let first = true;
  for await (const batch of batches(firstExamples(plan, skip), plan.model.classifier.labels)) {
    const answer = answerBatch(plan, batch, first, failed);
    answer.catch(() => {}); // awaited later, if the pass goes on
    ahead.push(answer);
    first = false;
    if (ahead.length >= BATCHES_AHEAD) yield await unlessAborted(must(ahead.shift()), signal);
  }
  for (const answer of ahead) yield await unlessAborted(answer, signal);
}

async function* batches(examples: AsyncIterable<Example>, labels: readonly string[]): AsyncGenerator<Example[]> {
  let batch: Example[] = [];
  let length = 0;
  for await (const example of examples) {
    if (example.labels === undefined && !(example.label in labels))
      throw new RobustError(
        `example ${example.id}: expected a label from 0 to ${labels.length - 1} (${labels.join(', ')}), got ${example.label}`,
        {
          code: 'LABEL_NOT_FOUND',
          hint: 'Name the column of the labels (--columns label=NAME), or map the labels with --label-map.',
        },
      );
    batch.push(example);
    length += example.text.length;
    if (batch.length >= BATCH_TEXTS || length >= BATCH_LENGTH) {
      yield batch;
      batch = [];
      length = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

async function answerBatch(
  { model: { classifier, decision } }: EvaluationPlan,
  batch: readonly Example[],
  first: boolean,
  failed: (example: Example, error: unknown) => void,
): Promise<Answer[]> {
  const width = classifier.labels.length;
  const checked = taskOfRule(decision).measuring.unbounded
    ? checkedNumber
    : (row: Float32Array | undefined) => probabilities(row, width);
  try {
    const rows = await classifier.classify(batch.map((example) => queryText(example.text, example)));
    return batch.map((example, at) => ({ example, row: checked(rows[at]) }));
  } catch (error) {
    if (error instanceof ModelGone) throw error;
    // One bad text must not cost its batch: ask one by one.
    const errors: [Example, unknown][] = [];
    const one = async (example: Example): Promise<Answer> => {
      try {
        const [row] = await classifier.classify([queryText(example.text, example)]);
        return { example, row: checked(row) };
      } catch (error) {
        if (error instanceof ModelGone) throw error;
        errors.push([example, error]);
        return { example, row: new Float32Array(width).fill(Number.NaN) };
      }
    };
    const rows: Answer[] = [];
    for (const example of batch) rows.push(await one(example));
    if (first && errors.length === batch.length) throw errors[0]?.[1];
    for (const [example, error] of errors) failed(example, error);
    return rows;
  }
}

/** Did the classifier answer this text? */
export const hasAnswer = (row: Float32Array): boolean => !Number.isNaN(row[0]);

function checkedNumber(row: Float32Array | undefined): Float32Array {
  if (row?.length === 1 && row.every(Number.isFinite)) return row;
  throw new ModelError(`expected a number for each text, got ${row === undefined ? 'none' : `[${row}]`}`, {
    code: 'TASK_MISMATCH',
    hint: 'For a model with labels, remove --task regression.',
  });
}

function probabilities(row: Float32Array | undefined, width: number): Float32Array {
  if (row?.length === width && isRefusal(row)) return row;
  // A softmax in float32 may end a rounding error above 1.
  if (row?.length === width && row.every((p) => p >= 0 && p <= 1 + 1e-5)) return row;
  throw new ModelError(
    `expected ${width} probabilities for each text, got ${row === undefined ? 'none' : `[${row}]`}`,
    {
      code: 'MODEL_OUTPUT_MISMATCH',
      hint: "Name the output's activation (softmax or sigmoid) in the model's robust.json.",
    },
  );
}
