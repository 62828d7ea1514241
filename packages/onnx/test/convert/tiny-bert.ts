/** @file A classifier of a few hundred weights, as a folder that save_pretrained could have written. */
import { config as configOf, vocabulary, wordPiece } from '../../../../test/model/toy-parts.js';
import { byFormula, type Json, type Tensors } from './checkpoints.js';

const WIDTH = 4;
const INNER = 6;

export const tinyConfig: Json = {
  ...configOf(),
  model_type: 'bert',
  architectures: ['BertForSequenceClassification'],
  vocab_size: vocabulary.length,
  hidden_size: WIDTH,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: INNER,
  max_position_embeddings: 16,
  type_vocab_size: 2,
};

const layer = 'bert.encoder.layer.0';
const linear = (name: string, from: number, to: number) => ({ [`${name}.weight`]: [to, from], [`${name}.bias`]: [to] });
const norm = (name: string) => ({ [`${name}.weight`]: [WIDTH], [`${name}.bias`]: [WIDTH] });

const tinyShapes: Readonly<Record<string, readonly number[]>> = {
  'bert.embeddings.word_embeddings.weight': [vocabulary.length, WIDTH],
  'bert.embeddings.position_embeddings.weight': [16, WIDTH],
  'bert.embeddings.token_type_embeddings.weight': [2, WIDTH],
  ...norm('bert.embeddings.LayerNorm'),
  ...linear(`${layer}.attention.self.query`, WIDTH, WIDTH),
  ...linear(`${layer}.attention.self.key`, WIDTH, WIDTH),
  ...linear(`${layer}.attention.self.value`, WIDTH, WIDTH),
  ...linear(`${layer}.attention.output.dense`, WIDTH, WIDTH),
  ...norm(`${layer}.attention.output.LayerNorm`),
  ...linear(`${layer}.intermediate.dense`, WIDTH, INNER),
  ...linear(`${layer}.output.dense`, INNER, WIDTH),
  ...norm(`${layer}.output.LayerNorm`),
  ...linear('bert.pooler.dense', WIDTH, WIDTH),
  ...linear('classifier', WIDTH, 2),
};

export const tinyTensors: Tensors = byFormula(tinyShapes);

/** Its files except the weights. */
export const tinyFiles = {
  'config.json': JSON.stringify(tinyConfig),
  'tokenizer.json': JSON.stringify(wordPiece()),
  'tokenizer_config.json': '{}',
} as const;
