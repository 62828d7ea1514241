/** @file Keys of config.json that change nothing that a graph computes: of training, of generation, of files, or said by another key. */

const KINDS = [
  /(dropout|dropout_prob|dropout_rate|_pdrop|layerdrop)$/,
  /^(bos|cls|decoder_start|eod|eos|forced_bos|forced_eos|mask|sep|unk)_(token_)?id$/,
  /^(_|initializer_|summary_|use_mems_|start_n_top|end_n_top)/,
  /^(auto_map|attn_implementation|finetuning_task|task_specific_params|torch_dtype|dtype|transformers_version)$/,
  /^(language|model_max_length|name|output_past|prefix|sentence_transformers|setfit|tokenizer_class)$/,
  /^(output_attentions|output_hidden_states|return_dict|torchscript|use_bfloat16|use_cache|tf_legacy_loss)$/,
  /^(bad_words_ids|diversity_penalty|do_sample|early_stopping|exponential_decay_length_penalty|length_penalty)$/,
  /^(encoder_no_repeat_ngram_size|max_length|min_length|no_repeat_ngram_size|num_beam_groups|num_beams)$/,
  /^(num_return_sequences|output_scores|remove_invalid_values|repetition_penalty|return_dict_in_generate)$/,
  /^(begin_suppress_tokens|suppress_tokens|temperature|top_k|top_p|typical_p)$/,
];

/** Others, some of families that keep them and do not read them. */
const KEYS: ReadonlySet<string> = new Set(
  `
  adapters chunk_size_feed_forward gradient_checkpointing init_std label2id label_smoothing loss onnx_export
  problem_type reorder_and_upcast_attn repad_logits_with_grad deterministic_flash_attn reference_compile
  slow_but_exact sparse_pred_ignore_index sparse_prediction tie_encoder_decoder tie_word_embeddings is_decoder
  is_encoder_decoder pad_token_id pretraining_tp directionality pooler_fc_size pooler_num_attention_heads
  pooler_num_fc_layers pooler_size_per_head pooler_type pooler_hidden_act pooler_hidden_size block_size
  classifier_activation dense_act_fn entity_emb_size entity_vocab_size is_gated_act intra_bottleneck_size
  key_query_shared_bottleneck legacy mem_len num_random_blocks reuse_len same_length scale_decoder_outputs
  sinusoidal_pos_embds task_type_vocab_size true_hidden_size n_ctx output_embedding_size untie_r
  num_hidden_layers max_position_embeddings type_vocab_size
`.split(/\s+/),
);

/** Whether a key that no family's drawing asked for leaves the graph as it is. */
export const isHarmless = (key: string): boolean => KEYS.has(key) || KINDS.some((kind) => kind.test(key));
