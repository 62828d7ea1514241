/** @file Word weights from an approximation of the model, and their distance from the model's own. */

import type { Classifier } from '../core/classifier.js';
import { defined } from '../core/defined.js';
import { type ExplainedValue, emptyCoalition, fullCoalition, WordGame } from './game.js';
import type { MaskedText } from './masked-text.js';
import { type ExplainedText, type ExplanationMethod, type ExplanationOptions, explainWords } from './methods.js';
import { spearman } from './rank-correlation.js';

/** Texts also sent to the model itself for comparison: a tenth of LIME's samples. */
const COMPARED_SAMPLES = 500;

/** The model itself answers the texts with all and with no words, so that the weights add up to its values; `rough` answers the others. */
export async function roughGame(
  rough: Classifier,
  exact: WordGame,
  masked: MaskedText,
  explained: ExplainedValue,
): Promise<WordGame> {
  await exact.values([fullCoalition(exact.size), emptyCoalition(exact.size)]);
  return new WordGame(rough, masked, explained, exact);
}

/**
 * Runs a method on the same samples by both. `fp32Correlation`: Spearman's, of the weights, absent if there are too few or all are equal;
 * `fp32Difference`: largest difference of a weight; `fp32Samples`: texts compared. Undefined for methods without samples.
 */
export async function againstExact(
  name: ExplanationMethod,
  model: ExplainedText,
  masked: MaskedText,
  { game, exact }: { readonly game: WordGame; readonly exact: WordGame },
  options: ExplanationOptions,
): Promise<Readonly<Record<string, number | string>> | undefined> {
  if ((name !== 'lime' && name !== 'shap') || model.approximation === undefined) return undefined;
  // With few words, all coalitions would be as many texts as were already sent.
  const estimator = options.estimator === 'exact' ? undefined : options.estimator;
  const { estimator: _, ...rest } = options;
  const few = {
    ...rest,
    samples: Math.min(options.samples ?? COMPARED_SAMPLES, COMPARED_SAMPLES),
    ...defined({ estimator }),
  };
  const [exactWeights, rough] = [
    await explainWords(name, model, masked, exact, few),
    await explainWords(name, model, masked, game, few),
  ].map(({ weights }) => weights.map(({ weight }) => weight)) as [number[], number[]];
  const correlation = spearman(exactWeights, rough);
  return {
    precision: model.approximation.precision,
    ...(correlation !== null && { fp32Correlation: correlation }),
    fp32Difference: Math.max(...exactWeights.map((weight, at) => Math.abs(weight - rough[at]!))),
    fp32Samples: few.samples,
  };
}
