/** @file How a model's tokenizer reads a text: which part of it, and in which pieces. */
import type { LoadedModel } from '../loaded-model.js';

/**
 * The stretch of a text that holds the tokens which the model is given, in UTF-16 code units; undefined where that is all of it. Undefined
 * too of a model that takes any length, reads windows, or is not ours to see into.
 */
export function readPartOf({ onnx, maximumTokens, output }: Pick<LoadedModel, 'onnx' | 'maximumTokens' | 'output'>) {
  const encoder = onnx?.encoder;
  if (encoder === undefined || !Number.isFinite(maximumTokens) || output?.windows !== undefined) return undefined;
  return (text: string): { readonly start: number; readonly end: number } | undefined => {
    if (!encoder.encode(text).truncated) return undefined;
    const tokens = encoder.tokens(text).filter(({ special }) => !special);
    return { start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? text.length };
  };
}

/** The pieces into which a model's tokenizer cuts a text; undefined of a model without one. */
export function piecesOf({ onnx }: Pick<LoadedModel, 'onnx'>) {
  const encoder = onnx?.encoder;
  if (encoder?.kind !== 'tokenizer') return undefined;
  return (text: string): readonly string[] =>
    encoder.tokens(text).flatMap(({ special, start, end }) => (special ? [] : [text.slice(start, end)]));
}
