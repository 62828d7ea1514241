/**
 * @file LUKE and mLUKE (Yamada et al., EMNLP 2020; Ri et al., ACL 2022) as classifiers of texts: RoBERTa with BERT's pooler. Entities are
 * a separate input, which is empty for plain texts.
 */
import type { Drawing } from '../drawing.js';
import { bertLike, classifyPooled, ROBERTA, selfAttention, sizes } from './bert.js';

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

export const luke = bertLike({
  ...ROBERTA,
  types: ['luke'],
  tokenizer: 'roberta',
  prefix: 'luke',
  defaults: { ...ROBERTA.defaults, vocab_size: 50267, use_entity_aware_attention: true },
  unused: ['luke.pooler', 'luke.entity_embeddings', 'entity_predictions'],
  check: (d) => d.config.only('position_embedding_type', 'absolute'),
  attention,
  head: classifyPooled,
});
