/** @file Attention of decoders: each token sees those before it, groups of queries share keys, and some layers see a window only. */
import { branchOf } from '../answers.js';
import type { Drawing } from '../drawing.js';
import { allPlaces, joinHeads, LOWEST, places, present, textPlaces } from './attention.js';

export interface Sight {
  /** Tokens that each one sees, itself included; undefined for all. */
  readonly window?: number | undefined;
  /** Each token also sees later ones. */
  readonly both?: boolean;
}

export interface CausalInputs {
  readonly layer: number;
  /** [batch, heads, sequence, size]. */
  readonly query: string;
  /** [batch, groups, sequence, size] each: that many heads of queries share each of them. */
  readonly key: string;
  readonly value: string;
  readonly heads: number;
  readonly groups: number;
  readonly size: number;
  readonly sight?: Sight;
  /** Divisor of the scores. @default the square root of a head's width */
  readonly divisor?: number;
  /** The scaled scores are bent to stay between minus and plus this (Gemma 2). */
  readonly cap?: number | undefined;
  /** Added to the scores, [batch or 1, heads, 1, all]. */
  readonly bias?: string;
}

/** Attention output of each token, [batch, sequence, heads * size]. */
export function attendCausally(d: Drawing, inputs: CausalInputs): string {
  const { g } = d;
  const { layer, heads, groups, size, cap, bias } = inputs;
  const shared = groups !== heads;
  const past = d.past?.extend(layer, inputs.key, inputs.value);
  const { key, value } = past ?? inputs;
  // Heads that share keys are rows of one product.
  const query = shared ? g.reshape(inputs.query, [0, groups, -1, size]) : inputs.query;
  const scores = (keys: string) => g.matmul(query, g.transpose(keys, [0, 1, 3, 2]));
  const prompt = past?.prompt;
  const content = prompt ? g.concat([scores(prompt.key), scores(key)], -1) : scores(key);
  const scaled = g.div(content, g.float(inputs.divisor ?? Math.sqrt(size)));
  const capped = cap === undefined ? scaled : softCap(d, scaled, cap);
  const apart = shared ? g.reshape(capped, [0, heads, -1, 0]) : capped;
  const biased = g.add(bias === undefined ? apart : g.add(apart, bias), sightBias(d, inputs.sight));
  const grouped = (x: string) => (shared ? g.reshape(x, [0, groups, -1, 0]) : x);
  const split = (x: string) => joinHeads(d, shared ? g.reshape(x, [0, heads, -1, size]) : x, inputs);
  if (past === undefined) return split(g.matmul(grouped(g.softmax(biased)), value));
  const { weights, sum } = steadySoftmax(d, biased, inputs.sight);
  const whole = grouped(weights);
  const part = (from: string, to: string) => g.op('Slice', [whole, from, to, g.ints([-1])]);
  const mixed = prompt
    ? g.add(
        g.matmul(part(g.ints([0]), prompt.length), prompt.value),
        g.matmul(part(prompt.length, g.size(weights, 3)), value),
      )
    : g.matmul(whole, value);
  return split(g.div(mixed, grouped(sum)));
}

/**
 * The numerators of softmax and their sum, [batch, heads, sequence, all] and [batch, heads, sequence, 1]. The sum is a product, which
 * adds its terms in their order: zeros of later tokens at its end change no bit.
 */
function steadySoftmax(d: Drawing, scores: string, sight: Sight = {}) {
  const { g } = d;
  const largest = g.reduce('ReduceMax', scores, [-1]);
  const weights = g.where(seen(d, sight), g.exp(g.sub(scores, largest)), g.float(0));
  // A second column, because a product with one column adds in another order.
  const ones = d.once('ones to sum', () =>
    g.expand(g.vector([1, 0]), g.concat([g.shape(allPlaces(d)), g.ints([2])], 0)),
  );
  return { weights, sum: g.sum(g.matmul(weights, ones), [-1]) };
}

/** cap tanh(x / cap). */
export function softCap({ g }: Drawing, x: string, cap: number): string {
  return g.mul(g.op('Tanh', [g.div(x, g.float(cap))]), g.float(cap));
}

/** Whether a token is one of the text, or of the same answer, [all, all]. */
function ownBranch(d: Drawing): string {
  const { g } = d;
  const branch = branchOf(d, textPlaces(d));
  const own = d.past === undefined ? branch : g.op('Slice', [branch, d.past.length, g.shape(branch)]);
  const same = g.op('Equal', [branch, g.unsqueeze(own, [1])]);
  return g.op('Or', [same, g.op('Equal', [branch, g.int(-1)])]);
}

/** Whether each token sees another one, [batch or 1, 1, sequence, all]. */
function seen(d: Drawing, { window, both = false }: Sight): string {
  return d.once(`seen ${window} ${both}`, () => {
    const { g } = d;
    const keys = allPlaces(d);
    const queries = g.unsqueeze(places(d), [1]);
    const limits: string[] = [];
    if (!both) limits.push(g.op('LessOrEqual', [keys, queries]));
    if (window !== undefined) limits.push(g.op('Less', [g.sub(queries, keys), g.int(window)]));
    if (window !== undefined && both) limits.push(g.op('Less', [g.sub(keys, queries), g.int(window)]));
    if (d.padded) limits.push(present(d));
    if (d.branches !== undefined) limits.push(ownBranch(d));
    return limits.reduce((all, limit) => g.op('And', [all, limit]));
  });
}

/** 0 for the tokens that each one sees, the lowest number for others and for padding, [batch or 1, 1, sequence, all]. */
function sightBias(d: Drawing, sight: Sight = {}): string {
  const { g } = d;
  return d.once(`sight ${sight.window} ${sight.both}`, () => g.where(seen(d, sight), g.float(0), g.float(LOWEST)));
}
