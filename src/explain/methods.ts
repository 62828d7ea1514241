/** @file Explanation methods by name, and their options. */
import type { AttentionSource } from '../core/attention.js';
import type { Classifier, WhiteBox } from '../core/classifier.js';
import { ModelError, RobustError } from '../core/errors.js';
import { type Random, random } from '../core/random.js';
import type { TaggedExample } from '../core/tags/tagged-query.js';
import type { WeightScale, WordBaseline } from '../results/report/explanation.js';
import type { CoalitionGame } from './game.js';
import { gradientTimesInput, integratedGradients } from './gradients.js';
import { LIME, lime } from './lime.js';
import type { MaskedText, StandIn } from './masked-text.js';
import { attentionWeights } from './rollout.js';
import { exactShapley, MAX_EXACT_PLAYERS, permutationShapley } from './shapley.js';
import type { WeightedWords } from './weighted.js';

const METHODS = ['lime', 'shap', 'integrated-gradients', 'gradient-x-input', 'attention'] as const;
export type ExplanationMethod = (typeof METHODS)[number];

/** Texts of estimated SHAP values, plus 2 per word: the default of shap's kernel explainer. */
const SHAP_SAMPLES = 2048;

/** Methods that need gradients. */
export const GRADIENT_METHODS: readonly ExplanationMethod[] = ['integrated-gradients', 'gradient-x-input'];

/** Requirements of methods on a model. */
export interface Explainable {
  readonly classifier: Classifier;
  /** Present if a method needs it. */
  readonly gradients?: WhiteBox;
  readonly attention?: AttentionSource;
}

/** A model to explain. */
export interface ExplainedText extends Explainable {
  readonly name: string;
  readonly sha256: string;
  /** Tokens that replace an unknown and a hidden word, if the model has them. */
  readonly tokens: { readonly unknown?: StandIn; readonly mask?: StandIn | undefined };
  /** For a model that tags: the entities of the text, and the one in question. */
  readonly tagged?: TaggedExample;
  /** The span of a text that the model reads, if it truncates long ones. */
  read?(text: string): { readonly start: number; readonly end: number };
}

interface ExplainedScore {
  readonly name: string;
  /** From 0 to 1, for a row of probabilities. */
  of(probabilities: ArrayLike<number>): number;
}

export interface ExplanationOptions {
  readonly methods: readonly ExplanationMethod[];
  /** Index of the label; the caller determines the predicted one. */
  readonly label: number;
  /** Explained instead of the label's probability: a score of several labels. */
  readonly score?: ExplainedScore | undefined;
  readonly baseline: WordBaseline;
  readonly scale: WeightScale;
  readonly seed: number;
  /** Maximum texts of a sampling method. @default 5000 for lime, 2048 + 2 per word for shap */
  readonly samples?: number;
  /** Words that lime gives a weight. @default 10 */
  readonly features?: number;
  /** Maximum gradients of integrated gradients. @default 64 */
  readonly steps?: number;
}

/** Weights by one method. Its random stream is named by the seed, the method and the text, so two models get the same samples. */
export async function explainWords(
  method: ExplanationMethod,
  model: ExplainedText,
  masked: MaskedText,
  game: CoalitionGame,
  options: ExplanationOptions,
): Promise<WeightedWords> {
  const stream = random(options.seed, 'explain', method, masked.text, '0');
  const { words, text } = masked;
  switch (method) {
    case 'lime': {
      const { samples = LIME.samples, features = LIME.features } = options;
      return lime(game, { ...LIME, samples, features }, stream);
    }
    case 'shap':
      return shapley(game, options, stream);
    case 'integrated-gradients': {
      checkOneLabel(options, method);
      const { label, scale, steps = 64 } = options;
      const token = options.baseline === 'mask' ? model.tokens.mask : model.tokens.unknown;
      return integratedGradients(requirement(model.gradients, method), text, words, { label, scale, token, steps });
    }
    case 'gradient-x-input':
      checkOneLabel(options, method);
      return gradientTimesInput(requirement(model.gradients, method), text, words, options);
    case 'attention':
      return attentionWeights(await requirement(model.attention, method).attention(text), words);
  }
}

/** Exact if that needs no more than the allowed number of texts, else estimated. */
function shapley(game: CoalitionGame, options: ExplanationOptions, stream: Random): Promise<WeightedWords> {
  const { samples } = options;
  const exact = 2 ** game.size <= Math.min(samples ?? Number.POSITIVE_INFINITY, 2 ** MAX_EXACT_PLAYERS);
  return exact ? exactShapley(game) : permutationShapley(game, samples ?? SHAP_SAMPLES + 2 * game.size, stream);
}

function requirement<T>(inside: T | undefined, method: ExplanationMethod): T {
  if (inside !== undefined) return inside;
  throw new ModelError(`${method}: expected a white-box model, got one without gradients or attention`, {
    code: 'GRADIENTS_UNSUPPORTED',
    hint: 'Use lime or shap instead, which need neither.',
  });
}

/** Gradients are those of one label's log-probability. */
function checkOneLabel({ score }: ExplanationOptions, method: ExplanationMethod): void {
  if (score === undefined) return;
  throw new RobustError(`${method}: expected one label to explain, got ${score.name}`, {
    code: 'GRADIENTS_UNSUPPORTED',
    hint: 'Name one of them with --label. lime and shap explain the score of several.',
  });
}
