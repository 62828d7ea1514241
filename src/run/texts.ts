/** @file The texts of a finished run, attacked and unedited, for detectors. */

import { decisionOf, readRight } from '../core/decision.js';
import { UsageError } from '../core/errors.js';
import { otherText } from '../core/pair.js';
import { finishedOutcomes } from './finished.js';
import type { RunFolder } from './folder.js';

export interface RunTexts {
  /** The unedited texts that were read right, each once, in the data's order. */
  readonly clean: readonly string[];
  /** Attack -> the adversarial texts it found. */
  readonly adversarial: ReadonlyMap<string, readonly string[]>;
}

/** Reads them from the journal. */
export async function textsOf(folder: RunFolder): Promise<RunTexts> {
  const { decision: rule, labels } = folder.record.model;
  const decision = decisionOf(rule, labels);
  const clean = new Map<number, string>();
  const adversarial = new Map<string, string[]>(folder.record.attacks.map(({ name }) => [name, []]));
  for await (const { index, outcome } of finishedOutcomes(folder)) {
    if (otherText(outcome) !== undefined) {
      throw new UsageError(`expected a run of single texts, got one of pairs in ${folder.id}`, {
        code: 'PAIRS_UNSUPPORTED',
        hint: 'Detectors judge a text by itself.',
      });
    }
    if (readRight(decision, outcome)) clean.set(index, outcome.text);
    if (outcome.adversarial !== undefined) adversarial.get(outcome.attack)?.push(outcome.adversarial);
  }
  for (const [name, texts] of adversarial) if (texts.length === 0) adversarial.delete(name);
  return { clean: [...clean].sort(([a], [b]) => a - b).map(([, text]) => text), adversarial };
}
