/**
 * @file Text classification as Hugging Face's inference providers and endpoints serve it
 * (https://huggingface.co/docs/inference-providers/tasks/text-classification); with --task tags token classification.
 */
import { must } from '../core/errors.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { type Adapter, checkRows, type EndpointAccess, jsonOf } from './client.js';
import { LabelNames } from './labelled.js';
import { protocol } from './protocol.js';
import { spanEndpoint } from './spans.js';

const BATCH = 16;
/** More than any text classifier has; answers have as many as there are. */
const ALL_LABELS = 1000;

export const hfInference = protocol({
  name: 'hf-inference',
  service: { url: 'https://router.huggingface.co/hf-inference/models', variable: 'HF_TOKEN', modelInPath: true },
  async connect({ settings, url, labels, ...endpoint }) {
    if (endpoint.tags !== undefined) return tokenClassification({ ...endpoint, url }, labels);
    const names = new LabelNames(labels);
    return {
      labels: () => names.labels,
      scores: () => settings.scores,
      batch: settings.batch ?? BATCH,
      pairs: true,
      facts: {},
      request: (questions) => ({
        headers: { 'x-wait-for-model': 'true' },
        url,
        body: JSON.stringify({
          inputs: questions.map(([text, second]) => (second === undefined ? text : { text, text_pair: second })),
          parameters: { top_k: names.labels?.length ?? ALL_LABELS, function_to_apply: 'none' },
        }),
      }),
      rows: (answer, { length }) => checkRows(names.ofLists(jsonOf(answer), length), length, names.labels?.length),
    };
  },
});

/** Token classification: `[{ entity_group, score, start, end }]`, spans as the pipeline of transformers makes them. */
function tokenClassification(endpoint: Pick<EndpointAccess, 'url' | 'tags' | 'redact'>, types: unknown): Adapter {
  const { answers, ...common } = spanEndpoint(endpoint, types);
  return {
    ...common,
    batch: 1,
    request: ([question]) => ({
      headers: { 'x-wait-for-model': 'true' },
      url: endpoint.url,
      body: JSON.stringify({ inputs: textOfQuery(must(question)[0]), parameters: { aggregation_strategy: 'simple' } }),
    }),
    rows(answer, [question]) {
      answers.read(textOfQuery(must(question)[0]), jsonOf(answer), { type: 'entity_group', score: 'score' });
      return [must(answers.row(must(question)[0]))];
    },
  };
}
