/**
 * @file Text classification as Hugging Face's inference providers and endpoints serve it
 * (https://huggingface.co/docs/inference-providers/tasks/text-classification); with --task tags token classification. Without top_k an
 * answer lacks labels.
 */
import { sigmoid, softmax } from '../core/softmax.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { type Adapter, checkRows, type EndpointAccess, jsonOf } from './client.js';
import { excerpt } from './json.js';
import { LabelNames, labelledScores } from './labelled.js';
import { protocol } from './protocol.js';
import { checkName, countAt, listAt, objectAt, pairAt, Refusal, type ServedScores, textAt } from './server.js';
import { spanEndpoint } from './spans.js';

const BATCH = 16;
/** More than any text classifier has; answers have as many as there are. */
const ALL_LABELS = 1000;
/** Labels of an answer if a request does not say how many. */
const DEFAULT_LABELS = 5;

/** The function that the model is asked to apply, and the one applied to its scores. */
const FUNCTIONS: Readonly<Record<string, readonly [ServedScores, (row: Float32Array) => Float32Array]>> = {
  none: ['logits', (row) => row],
  sigmoid: ['logits', (row) => row.map(sigmoid)],
  softmax: [
    'logits',
    (row) => {
      const copy = row.slice();
      softmax(copy);
      return copy;
    },
  ],
};

export const hfInference = protocol({
  name: 'hf-inference',
  client: {
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
  },
  server: {
    carries: ['pairs', 'label-sets'],
    announces: 'labels',
    path: (model) => `/models/${model}`,
    routes: ({ model }) => [
      {
        method: 'POST',
        path: /^\/(?:hf-inference\/)?models\/(?:[^/]+\/)?([^/]+)$/,
        answer: async ({ groups: [name], json, ask }) => {
          checkName(name, model);
          const { inputs, parameters = {} } = json();
          const { top_k: top = DEFAULT_LABELS, function_to_apply: wanted } = objectAt(parameters, 'parameters');
          const most = countAt(top, 'parameters.top_k');
          const [kind, applied] = functionAt(wanted);
          const list = Array.isArray(inputs);
          const texts = (list ? listAt(inputs, 'inputs') : [inputs]).map((each, at) =>
            inputAt(each, list ? `inputs[${at}]` : 'inputs'),
          );
          const rows = await ask(texts, kind);
          return rows.map((row) => labelledScores(applied(row), model.labels, most));
        },
      },
    ],
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
      body: JSON.stringify({
        inputs: textOfQuery(question![0]),
        parameters: { aggregation_strategy: 'simple' },
      }),
    }),
    rows(answer, [question]) {
      answers.read(textOfQuery(question![0]), jsonOf(answer), { type: 'entity_group', score: 'score' });
      return [answers.row(question![0])!];
    },
  };
}

function functionAt(wanted: unknown): readonly [ServedScores, (row: Float32Array) => Float32Array] {
  if (wanted === undefined || wanted === null) return ['probabilities', (row) => row];
  const found = typeof wanted === 'string' ? FUNCTIONS[wanted] : undefined;
  if (found !== undefined) return found;
  throw new Refusal(
    400,
    `parameters.function_to_apply: expected one of ${Object.keys(FUNCTIONS).join(', ')}, got ${excerpt(wanted)}`,
  );
}

/** A text, or { text, text_pair }. */
function inputAt(input: unknown, where: string): string {
  if (typeof input !== 'object' || input === null) return textAt(input, where);
  const { text, text_pair: second } = objectAt(input, where);
  return second === undefined ? textAt(text, `${where}.text`) : pairAt(text, second, where);
}
