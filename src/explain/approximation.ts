/** @file Words weighed by what an approximation of the model says, and how far that is from what the model itself would have said. */
import type { Classifier } from '../core/classifier.js';
import { type ExplainedValue, emptyCoalition, fullCoalition, WordGame } from './game.js';
import type { MaskedText } from './masked-text.js';
import { type ExplainedText, type ExplanationMethod, type ExplanationOptions, explainWords } from './methods.js';
import { spearman } from './rank-correlation.js';

/** Texts that the model itself is asked too, to compare: a tenth of what LIME asks. */
const COMPARED_SAMPLES = 500;

/** The text with and without its words as the model itself answers, so that what weights add up to is its own; the others as `rough` does. */
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
 * The same samples of a method by both: `fp32Correlation`, Spearman's of the weights, absent where they are too few or all the same;
 * `fp32Difference`, the largest difference of a weight; `fp32Samples`, the texts compared. Undefined of methods that ask no samples.
 */
export async function againstExact(
  name: ExplanationMethod,
  model: ExplainedText,
  masked: MaskedText,
  { game, exact }: { readonly game: WordGame; readonly exact: WordGame },
  options: ExplanationOptions,
): Promise<Readonly<Record<string, number | string>> | undefined> {
  if ((name !== 'lime' && name !== 'shap') || model.approximation === undefined) return undefined;
  // All coalitions of few words would be as many as were asked.
  const estimator = options.estimator === 'exact' ? undefined : options.estimator;
  const { estimator: _, ...rest } = options;
  const few = {
    ...rest,
    samples: Math.min(options.samples ?? COMPARED_SAMPLES, COMPARED_SAMPLES),
    ...(estimator !== undefined && { estimator }),
  };
  const [own, rough] = [
    await explainWords(name, model, masked, exact, few),
    await explainWords(name, model, masked, game, few),
  ].map(({ weights }) => weights.map(({ weight }) => weight)) as [number[], number[]];
  const correlation = spearman(own, rough);
  return {
    precision: model.approximation.precision,
    ...(correlation !== null && { fp32Correlation: correlation }),
    fp32Difference: Math.max(...own.map((weight, at) => Math.abs(weight - (rough[at] as number)))),
    fp32Samples: few.samples,
  };
}
