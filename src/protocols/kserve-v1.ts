/**
 * @file KServe V1, `POST .../v1/models/NAME:predict` (https://kserve.github.io/website, V1 protocol). KServe's Hugging Face runtime answers
 * column numbers of labels by default; with --return_probabilities, probabilities by column, rounded to 4 decimals.
 */
import { TEXTS_PER_REQUEST } from '../core/endpoint.js';
import { checkRows, jsonOf, malformed, unsuitable } from './client.js';
import { isObject } from './json.js';
import { LabelNames } from './labelled.js';
import { protocol } from './protocol.js';

export const kserveV1 = protocol({
  name: 'kserve-v1',
  prefix: 'kserve',
  addresses: /\/v1\/models\//,
  async connect({ settings, labels, redact, tryGet, ...endpoint }) {
    const url = endpoint.url.replace(/:predict$/, '');
    const [, name] = /\/v1\/models\/([^/]+)$/.exec(new URL(url).pathname) ?? [];
    if (name === undefined)
      throw unsuitable(
        `${redact(url)}: expected the address of a model, which ends in /v1/models/NAME`,
        'For example: --model kserve-v1+http://host:8000/v1/models/NAME',
      );
    const about = await tryGet(url);
    const names = new LabelNames(labels);
    let labelsAlone = false;
    return {
      labels: () => names.labels,
      scores: () => settings.scores ?? (labelsAlone ? 'labels' : undefined),
      batch: settings.batch ?? TEXTS_PER_REQUEST,
      facts: { model: isObject(about) && typeof about.name === 'string' ? about.name : decodeURIComponent(name) },
      request: (questions) => ({
        url: `${url}:predict`,
        body: JSON.stringify({ instances: questions.map(([text]) => text) }),
      }),
      rows(answer, questions) {
        const read = jsonOf(answer);
        const predictions = isObject(read) ? read.predictions : undefined;
        if (!Array.isArray(predictions)) throw malformed('predictions', read);
        labelsAlone = predictions.some((each) => typeof each !== 'object');
        if (labelsAlone && names.labels === undefined) throw labelsUnknown();
        const rows = predictions.map((each) => names.row(each));
        return checkRows(rows, questions.length, names.labels?.length);
      },
    };
  },
});

const labelsUnknown = () =>
  unsuitable(
    'the endpoint answers labels without scores, and does not list its labels',
    'Name them: --labels negative,positive; or let the server return probabilities (KServe: --return_probabilities).',
  );
