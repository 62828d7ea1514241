/** @file Attention weights, and what a model must offer for them. */
import type { Token } from './classifier.js';

/** Attention weights of one text. */
export interface Attention {
  readonly tokens: readonly Token[];
  readonly layers: number;
  readonly heads: number;
  /** Row-major [layers, heads, to, from], to and from over the tokens; each row over `from` sums to 1. */
  readonly weights: Float32Array;
}

/** A model that exposes its attention weights. */
export interface AttentionSource {
  attention(text: string): Promise<Attention>;
}
