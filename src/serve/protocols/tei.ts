/**
 * @file text-embeddings-inference's routes for classifiers. Answers are sorted by score, and `["a", "b"]` is one pair, not two texts.
 * https://huggingface.github.io/text-embeddings-inference
 */
import { Refusal, type ServedProtocol } from '../protocol.js';
import { pairAt, shownValue, textAt } from '../texts.js';
import { labelled } from './labelled.js';

/** What the reference calls each status. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  429: 'overloaded',
  503: 'unhealthy',
  500: 'backend',
  422: 'tokenizer',
};

export const tei: ServedProtocol = {
  name: 'tei',
  carries: ['pairs', 'label-sets', 'numbers'],
  modelAt: (url) => `tei+${url}`,
  error: ({ status, message }) => ({ error: message, error_type: ERROR_TYPES[status] ?? 'validation' }),
  routes: ({ model, maxBatch, toolVersion }) => {
    const { labels, maximumTokens } = model;
    const id2label = { ...labels };
    return [
      {
        method: 'GET',
        path: /^\/info$/,
        answer: () => ({
          model_id: model.name,
          model_sha: model.sha256,
          model_dtype: 'float32',
          model_type: {
            classifier: { id2label, label2id: Object.fromEntries(labels.map((label, index) => [label, index])) },
          },
          ...(Number.isFinite(maximumTokens) && { max_input_length: maximumTokens }),
          max_client_batch_size: maxBatch,
          auto_truncate: true,
          version: toolVersion,
          robust: model.announced,
        }),
      },
      {
        method: 'POST',
        path: /^\/predict$/,
        answer: async ({ json, ask }) => {
          const { inputs, raw_scores: raw = false } = json();
          if (typeof raw !== 'boolean')
            throw new Refusal(422, `raw_scores: expected true or false, got ${shownValue(raw)}`);
          // A text, or a pair, is answered alone; a batch is a list of lists.
          const batch = Array.isArray(inputs) && inputs.every(Array.isArray);
          const texts = batch ? inputs.map((each, at) => asked(each, `inputs[${at}]`)) : [asked(inputs, 'inputs')];
          const rows = (await ask(texts, raw ? 'logits' : 'probabilities')).map((row) => labelled(row, labels));
          return batch ? rows : (rows[0] as object);
        },
      },
    ];
  },
};

/** A text, [text], or [text, text] for a pair. */
function asked(input: unknown, where: string): string {
  if (!Array.isArray(input)) return textAt(input, where);
  if (input.length === 2) return pairAt(input[0], input[1], where);
  if (input.length === 1) return textAt(input[0], where);
  throw new Refusal(422, `${where}: expected one text or a pair, got ${shownValue(input)}`);
}
