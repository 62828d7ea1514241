/**
 * @file BigBird (Zaheer et al., NeurIPS 2020) with full attention. Its sparse attention is that of texts too short for its blocks, for
 * which transformers itself computes the full one.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject } from '../../json.js';
import { readFileSync } from '../../read-file.js';
import { bertHead } from '../blocks/heads.js';
import { parseCheckpointJson } from '../checkpoint/stored-tensor.js';
import type { Drawing } from '../drawing.js';
import { BERT_DEFAULTS, bertLike, classifyFirstByConfig, selfAttention, sizes } from './bert.js';

/** Longer texts are read with sparse attention: room for the global, the neighbouring and twice the random blocks. */
const fullUpTo = ({ config }: Drawing): number =>
  (5 + 2 * config.count('num_random_blocks')) * config.size('block_size');

/** The most tokens of a text: those of the config, or fewer where the tokenizer cuts before. */
function longest(d: Drawing): number {
  const { positions } = sizes(d);
  const path = join(dirname(d.config.path), 'tokenizer_config.json');
  if (!existsSync(path)) return positions;
  const config = parseCheckpointJson(path, readFileSync(path, 'utf8'));
  const limit = isObject(config) ? config.model_max_length : undefined;
  return typeof limit === 'number' && limit >= 1 ? Math.min(limit, positions) : positions;
}

function fullAttention(d: Drawing): void {
  if (d.config.choice('attention_type', ['original_full', 'block_sparse']) === 'original_full') return;
  const limit = fullUpTo(d);
  if (longest(d) <= limit) return;
  throw d.config.refuse(
    'attention_type',
    `original_full, or texts of at most ${limit} tokens (model_max_length in tokenizer_config.json), which transformers reads with full attention`,
  );
}

export const bigBird = bertLike({
  types: ['big_bird'],
  prefix: 'bert',
  defaults: {
    ...BERT_DEFAULTS,
    vocab_size: 50358,
    hidden_act: 'gelu_new',
    max_position_embeddings: 4096,
    attention_type: 'block_sparse',
    block_size: 64,
    num_random_blocks: 3,
    use_bias: true,
    rescale_embeddings: false,
  },
  embedding: 'wide',
  rescaled: true,
  check(d) {
    fullAttention(d);
    d.config.only('position_embedding_type', 'absolute');
  },
  attention: (d, x, name) => selfAttention(d, x, name, { biased: d.config.flag('use_bias') }),
  head: classifyFirstByConfig,
  scores: bertHead,
});
