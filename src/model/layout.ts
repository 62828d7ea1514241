/** @file Where the parts of a model lie: in a folder, or in a repository that could become one. */

/** What the loader reads beside the model file and what the manifest names. */
export const COMPANIONS = ['robust.json', 'config.json', 'tokenizer.json', 'tokenizer_config.json'];

/** What a tokenizer may be saved as, whole or in parts. */
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
];

/**
 * The folder of the companions: '' for the model's own, else 'onnx/', where some exports on the Hub keep the tokenizer
 * beside the model. `has` says whether a file lies there.
 */
export function homeOf(has: (name: string) => boolean): '' | 'onnx/' {
  const isHome = (folder: string) => has(`${folder}robust.json`) || has(`${folder}tokenizer.json`);
  return !isHome('') && isHome('onnx/') ? 'onnx/' : '';
}
