/** @file Folds the examples of a report for a card. */
import { createHash } from 'node:crypto';
import { exampleTexts } from '../../core/pair.js';
import { worstOutcomes } from '../../results/card/card.js';
import type { Report } from '../../results/report/report.js';

/** The worst outcome of each example under these attacks, and a hash of the examples. */
export async function foldExamples(
  { examples }: Report,
  names: readonly string[],
): Promise<{ readonly examplesSha256: string; readonly outcomes: string }> {
  const hash = createHash('sha256');
  const worst = worstOutcomes();
  for await (const outcome of examples) {
    if (!names.includes(outcome.attack)) continue;
    if (outcome.attack === names[0]) hash.update(`${JSON.stringify([outcome.id, exampleTexts(outcome)])}\n`);
    worst.add(outcome);
  }
  return { examplesSha256: hash.digest('hex'), outcomes: worst.letters() };
}
