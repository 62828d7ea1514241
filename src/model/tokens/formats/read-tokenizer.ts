/** @file The tokenizer of a model's folder: its tokenizer.json, or what its vocabulary files would say as one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../../../convert/families/index.js';
import { ModelError, messageOf, RobustError } from '../../../core/errors.js';
import type { JsonObject } from '../../../core/json.js';
import { readFile } from '../../../files/read.js';
import { readJsonObject } from '../../opening/json-file.js';
import { tokenizerFiles } from '../../opening/layout.js';
import {
  byteLevelDefinition,
  sentencePieceDefinition,
  type VocabularyConfig,
  wordPieceDefinition,
} from './vocabulary-files.js';

export interface TokenizerSource {
  /** Content of tokenizer.json. */
  readonly definition: JsonObject;
  /** tokenizer_config.json. */
  readonly config: JsonObject;
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
  if (name === 'tokenizer.json') return { definition: await readJsonObject(path), config, path };
  const [model, special, added] = await Promise.all(
    ['config.json', 'special_tokens_map.json', 'added_tokens.json'].map(optional),
  );
  const given: VocabularyConfig = {
    family: familyOf(model!, config),
    config: { ...special, ...config },
    added: added as Readonly<Record<string, number>>,
  };
  try {
    return { definition: await definitionOf(folder, files, given), config, path };
  } catch (cause) {
    if (cause instanceof RobustError && cause.code !== 'MODEL_DAMAGED') throw cause;
    const what = cause instanceof RobustError ? 'the file breaks off or is damaged' : messageOf(cause);
    throw new ModelError(`${path}: not a tokenizer that can be used: ${what}`, {
      code: 'TOKENIZER_DAMAGED',
      hint: 'Save the tokenizer with a tokenizer.json: AutoTokenizer.from_pretrained(NAME).save_pretrained(FOLDER).',
      cause,
    });
  }
}

export const noTokenizer = (folder: string): ModelError =>
  new ModelError(`${folder}: expected tokenizer.json beside the model, found none`, {
    code: 'TOKENIZER_DAMAGED',
    hint: 'Save the tokenizer with the model. For a graph that takes the text itself, as scikit-learn exports it, write a robust.json beside it: { "model": "NAME.onnx", "labels": [...], "input": { "kind": "string" } }. Other kinds: word-index, counts, tfidf, hashing.',
  });

async function definitionOf(folder: string, files: readonly string[], given: VocabularyConfig): Promise<JsonObject> {
  const name = files[0]!;
  if (name === 'vocab.txt') return wordPieceDefinition(await readFile(join(folder, name), 'utf8'), given);
  if (name !== 'vocab.json') return sentencePieceDefinition(await readFile(join(folder, name)), given);
  const vocab = await readJsonObject(join(folder, name));
  return byteLevelDefinition(vocab, await readFile(join(folder, 'merges.txt'), 'utf8'), given);
}

/** "bert" of {"model_type": "bert"}, or of {"tokenizer_class": "BertTokenizerFast"}. */
function familyOf(model: JsonObject, config: JsonObject): string {
  if (typeof model.model_type === 'string') return model.model_type;
  const named = String(config.tokenizer_class ?? '')
    .replace(/Tokenizer(Fast)?$/, '')
    .toLowerCase();
  const types = families.flatMap((family) => family.types);
  return types.find((type) => type.replaceAll('-', '') === named) ?? named;
}
