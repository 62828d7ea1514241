/**
 * @file LUKE and mLUKE (Yamada et al., EMNLP 2020; Ri et al., ACL 2022) as classifiers of texts: RoBERTa with BERT's pooler. Entities are
 * a separate input, which is empty for plain texts.
 */
import { maskedHead, robertaHead } from '../blocks/heads.js';
import type { Drawing } from '../drawing.js';
import type { Family } from '../family.js';
import { BERT_DEFAULTS, classifyPooled, encodeWith, maskedSizes, selfAttention, sizes } from './bert.js';

const KIND = {
  types: ['luke'],
  tokenizer: 'roberta',
  prefix: 'luke',
  defaults: { ...BERT_DEFAULTS, vocab_size: 50267, pad_token_id: 1, use_entity_aware_attention: true },
  counted: true,
  typed: false,
} as const;

/** The queries between words and entities are checked, and not used. */
function attention(d: Drawing, x: string, name: string): string {
  const { width } = sizes(d);
  if (d.config.flag('use_entity_aware_attention')) {
    for (const role of ['w2e_query', 'e2w_query', 'e2e_query']) {
      d.weights.take(`${name}.${role}.weight`, [width, width]);
      d.weights.take(`${name}.${role}.bias`, [width]);
    }
  }
  return selfAttention(d, x, name);
}

export const luke: Family = {
  ...KIND,
  unused: ['luke.pooler', 'luke.entity_embeddings', 'entity_predictions'],
  width: (d) => sizes(d).width,
  encode(d) {
    d.config.only('position_embedding_type', 'absolute');
    d.config.only('embedding_size', sizes(d).width);
    return encodeWith(d, KIND, attention);
  },
  classify: (d, hidden, labels) => classifyPooled(d, hidden, labels, 'luke'),
  masked: (d, hidden) => maskedHead(d, hidden, robertaHead(d, 'luke'), maskedSizes(d)),
};
