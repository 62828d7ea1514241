/**
 * @file The exact sweep: every candidate is inserted into clean texts. Short texts and successive halving (few texts for all candidates,
 * more for the best ones) make it cheaper than a gradient search, and it cannot get stuck.
 */
import type { Classifier } from '../../core/classifier.js';
import type { ShouldContinue } from './clock.js';
import { fillGap, type GapText } from './source-texts.js';

/** Log-odds beyond this count no more: a text is turned or it is not. */
const MAX_LOG_ODDS = 4;
/** Texts per query batch; a scan can stop between batches. */
const TEXTS_PER_CALL = 256;

/** Log-odds of a probability, within [-14, 14]. */
export function logOdds(p: number): number {
  const safe = Math.min(1 - 1e-6, Math.max(1e-6, p));
  return Math.log(safe / (1 - safe));
}

/** How far each phrase moves each text towards each label: [label][text][phrase], log-odds. NaN for phrases not reached. */
export async function logOddsOf(
  model: Classifier,
  gapTexts: readonly GapText[],
  phrases: readonly string[],
  going: ShouldContinue,
): Promise<Float64Array[][]> {
  const pulls = model.labels.map(() => gapTexts.map(() => new Float64Array(phrases.length).fill(Number.NaN)));
  const step = Math.max(1, Math.floor(TEXTS_PER_CALL / Math.max(1, gapTexts.length)));
  for (let from = 0; from < phrases.length; from += step) {
    if (!going(from * gapTexts.length)) break;
    const group = phrases.slice(from, from + step);
    const rows = await model.classify(group.flatMap((phrase) => gapTexts.map((gapText) => fillGap(gapText, phrase))));
    pulls.forEach((of, label) => {
      of.forEach((own, text) => {
        for (let at = 0; at < group.length; at++) {
          const row = rows[at * gapTexts.length + text]!;
          own[from + at] = Math.min(MAX_LOG_ODDS, logOdds(row[label]!));
        }
      });
    });
  }
  return pulls;
}

/** Indices of the `count` highest values, best first; NaN is excluded, ties go to the lower index. */
export function topIndices(values: Float64Array, count: number): number[] {
  return Array.from(values.keys())
    .filter((at) => !Number.isNaN(values[at]))
    .sort((a, b) => values[b]! - values[a]! || a - b)
    .slice(0, count);
}
