/** @file The tokenizer of a model's folder: its tokenizer.json, or what its vocabulary files would say as one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../../../../packages/onnx/src/convert/families/index.js';
import { ModelError, messageOf, must, RobustError } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import { readFile } from '../../../files/read.js';
import { readJsonObject } from '../../opening/json-file.js';
import { tokenizerFiles } from '../../opening/layout.js';
import { asItsClass, classOf, givesTypes } from './tokenizer-class.js';
import {
  mergedDefinition,
  sentencePieceDefinition,
  type VocabularyConfig,
  wordPieceDefinition,
} from './vocabulary-files.js';

export interface TokenizerSource {
  /** Content of tokenizer.json. */
  readonly definition: JsonObject;
  /** tokenizer_config.json. */
  readonly config: JsonObject;
  /** Whether it gives token types. */
  readonly typed: boolean;
  /** The file to blame. */
  readonly path: string;
}

/** Throws ModelError (TOKENIZER_DAMAGED, MODEL_DAMAGED). */
export async function readTokenizer(folder: string): Promise<TokenizerSource> {
  const optional = async (name: string) =>
    existsSync(join(folder, name)) ? await readJsonObject(join(folder, name)) : {};
  const config = await optional('tokenizer_config.json');
  const files = tokenizerFiles((name) => existsSync(join(folder, name)));
  const [name] = files;
  if (name === undefined) throw noTokenizer(folder);
  const path = join(folder, name);
  const typed = givesTypes(config);
  const source = { config, typed, path };
  if (name === 'tokenizer.json') {
    const definition = await readJsonObject(path);
    return { ...source, definition: guarded(path, folder, () => asItsClass(definition, config)) };
  }
  const [model, special, added] = await Promise.all(
    ['config.json', 'special_tokens_map.json', 'added_tokens.json'].map(optional),
  );
  const given: VocabularyConfig = {
    family: familyOf(must(model), config),
    config: { ...special, ...config },
    added: added as Readonly<Record<string, number>>,
  };
  return { ...source, definition: await guarded(path, folder, () => definitionOf(folder, files, given)) };
}

/** What reads files blames them. Throws ModelError. */
function guarded<T>(path: string, folder: string, read: () => T): T {
  const blamed = (cause: unknown): Error => {
    if (cause instanceof RobustError && cause.code !== 'MODEL_DAMAGED') return cause;
    const what = cause instanceof RobustError ? 'the file breaks off or is damaged' : messageOf(cause);
    return new ModelError(`${path}: not a tokenizer that can be used: ${what}`, {
      code: 'TOKENIZER_DAMAGED',
      hint: /in Python/.test(what)
        ? 'Serve the model where its own code runs, and name the address: robust help attack.'
        : `Write its tokenizer.json: python -c "from transformers import AutoTokenizer as T; T.from_pretrained('${folder}').save_pretrained('${folder}')".`,
      cause,
    });
  };
  try {
    const made = read();
    return made instanceof Promise ? (made.catch((cause) => Promise.reject(blamed(cause))) as T) : made;
  } catch (cause) {
    throw blamed(cause);
  }
}

export const noTokenizer = (folder: string): ModelError =>
  new ModelError(`${folder}: expected tokenizer.json beside the model, found none`, {
    code: 'TOKENIZER_DAMAGED',
    hint: 'Save the tokenizer with the model. For a graph that takes the text itself, as scikit-learn exports it, write a robust.json beside it: { "model": "NAME.onnx", "labels": [...], "input": { "kind": "string" } }. Other kinds: word-index, counts, tfidf, hashing.',
  });

async function definitionOf(folder: string, files: readonly string[], given: VocabularyConfig): Promise<JsonObject> {
  const name = must(files[0]);
  if (name === 'vocab.txt') return wordPieceDefinition(await readFile(join(folder, name), 'utf8'), given);
  if (name !== 'vocab.json') return sentencePieceDefinition(await readFile(join(folder, name)), given);
  const vocab = await readJsonObject(join(folder, name));
  return mergedDefinition(vocab, await readFile(join(folder, 'merges.txt'), 'utf8'), given);
}

/** "bert" of {"tokenizer_class": "BertTokenizerFast"}, else of {"model_type": "bert"}: models have tokenizers of other families. */
function familyOf(model: JsonObject, config: JsonObject): string {
  const named = classOf(config).toLowerCase();
  const types = families.flatMap((family) => family.types);
  return types.find((type) => type.replaceAll('-', '') === named) ?? (named || String(model.model_type ?? ''));
}
