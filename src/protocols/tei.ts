/**
 * @file text-embeddings-inference of Hugging Face (docs/openapi.json, router/src/http/server.rs). Its answers are sorted by score, and without
 * raw_scores they are a softmax even of models with several labels. `["a", "b"]` is one pair, so each text is a list of its own.
 */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { checkRows, jsonOf, unsuitable } from './client.js';
import { isObject } from './json.js';
import { LabelNames } from './labelled.js';
import { protocol } from './protocol.js';

/** Texts a request, if the server does not state a limit. */
const BATCH = 32;

export const tei = protocol({
  name: 'tei',
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
        'TASK_MISMATCH',
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
      facts: { ...(typeof model === 'string' && { model }), ...(typeof sha === 'string' && { version: sha }) },
      request: (questions) => ({
        url: `${url}/predict`,
        body: JSON.stringify({ inputs: questions, raw_scores: true, ...defined({ truncate: settings.truncate }) }),
      }),
      rows: (answer, { length }) => checkRows(names.ofLists(jsonOf(answer), length), length),
    };
  },
});

function labelsById(id2label: unknown): string[] | undefined {
  if (!isObject(id2label)) return undefined;
  return Object.entries(id2label)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, label]) => String(label));
}
