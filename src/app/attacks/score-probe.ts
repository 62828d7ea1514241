/** @file Does a victim tell how sure it is, or only what it decides? Asked before attacks are chosen, by few texts. */

import type { Classifier } from '../../core/classifier.js';
import type { Dataset } from '../../core/dataset.js';
import { wordsOf } from '../../core/draft.js';
import { ModelGone } from '../../core/errors.js';
import { askedText } from '../../core/pair.js';
import { predictedLabel } from '../../core/prediction.js';
import { isHardLabel } from '../../core/scores.js';

/** Texts asked at most, until the victim has answered with a second label. */
const MAX_TEXTS = 256;
/** Texts of which the halves are asked too: what is sure of a whole text is less so of half of it. */
const HALVED_TEXTS = 16;

/** The two halves of a text, by words. */
export function halves(text: string): string[] {
  const words = wordsOf(text);
  const middle = words[Math.floor(words.length / 2)];
  return words.length < 2 || middle === undefined ? [text] : [text.slice(0, middle.start), text.slice(middle.start)];
}

/**
 * Is every score 0 or 1, of the first texts and of halves of them? False as soon as one is not, mostly at the first text; and of a
 * victim that answers all with one label, of which nobody can tell whether it has scores to tell.
 */
export async function givesOnlyLabels(victim: Classifier, dataset: Dataset): Promise<boolean> {
  const asked: string[] = [];
  const labels = new Set<number>();
  for await (const example of dataset.examples()) {
    const text = askedText(example.text, example);
    if (asked.length === MAX_TEXTS || (asked.length >= HALVED_TEXTS && labels.size > 1)) break;
    const row = await answer(victim, text);
    if (row === undefined) continue;
    if (!isHardLabel(row)) return false;
    labels.add(predictedLabel(row));
    asked.push(text);
  }
  if (labels.size < 2) return false;
  for (const text of asked.slice(0, HALVED_TEXTS).flatMap(halves)) {
    const row = await answer(victim, text);
    if (row !== undefined && !isHardLabel(row)) return false;
  }
  return true;
}

/** Undefined of a text that the victim cannot answer: the clean pass tells of those. */
async function answer(victim: Classifier, text: string): Promise<Float32Array | undefined> {
  try {
    const [row] = await victim.classify([text]);
    return row?.length === victim.labels.length ? row : undefined;
  } catch (error) {
    // Whoever answers nothing any more has not told labels alone.
    if (error instanceof ModelGone) throw error;
    return undefined;
  }
}
