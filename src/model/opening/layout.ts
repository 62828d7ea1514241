/** @file Where the parts of a model lie: in a folder, or in a repository that could become one. */
import { PROMPTS_FILE } from '../../../packages/onnx/src/convert/sentence-files.js';

/** Files that the loader reads in addition to the model file, its tokenizer, and files named by the manifest. */
export const COMPANIONS = ['robust.json', 'config.json', 'tokenizer_config.json', PROMPTS_FILE];

/** Files that a tokenizer may consist of, the first that are there. */
const TOKENIZERS = [
  ['tokenizer.json'],
  ['vocab.txt'],
  ['vocab.json', 'merges.txt'],
  ['sentencepiece.bpe.model'],
  ['spiece.model'],
  ['spm.model'],
  ['tokenizer.model'],
] as const;

/** Names of special and added tokens, where there is no tokenizer.json. */
const TOKEN_NAMES = ['special_tokens_map.json', 'added_tokens.json'];

/** The files of the tokenizer, the vocabulary first; empty without a tokenizer. `has` says whether a file lies there. */
export function tokenizerFiles(has: (name: string) => boolean): readonly string[] {
  const found = TOKENIZERS.find((files) => files.every(has));
  if (found === undefined || found[0] === 'tokenizer.json') return found ?? [];
  return [...found, ...TOKEN_NAMES.filter(has)];
}

/** Possible files of a tokenizer, whole or in parts. */
export const TOKENIZER_FILES = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.txt',
  'vocab.json',
  'merges.txt',
  'spiece.model',
  'sentencepiece.bpe.model',
  'spm.model',
  'tokenizer.model',
];

/**
 * The folder of the companions: '' for the model's own, else 'onnx/', where some exports on the Hub keep the tokenizer
 * beside the model. `has` says whether a file lies there.
 */
export function homeOf(has: (name: string) => boolean): '' | 'onnx/' {
  const folders = ['', 'onnx/'] as const;
  const named = folders.find((folder) => has(`${folder}robust.json`) || has(`${folder}tokenizer.json`));
  return named ?? folders.find((folder) => tokenizerFiles((name) => has(folder + name)).length > 0) ?? '';
}
