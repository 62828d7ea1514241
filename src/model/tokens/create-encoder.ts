/** @file The encoder of a model, by the kind of input that its description names. */
import { ModelError } from '../../core/errors.js';
import type { Description } from '../opening/describe.js';
import type { Encoder } from './encoder.js';
import { featureEncoder } from './features.js';
import { promptedEncoder } from './prompted.js';
import { stringEncoder } from './string-input.js';
import { tokenizerEncoder } from './tokenizer.js';
import { wordIndexEncoder } from './word-index.js';

/** Most tokens of a text where neither config nor graph sets a limit, so that one endless line cannot exhaust the memory. */
const DEFAULT_MAX_TOKENS = 2048;

/** `fixedLength`: ids per text, where the graph fixes it. Throws ModelError where tokenizer or vocabulary cannot be used. */
export async function createEncoder(model: Description, fixedLength?: number): Promise<Encoder> {
  const { folder, input, padId, specialIds = {} } = model;
  const maximum = Math.min(model.maximum ?? DEFAULT_MAX_TOKENS, fixedLength ?? DEFAULT_MAX_TOKENS);
  switch (input.kind) {
    case 'tokenizer':
      if (model.prompt !== undefined) {
        const limits = { maximum: Number.POSITIVE_INFINITY, padId, specialIds, length: undefined };
        return promptedEncoder(await tokenizerEncoder(folder, limits), model.prompt, maximum, model.name);
      }
      return tokenizerEncoder(folder, { maximum, padId, specialIds, length: fixedLength });
    case 'word-index':
      if (fixedLength !== undefined && input.length !== null && input.length !== fixedLength)
        throw new ModelError(
          `${folder}: input.length: the graph takes ${fixedLength} ids, the manifest says ${input.length}`,
          { code: 'MANIFEST_INVALID', hint: `Say "length": ${fixedLength} in robust.json.` },
        );
      return wordIndexEncoder(folder, { ...input, length: input.length ?? fixedLength ?? null }, maximum);
    case 'counts':
    case 'tfidf':
    case 'hashing':
      return featureEncoder(folder, input);
    case 'string':
      return stringEncoder();
  }
}
