/** @file Which part of a text a model reads, where its tokenizer cuts longer ones. */
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
