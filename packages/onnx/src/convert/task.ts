/** @file The task of a checkpoint, from the first class that its config names. */
import { OnnxError } from '../errors.js';

/** Labels for a text or for each token, or scores of the vocabulary for each token. */
export type Task = 'classify' | 'tags' | 'masked' | 'causal';

const TASKS: readonly (readonly [RegExp, Task])[] = [
  [/ForSequenceClassification$/, 'classify'],
  [/ForTokenClassification$/, 'tags'],
  [/ForMaskedLM$/, 'masked'],
  [/LMHeadModel$|ForCausalLM$/, 'causal'],
];

/** Throws OnnxError for a checkpoint without a head that we know. */
export function taskOf(json: Readonly<Record<string, unknown>>, path: string): Task {
  const architecture = architectureOf(json);
  const task = TASKS.find(([name]) => name.test(architecture ?? ''))?.[1];
  if (task !== undefined) return task;
  throw new OnnxError(
    `${path}: architectures: expected a classifier (...ForSequenceClassification), got ${architecture ?? 'nothing'}`,
    {
      code: 'TASK_MISMATCH',
      hint: 'An encoder can get a head of its own: robust train --model THIS --labels a,b --data train.tsv -o OUT.',
    },
  );
}

/** Whether the config is that of a model that predicts the next token. */
export const isCausal = (json: Readonly<Record<string, unknown>>): boolean =>
  TASKS.find(([name]) => name.test(architectureOf(json) ?? ''))?.[1] === 'causal';

/** The class that wrote the checkpoint. */
export function architectureOf({ architectures }: Readonly<Record<string, unknown>>): string | undefined {
  const first: unknown = Array.isArray(architectures) ? architectures[0] : undefined;
  return typeof first === 'string' ? first : undefined;
}
