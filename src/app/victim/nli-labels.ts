/** @file Names the labels of an unnamed inference model by its answers to known pairs. */

import { join } from 'node:path';
import type { Dataset } from '../../core/dataset.js';
import { RobustError } from '../../core/errors.js';
import { quantity } from '../../core/figure-text.js';
import { labelOrder } from '../../core/label-permutation.js';
import { packageRoot } from '../../core/package-root.js';
import { queryText } from '../../core/pair.js';
import { NO_LABEL, predictedLabel } from '../../core/prediction.js';
import { wilson } from '../../core/stats.js';
import type { LoadedModel } from '../../model/load.js';
import { type DataLoading, openData } from '../data/open-data.js';

const NAMES = ['entailment', 'neutral', 'contradiction'];
const PROBES = join(packageRoot, 'datasets', 'data', 'nli-probes.tsv');

export const unnamed = (labels: readonly string[]): boolean =>
  labels.length === NAMES.length && labels.every((label) => /^LABEL_\d$/.test(label));

/**
 * The model with its labels named. Throws RobustError LABELS_INVALID, with the evidence, if its answers to the probes fit more than one order.
 */
export async function namedLabels(model: LoadedModel, load: DataLoading): Promise<LoadedModel> {
  const probes = await openData(PROBES, { textColumns: ['premise', 'hypothesis'], labels: NAMES }, load);
  const confusion = await confusionOf(model, probes);
  const { order, agreeing, of, unique } = labelOrder(confusion);
  const means = order.map((column, label) => `${model.labels[column]} ${NAMES[label]}`).join(', ');
  const percent = (share: number | null): number => Math.round(100 * (share ?? 0));
  const { low, high } = wilson(agreeing, of);
  const found = `${agreeing} of ${quantity(of, 'pair')} whose label is known (${percent(low)}-${percent(high)} %) speak for ${means}`;
  if (!unique) {
    throw new RobustError(
      `expected labels with names of a model of pairs, got ${model.labels.join(', ')}, and its answers do not determine which is which: at most ${found}`,
      {
        code: 'LABELS_INVALID',
        hint: 'Models of entailment, neutral and contradiction order them differently. Name them in a robust.json ("labels"), or say by --label-map DATA=MODEL which label of the model each label of the data is; with --force they are as the data number them.',
      },
    );
  }
  load.onWarning?.(`${model.name}: ${found}, and so its labels are called`);
  const labels = order.reduce<string[]>((names, column, label) => {
    names[column] = NAMES[label]!;
    return names;
  }, []);
  const { approximation } = model;
  return { ...model, labels, ...(approximation && { approximation: { ...approximation, labels } }) };
}

/** Rows: what is true; columns: what the model answers. */
async function confusionOf(model: LoadedModel, probes: Dataset): Promise<number[][]> {
  const queries: string[] = [];
  const truth: number[] = [];
  for await (const example of probes.examples()) {
    queries.push(queryText(example.text, example));
    truth.push(example.label);
  }
  const counts = NAMES.map(() => NAMES.map(() => 0));
  (await model.classify(queries)).forEach((row, at) => {
    const label = predictedLabel(row);
    if (label !== NO_LABEL) counts[truth[at]!]![label]! += 1;
  });
  return counts;
}

/** Data with numbers as labels do not fit a model whose labels were named by probes. Throws RobustError. */
export async function checkNumbered(data: string, columns: object, load: DataLoading): Promise<void> {
  const { labels } = await openData(data, columns, load);
  if (!labels.every((label) => /^\d+$/.test(label))) return;
  throw new RobustError(`expected labels with names, got ${labels.join(', ')} in ${data} and a model of unnamed ones`, {
    code: 'LABELS_INVALID',
    hint: 'Say what the numbers of the data mean: --label-map 0=entailment --label-map 1=neutral --label-map 2=contradiction.',
  });
}
