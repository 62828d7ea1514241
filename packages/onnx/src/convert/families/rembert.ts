/** @file RemBERT (Chung et al., ICLR 2021): narrow embeddings at the input, and wide ones of their own at the output. */
import { bertHead, maskedHead } from '../blocks/heads.js';
import { type Family, usualSizes } from '../family.js';
import { BERT_DEFAULTS, bertLike, classifyPooled, sizes } from './bert.js';

export const rembert: Family = {
  ...bertLike({
    types: ['rembert'],
    prefix: 'rembert',
    defaults: {
      ...BERT_DEFAULTS,
      ...usualSizes(250300, 1152, 4608, 32, 18),
      input_embedding_size: 256,
      output_embedding_size: 1664,
      tie_word_embeddings: false,
    },
    embedding: 'input_embedding_size',
    mapping: 'encoder.embedding_hidden_mapping_in',
    head: classifyPooled,
  }),
  masked(d, hidden) {
    // The widths of the two tables differ.
    d.config.only('tie_word_embeddings', false);
    const parts = {
      ...bertHead(d, 'rembert'),
      dense: 'cls.predictions.dense',
      norm: 'cls.predictions.LayerNorm',
      bias: 'cls.predictions.decoder.bias',
    };
    return maskedHead(d, hidden, parts, { ...sizes(d), embedding: d.config.size('output_embedding_size') });
  },
};
