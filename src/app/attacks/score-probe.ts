/** @file Does a victim answer scores, or labels only? A few queries decide, before attacks are chosen. */
import type { Classifier } from '../../core/classifier.js';
import type { Dataset } from '../../core/dataset.js';
import { wordsOf } from '../../core/draft.js';
import { ModelGone } from '../../core/errors.js';
import { queryText } from '../../core/pair.js';
import { predictedLabel } from '../../core/prediction.js';
import { scoreFold } from '../../results/clean/scores.js';

/** Most queries until the victim has answered with a second label. */
const MAX_TEXTS = 256;
/** Texts whose halves are queried too: a victim that is sure of a text is less sure of half of it. */
const HALVED_TEXTS = 16;

/** The two halves of a text, by words. */
export function halves(text: string): string[] {
  const words = wordsOf(text);
  const middle = words[Math.floor(words.length / 2)];
  return words.length < 2 || middle === undefined ? [text] : [text.slice(0, middle.start), text.slice(middle.start)];
}

/**
 * Do the scores of the first texts and of their halves say no more than the labels? False as soon as one does, mostly at the first text; and
 * for a victim that answers all texts with one label, whose scores may be constant.
 */
export async function givesOnlyLabels(victim: Classifier, dataset: Dataset): Promise<boolean> {
  const queries: string[] = [];
  const labels = new Set<number>();
  const scores = scoreFold();
  for await (const example of dataset.examples()) {
    const text = queryText(example.text, example);
    if (queries.length === MAX_TEXTS || (queries.length >= HALVED_TEXTS && labels.size > 1)) break;
    const row = await answer(victim, text);
    if (row === null) return false;
    if (row === undefined) continue;
    scores.add(row);
    if (!scores.mayBeLabels) return false;
    labels.add(predictedLabel(row));
    queries.push(text);
  }
  if (labels.size < 2) return false;
  for (const text of queries.slice(0, HALVED_TEXTS).flatMap(halves)) {
    const row = await answer(victim, text);
    if (row === null) return false;
    if (row !== undefined) scores.add(row);
    if (!scores.mayBeLabels) return false;
  }
  return scores.labelsOnly;
}

/** Undefined for a text that the victim cannot answer, null where it answers none any more: the clean pass reports it. */
async function answer(victim: Classifier, text: string): Promise<Float32Array | undefined | null> {
  try {
    const [row] = await victim.classify([text]);
    return row?.length === victim.labels.length ? row : undefined;
  } catch (error) {
    if (error instanceof ModelGone) return null;
    return undefined;
  }
}
