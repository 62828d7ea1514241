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
  const { key, value } = d.past?.extend(layer, inputs.key, inputs.value) ?? inputs;
  // Heads that share keys are rows of one product.
  const query = shared ? g.reshape(inputs.query, [0, groups, -1, size]) : inputs.query;
  const content = g.matmul(query, g.transpose(key, [0, 1, 3, 2]));
  const scaled = g.div(content, g.float(inputs.divisor ?? Math.sqrt(size)));
  const capped = cap === undefined ? scaled : softCap(d, scaled, cap);
  const apart = shared ? g.reshape(capped, [0, heads, -1, 0]) : capped;
  const biased = bias === undefined ? apart : g.add(apart, bias);
  const weights = g.softmax(g.add(biased, sightBias(d, inputs.sight)));
  if (!shared) return joinHeads(d, g.matmul(weights, value), inputs);
  const mixed = g.matmul(g.reshape(weights, [0, groups, -1, 0]), value);
  return joinHeads(d, g.reshape(mixed, [0, heads, -1, size]), inputs);
}

/** cap tanh(x / cap). */
export function softCap({ g }: Drawing, x: string, cap: number): string {
  return g.mul(g.op('Tanh', [g.div(x, g.float(cap))]), g.float(cap));
}

/** Whether a token is one of the text, or of the same answer, [all, all]. */
function ownBranch(d: Drawing): string {
  const { g } = d;
  const branch = branchOf(d, textPlaces(d));
  const same = g.op('Equal', [branch, g.unsqueeze(branch, [1])]);
  return g.op('Or', [same, g.op('Equal', [branch, g.int(-1)])]);
}

/** 0 for the tokens that each one sees, the lowest number for others and for padding, [batch or 1, 1, sequence, all]. */
function sightBias(d: Drawing, { window, both = false }: Sight = {}): string {
  return d.once(`sight ${window} ${both}`, () => {
    const { g } = d;
    const keys = allPlaces(d);
    const queries = g.unsqueeze(places(d), [1]);
    const limits: string[] = [];
    if (!both) limits.push(g.op('LessOrEqual', [keys, queries]));
    if (window !== undefined) limits.push(g.op('Less', [g.sub(queries, keys), g.int(window)]));
    if (window !== undefined && both) limits.push(g.op('Less', [g.sub(keys, queries), g.int(window)]));
    if (d.padded) limits.push(present(d));
    if (d.branches !== undefined) limits.push(ownBranch(d));
    const seen = limits.reduce((all, limit) => g.op('And', [all, limit]));
    return g.where(seen, g.float(0), g.float(LOWEST));
  });
}
