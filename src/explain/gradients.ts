/**
 * @file Explanations by the gradient with respect to the embeddings: integrated gradients (Sundararajan, Taly and Yan, "Axiomatic
 * Attribution for Deep Networks", 2017, https://arxiv.org/abs/1703.01365) and gradient x input. Token weights are summed into words.
 */
import type { EmbeddingGradient, Token, WhiteBox } from '../core/classifier.js';
import { ModelError, must } from '../core/errors.js';
import { tokensWithin } from '../core/word-tokens.js';
import type { WeightScale } from '../results/report/explanation.js';
import { valueFrom } from './game.js';
import { gaussLegendre } from './gauss-legendre.js';
import type { StandIn } from './masked-text.js';
import type { WeightedWords } from './weighted.js';

export interface GradientOptions {
  readonly label: number;
  readonly scale: WeightScale;
  /** The token whose embedding represents "no word"; the zero vector if it is absent or has no id. */
  readonly token: StandIn | undefined;
  /** Maximum number of gradients. @default 64 */
  readonly steps: number;
}

type WordSpan = { readonly text: string; readonly start: number };

/** Quadrature rule of one segment of the path. */
const RULE = gaussLegendre(8);
/** Acceptable error of the integral, as a share of the explained difference. */
const MAX_INTEGRAL_ERROR = 0.004;

/** d(value)/d(loss), where the loss is -ln p: -p for the probability, -1 / (1 - p) for the log-odds. */
function slope(at: EmbeddingGradient, { label, scale }: GradientOptions): number {
  const p = must(at.probabilities[label]);
  if (Math.abs(Math.exp(-at.loss) - p) > 1e-3)
    throw new ModelError(`expected a loss of -ln p for gradients of one label, got ${at.loss} where p is ${p}`, {
      code: 'GRADIENTS_UNSUPPORTED',
      hint: 'The model predicts several labels at once. Use lime or shap instead.',
    });
  if (scale === 'probability') return -p;
  return -1 / Math.max(1 - p, 1e-12 + Math.exp(-valueFrom(at.probabilities, label, 'logit')) * p);
}

/** Sum over the hidden axis of (x - from) * gradient, one value per token. */
function perToken(at: EmbeddingGradient, difference: Float32Array, factor: number): Float64Array {
  const sums = new Float64Array(at.tokens.length);
  const hidden = difference.length / sums.length;
  for (let k = 0; k < difference.length; k++)
    sums[Math.floor(k / hidden)]! += factor * must(difference[k]) * must(at.values[k]);
  return sums;
}

/** Sums tokens into words, and into a rest: punctuation and special tokens. */
function sumTokens(sums: Float64Array, tokens: readonly Token[], words: readonly WordSpan[]) {
  let rest = sums.reduce((total, value) => total + value, 0);
  const weights = words.map(({ text, start }) => {
    const weight = tokensWithin(tokens, start, start + text.length).reduce((sum, row) => sum + must(sums[row]), 0);
    rest -= weight;
    return { weight };
  });
  return { weights, rest };
}

/** A segment of the path from the baseline (0) to the text (1). */
interface PathSegment {
  readonly from: number;
  readonly to: number;
  readonly sums: Float64Array;
  /** Difference between the integral and the change of the value over the segment, which should be equal. */
  readonly error: number;
}

/**
 * Integrated gradients from a text whose words are `token`; punctuation and special tokens stay. Gauss-Legendre rules integrate the path in
 * segments. The segments with the largest error are halved until the total is complete to 0.4 % or `steps` gradients were computed.
 * `completenessError`: |sum of weights - difference| / |difference|.
 */
export async function integratedGradients(
  model: WhiteBox,
  text: string,
  words: readonly WordSpan[],
  options: GradientOptions,
): Promise<WeightedWords> {
  const { label, scale, steps } = options;
  const { tokens, embeddings } = await model.gradient(text, label);
  const { token: standIn } = options;
  const id = standIn?.id;
  const row =
    id === undefined ? undefined : (await model.embeddingTable()).slice(id * model.hidden, (id + 1) * model.hidden);
  const start = embeddings.slice();
  for (const { text: word, start: at } of words) {
    for (const token of tokensWithin(tokens, at, at + word.length)) {
      if (row) start.set(row, token * model.hidden);
      else start.fill(0, token * model.hidden, (token + 1) * model.hidden);
    }
  }
  const difference = embeddings.map((value, k) => value - must(start[k]));
  const point = (share: number): Float32Array => start.map((value, k) => value + share * must(difference[k]));

  const values = new Map<number, number>();
  const askValues = async (shares: readonly number[]): Promise<void> => {
    const unknown = [...new Set(shares)].filter((share) => !values.has(share));
    const rows = await model.classifyEmbeddings(unknown.map(point), tokens);
    unknown.forEach((share, at) => void values.set(share, valueFrom(must(rows[at]), label, scale)));
  };
  const integrate = async (from: number, to: number): Promise<PathSegment> => {
    const sums = new Float64Array(tokens.length);
    const found = await Promise.all(
      RULE.nodes.map((node) => model.gradientAt(point(from + node * (to - from)), tokens, label)),
    );
    found.forEach((at, i) => {
      const part = perToken(at, difference, slope(at, options) * must(RULE.weights[i]) * (to - from));
      part.forEach((value, token) => {
        sums[token]! += value;
      });
    });
    const integral = sums.reduce((total, value) => total + value, 0);
    const gained = must(values.get(to)) - must(values.get(from));
    return { from, to, sums, error: Math.abs(integral - gained) };
  };

  await askValues([0, 1]);
  const whole = must(values.get(1)) - must(values.get(0));
  let path = [await integrate(0, 1)];
  let taken = RULE.nodes.length;
  while (taken + 2 * RULE.nodes.length <= steps) {
    const error = path.reduce((sum, stretch) => sum + stretch.error, 0);
    if (error <= MAX_INTEGRAL_ERROR * Math.abs(whole)) break;
    const worst = path.reduce((a, b) => (b.error > a.error ? b : a));
    const middle = (worst.from + worst.to) / 2;
    await askValues([middle]);
    const halves = await Promise.all([integrate(worst.from, middle), integrate(middle, worst.to)]);
    path = [...path.filter((stretch) => stretch !== worst), ...halves];
    taken += 2 * RULE.nodes.length;
  }
  const sums = new Float64Array(tokens.length);
  for (const stretch of path) {
    stretch.sums.forEach((value, token) => {
      sums[token]! += value;
    });
  }
  const { weights, rest } = sumTokens(sums, tokens, words);
  const total = weights.reduce((sum, { weight }) => sum + weight, rest);
  return {
    weights,
    check: {
      baseline: row && standIn ? standIn.text : 'zero vector',
      steps: taken,
      baseValue: must(values.get(0)),
      value: must(values.get(1)),
      completenessError: Math.abs(total - whole) / Math.max(Math.abs(whole), 1e-12),
    },
  };
}

/** The gradient at the text times the embeddings: the first-order change of the value if a word's embeddings were zero. */
export async function gradientTimesInput(
  model: WhiteBox,
  text: string,
  words: readonly WordSpan[],
  options: Pick<GradientOptions, 'label' | 'scale'>,
): Promise<WeightedWords> {
  const full = { ...options, token: undefined, steps: 1 };
  const at = await model.gradient(text, options.label);
  const { weights, rest } = sumTokens(perToken(at, at.embeddings, slope(at, full)), at.tokens, words);
  return { weights, check: { value: valueFrom(at.probabilities, options.label, options.scale), rest } };
}
