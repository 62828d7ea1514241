/** @file Folds the examples of a report for a card. */
import { createHash } from 'node:crypto';
import type { Outcome } from '../../core/outcome.js';
import { exampleTexts } from '../../core/pair.js';
import { worstOutcomes } from '../../results/card/card.js';
import type { Report } from '../../results/report/report.js';

/** The worst outcome of each example under these attacks, and a hash of the examples; `each` gets the outcomes of the first attack. */
export async function foldExamples(
  { examples }: Report,
  names: readonly string[],
  each: (outcome: Outcome) => void = () => {},
): Promise<{ readonly examplesSha256: string; readonly outcomes: string }> {
  const hash = createHash('sha256');
  const worst = worstOutcomes();
  for await (const outcome of examples) {
    if (!names.includes(outcome.attack)) continue;
    if (outcome.attack === names[0]) {
      hash.update(`${JSON.stringify([outcome.id, exampleTexts(outcome)])}\n`);
      each(outcome);
    }
    worst.add(outcome);
  }
  return { examplesSha256: hash.digest('hex'), outcomes: worst.letters() };
}
