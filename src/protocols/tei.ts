/**
 * @file text-embeddings-inference of Hugging Face (docs/openapi.json, router/src/http/server.rs). Its answers are sorted by score, and without
 * raw_scores they are a softmax even of models with several labels. `["a", "b"]` is one pair, so each text is a list of its own.
 */

import { z } from 'zod';
import { defined } from '../core/defined.js';
import { checkRows, jsonOf, unsuitable } from './client.js';
import { excerpt, isObject } from './json.js';
import { LabelNames, labelledScores } from './labelled.js';
import { protocol } from './protocol.js';
import { pairAt, Refusal, textAt } from './server.js';

/** Texts a request, if the server does not state a limit. */
const BATCH = 32;

/** The reference's error type for a status. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  429: 'overloaded',
  503: 'unhealthy',
  500: 'backend',
  422: 'tokenizer',
};

export const tei = protocol({
  name: 'tei',
  client: {
    settings: {
      /** Cut texts that are too long. */
      truncate: z.boolean().optional(),
    },
    async connect({ settings, labels, get, redact, ...endpoint }) {
      const url = endpoint.url.replace(/\/predict$/, '');
      const info = await get(`${url}/info`);
      const type = isObject(info) ? info.model_type : undefined;
      const classifier = isObject(type) ? (type.classifier ?? type.Classifier) : undefined;
      if (!isObject(info) || !isObject(classifier)) {
        const kind = isObject(type) ? Object.keys(type).join(', ') : String(type);
        throw unsuitable(
          `${redact(url)}: expected a classifier, got ${kind}`,
          'Serve a model for text classification.',
          'ENDPOINT_NOT_A_CLASSIFIER',
        );
      }
      const names = new LabelNames(labels ?? labelsById(classifier.id2label));
      const { max_client_batch_size: most, max_input_length: longest, model_id: model, model_sha: sha } = info;
      return {
        labels: () => names.labels,
        scores: () => 'logits',
        batch: Math.min(settings.batch ?? BATCH, typeof most === 'number' && most > 0 ? most : BATCH),
        pairs: true,
        maximumTokens: typeof longest === 'number' ? longest : undefined,
        announced: info.robust,
        facts: {
          ...(typeof model === 'string' && { model }),
          ...(typeof sha === 'string' && { version: sha }),
        },
        request: (questions) => ({
          url: `${url}/predict`,
          body: JSON.stringify({
            inputs: questions,
            raw_scores: true,
            ...defined({ truncate: settings.truncate }),
          }),
        }),
        rows: (answer, { length }) => checkRows(names.ofLists(jsonOf(answer), length), length),
      };
    },
  },
  server: {
    carries: ['pairs', 'label-sets', 'numbers'],
    announces: 'all',
    path: () => '',
    error: ({ status, message }) => ({ error: message, error_type: ERROR_TYPES[status] ?? 'validation' }),
    routes: ({ model: { name, sha256, labels, maximumTokens, announced }, maxBatch, toolVersion }) => [
      {
        method: 'GET',
        path: /^\/info$/,
        answer: () => ({
          model_id: name,
          model_sha: sha256,
          model_dtype: 'float32',
          model_type: {
            classifier: {
              id2label: { ...labels },
              label2id: Object.fromEntries(labels.map((label, index) => [label, index])),
            },
          },
          ...(Number.isFinite(maximumTokens) && { max_input_length: maximumTokens }),
          max_client_batch_size: maxBatch,
          auto_truncate: true,
          version: toolVersion,
          robust: announced,
        }),
      },
      {
        method: 'POST',
        path: /^\/predict$/,
        answer: async ({ json, ask }) => {
          const { inputs, raw_scores: raw = false } = json();
          if (typeof raw !== 'boolean')
            throw new Refusal(422, `raw_scores: expected true or false, got ${excerpt(raw)}`);
          // A text or a pair gets an answer alone; a batch is a list of lists.
          const batch = Array.isArray(inputs) && inputs.every(Array.isArray);
          const texts = batch ? inputs.map((each, at) => inputAt(each, `inputs[${at}]`)) : [inputAt(inputs, 'inputs')];
          const rows = (await ask(texts, raw ? 'logits' : 'probabilities')).map((row) => labelledScores(row, labels));
          return batch ? rows : (rows[0] as object);
        },
      },
    ],
  },
});

function labelsById(id2label: unknown): string[] | undefined {
  if (!isObject(id2label)) return undefined;
  return Object.entries(id2label)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, label]) => String(label));
}

/** A text, [text], or [text, text] for a pair. */
function inputAt(input: unknown, where: string): string {
  if (!Array.isArray(input)) return textAt(input, where);
  if (input.length === 2) return pairAt(input[0], input[1], where);
  if (input.length === 1) return textAt(input[0], where);
  throw new Refusal(422, `${where}: expected one text or a pair, got ${excerpt(input)}`);
}
