/** @file Measures how far the weights of one text can be trusted. */

import { random } from '../core/random.js';
import type { Attribution, Faithfulness, Trust } from '../results/report/explanation.js';
import { type Coalition, type CoalitionGame, emptyCoalition, fullCoalition } from './game.js';
import type { MaskedText } from './masked-text.js';
import { type ExplainedText, type ExplanationMethod, type ExplanationOptions, explainWords } from './methods.js';
import { spearman } from './rank-correlation.js';
import type { WeightedWords } from './weighted.js';

/** Additional runs with other samples. */
const REPETITIONS = 3;
/** Random orders that a deletion curve is compared with. */
const RANDOM_ORDERS = 20;
/** Most steps of a curve. */
const MAX_CURVE_STEPS = 24;
/** Strongest words whose overlap is reported. */
const TOP_WORDS = 5;

const weightsOf = ({ words }: Attribution): number[] => words.map(({ weight }) => weight);

export async function trustOf(
  model: ExplainedText,
  masked: MaskedText,
  /** `exact`: the model itself, from which the curves are computed if `game` is an approximation. */
  { game, exact }: { readonly game: CoalitionGame; readonly exact: CoalitionGame },
  methods: readonly Attribution[],
  options: ExplanationOptions,
): Promise<Trust> {
  const curves: Faithfulness[] = [];
  for (const method of methods) curves.push(await faithfulness(exact, method, options.seed, masked.text));
  const sampled = methods.filter(({ words }) => words.some(({ low }) => low !== undefined));
  const repeat = (method: Attribution, repetition: number): Promise<WeightedWords> =>
    explainWords(method.name as ExplanationMethod, model, masked, game, options, repetition);
  const stability = [];
  for (const method of sampled) stability.push(await stabilityOf(method, repeat));
  return {
    faithfulness: curves,
    agreement: methods.flatMap((a, at) =>
      methods.slice(at + 1).map((b) => ({
        methods: [a.name, b.name] as const,
        correlation: spearman(weightsOf(a), weightsOf(b)),
      })),
    ),
    stability,
  };
}

/** Coalitions while words are deleted (or inserted) in an order, and the number of words at each step. */
function along(order: readonly number[]): { steps: number[]; deletion: Coalition[]; insertion: Coalition[] } {
  const n = order.length;
  const count = Math.min(n, MAX_CURVE_STEPS);
  const steps = Array.from({ length: count + 1 }, (_, at) => Math.round((at * n) / count));
  const at = (start: Coalition, value: number) =>
    steps.map((step) => {
      const kept = start.slice();
      for (const word of order.slice(0, step)) kept[word] = value;
      return kept;
    });
  return { steps, deletion: at(fullCoalition(n), 0), insertion: at(emptyCoalition(n), 1) };
}

/** Mean decrease from the first value over the others. */
function areaOver(curve: ArrayLike<number>): number {
  let fall = 0;
  for (let at = 1; at < curve.length; at++) fall += curve[0]! - curve[at]!;
  return fall / (curve.length - 1);
}

async function faithfulness(
  game: CoalitionGame,
  method: Attribution,
  seed: number,
  text: string,
): Promise<Faithfulness> {
  const weights = weightsOf(method);
  const order = weights.map((_, at) => at).sort((a, b) => weights[b]! - weights[a]! || a - b);
  const { steps, deletion, insertion } = along(order);
  const stream = random(seed, 'explain', 'random orders', text);
  const chance = Array.from({ length: RANDOM_ORDERS }, () => along(stream.shuffle(order)).deletion);
  const values = await game.values([...deletion, ...insertion, ...chance.flat()]);
  const curve = (which: number): Float64Array => values.subarray(which * steps.length, (which + 1) * steps.length);
  const random20 = chance.map((_, at) => areaOver(curve(at + 2)));
  return {
    method: method.name,
    steps,
    deletion: Array.from(curve(0)),
    insertion: Array.from(curve(1)),
    aopc: areaOver(curve(0)),
    random: {
      mean: random20.reduce((sum, area) => sum + area, 0) / RANDOM_ORDERS,
      low: Math.min(...random20),
      high: Math.max(...random20),
      orders: RANDOM_ORDERS,
    },
  };
}

const strongest = (weights: readonly number[]): number[] =>
  weights
    .map((_, at) => at)
    .sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!) || a - b)
    .slice(0, TOP_WORDS);

async function stabilityOf(
  method: Attribution,
  repeat: (of: Attribution, repetition: number) => Promise<WeightedWords>,
) {
  const first = weightsOf(method);
  const correlations: (number | null)[] = [];
  let shared = 0;
  for (let repetition = 1; repetition <= REPETITIONS; repetition++) {
    const { weights } = await repeat(method, repetition);
    const others = weights.map(({ weight }) => weight);
    correlations.push(spearman(first, others));
    const top = strongest(others);
    shared += strongest(first).filter((at) => top.includes(at)).length / top.length;
  }
  return {
    method: method.name,
    correlation: mean(correlations),
    sharedTop: shared / REPETITIONS,
    repetitions: REPETITIONS,
  };
}

function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
