/** @file Texts that a model cannot read: most of what its tokenizer makes of them is unknown to it. */
import { queryParts } from '../../core/pair.js';
import type { LoadedModel } from '../loaded-model.js';

/** Characters of a text that are looked at: its beginning shows what it is written in. */
const LENGTH = 1000;
/** Share of unknown tokens from which on a text is unreadable. */
const UNKNOWN_SHARE = 0.5;

/** Whether a text, or both texts of a pair, are unreadable; undefined where the model has no vocabulary that could lack a word. */
export function unreadableBy({ onnx }: Pick<LoadedModel, 'onnx'>): ((text: string) => boolean) | undefined {
  const share = onnx?.encoder.unknownShare;
  return share && ((text) => share(queryParts(text).join(' ').slice(0, LENGTH)) >= UNKNOWN_SHARE);
}
