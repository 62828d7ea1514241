/** @file Scaled dot-product attention (Vaswani et al. 2017) over heads, and what is added to its scores. */
import { DataType } from '../../graph/data-type.js';
import { branchPlaces } from '../answers.js';
import type { Drawing } from '../drawing.js';

/** The lowest single-precision number: its exponential is 0 beside any score, so that padding changes nothing. */
export const LOWEST = -3.4028234663852886e38;

export interface Heads {
  readonly heads: number;
  /** Width of a head. */
  readonly size: number;
}

export interface AttentionInputs extends Heads {
  /** [batch, sequence, heads * size] each. */
  readonly query: string;
  readonly key: string;
  readonly value: string;
  /** Added to the scaled scores, [batch, 1 or heads, 1 or sequence, sequence]. */
  readonly bias?: string;
  /** Divisor of the scores. @default the square root of a head's width */
  readonly divisor?: number;
  /** More terms of the scores, before they are scaled: [batch, heads, sequence, sequence], from queries and keys [batch, heads, sequence, size]. */
  readonly terms?: (query: string, key: string) => readonly string[];
  /** They are added to the scaled scores instead. */
  readonly unscaledTerms?: boolean;
  /** Transformation of queries and keys, [batch, heads, sequence, size], before their product. */
  readonly turned?: (x: string) => string;
}

/** [batch, sequence, heads * size] -> [batch, heads, sequence, size]. */
export function splitHeads(
  { g }: Drawing,
  x: string,
  { heads, size }: Heads,
  perm: readonly number[] = [0, 2, 1, 3],
): string {
  return g.transpose(g.reshape(x, [0, 0, heads, size]), perm);
}

/** [batch, heads, sequence, size] -> [batch, sequence, heads * size]. */
export function joinHeads({ g }: Drawing, x: string, { heads, size }: Heads): string {
  const turned = g.transpose(x, [0, 2, 1, 3]);
  return g.reshape(turned, [0, 0, heads * size]);
}

/** Attention output of each token, [batch, sequence, heads * size]. */
export function attend(d: Drawing, inputs: AttentionInputs): string {
  const { g } = d;
  const { query, key, value, bias, terms = () => [], turned = (x) => x, size } = inputs;
  const q = turned(splitHeads(d, query, inputs));
  const divisor = inputs.divisor ?? Math.sqrt(size);
  const scale = (x: string) => (divisor === 1 ? x : g.div(x, g.float(divisor)));
  const sum = (x: string, more: readonly string[]) => more.reduce((all, term) => g.add(all, term), x);
  let scores: string;
  if (inputs.terms === undefined && inputs.turned === undefined) {
    scores = scale(g.matmul(q, splitHeads(d, key, inputs, [0, 2, 3, 1])));
  } else {
    const k = turned(splitHeads(d, key, inputs));
    const content = g.matmul(q, g.transpose(k, [0, 1, 3, 2]));
    const added = terms(q, k);
    scores = inputs.unscaledTerms ? sum(scale(content), added) : scale(sum(content, added));
  }
  return mix(d, scores, bias, splitHeads(d, value, inputs), inputs);
}

/** Values [batch, heads, sequence, size] weighed by scores, as [batch, sequence, heads * size]. */
export function mix(d: Drawing, scores: string, bias: string | undefined, value: string, heads: Heads): string {
  const { g } = d;
  const biased = bias === undefined ? scores : g.add(scores, bias);
  const weights = g.softmax(biased); // [batch, heads, sequence, sequence]
  return joinHeads(d, g.matmul(weights, value), heads);
}

/** 0 for tokens and the lowest number for padding, [batch, 1, 1, sequence]. */
export function paddingBias(d: Drawing): string {
  return d.once('padding bias', () => {
    const { g } = d;
    const mask = g.cast(d.mask, DataType.float);
    const bias = g.mul(g.sub(g.float(1), mask), g.float(LOWEST));
    return g.unsqueeze(bias, [1, 2]);
  });
}

/** 0 for the tokens up to and with each, the lowest number for those behind it and for padding, [batch, 1, sequence, sequence]. */
export function causalBias(d: Drawing, padding = true): string {
  return d.once(`causal bias ${padding}`, () => {
    const { g } = d;
    const at = places(d);
    const rows = g.unsqueeze(at, [1]); // [sequence, 1]
    const earlier = g.op('LessOrEqual', [at, rows]); // [sequence, sequence]
    const allowed = padding ? g.op('And', [present(d), earlier]) : earlier;
    return g.where(allowed, g.float(0), g.float(LOWEST));
  });
}

/** Whether a token is no padding, [batch, 1, 1, sequence]. */
export function present(d: Drawing): string {
  return d.once('present', () => d.g.unsqueeze(d.g.cast(d.mask, DataType.bool), [1, 2]));
}

/** 0, 1, ..., one a token, [sequence]; they go on behind earlier tokens. */
export function places(d: Drawing): string {
  const { g, past } = d;
  const all = allPlaces(d);
  return past === undefined ? all : d.once('places', () => g.op('Slice', [all, past.length, g.shape(all)]));
}

/** 0, 1, ..., one a token, earlier ones included, [all]. Tokens of each answer go on behind the text. */
export const allPlaces = (d: Drawing): string => d.once('all places', () => branchPlaces(d, textPlaces(d), end(d)));

/** 0, 1, ..., one a token of the text, earlier ones included. */
export const textPlaces = (d: Drawing): string =>
  d.once('text places', () => d.g.op('Range', [d.g.int(0), end(d), d.g.int(1)]));

/** The number of tokens of the text, earlier ones included, []. */
export function end(d: Drawing): string {
  const { g, past, length } = d;
  return d.once('end', () => g.op('Squeeze', [past === undefined ? length : g.add(past.length, length)]));
}
