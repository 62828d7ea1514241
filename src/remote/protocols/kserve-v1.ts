/**
 * @file KServe V1, `POST .../v1/models/NAME:predict` (https://kserve.github.io/website, V1 protocol). KServe's Hugging Face runtime answers
 * places of labels unless told otherwise: probabilities by place, rounded to 4 decimals, with --return_probabilities.
 */
import { TEXTS_PER_REQUEST } from '../../core/endpoint.js';
import { isObject } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, unfit } from '../protocol.js';
import { LabelNames } from './labelled.js';

export async function kserveV1(inquiry: Inquiry): Promise<Adapter> {
  const { settings } = inquiry;
  const url = inquiry.url.replace(/:predict$/, '');
  const [, name] = /\/v1\/models\/([^/]+)$/.exec(new URL(url).pathname) ?? [];
  if (name === undefined) {
    throw unfit(
      `${inquiry.shown(url)}: expected the address of a model, which ends in /v1/models/NAME`,
      'For example: --model kserve-v1+http://host:8000/v1/models/NAME',
    );
  }
  const about = await inquiry.tryGet(url);
  const names = new LabelNames(inquiry.labels);
  let labelsAlone = false;
  return {
    get labels() {
      return names.labels;
    },
    get scores() {
      return settings.scores ?? (labelsAlone ? ('labels' as const) : undefined);
    },
    batch: settings.batch ?? TEXTS_PER_REQUEST,
    facts: { model: isObject(about) && typeof about.name === 'string' ? about.name : decodeURIComponent(name) },
    request: (questions) => ({
      url: `${url}:predict`,
      body: JSON.stringify({ instances: questions.map(([text]) => text) }),
    }),
    rows(answer, questions) {
      const read = jsonOf(answer);
      const predictions = isObject(read) ? read.predictions : undefined;
      if (!Array.isArray(predictions)) throw garbled('predictions', read);
      labelsAlone = predictions.some((each) => typeof each !== 'object');
      if (labelsAlone && names.labels === undefined) throw labelsUnknown();
      return checkedRows(
        predictions.map((each) => names.row(each)),
        questions.length,
        names.labels?.length,
      );
    },
  };
}

const labelsUnknown = () =>
  unfit(
    'the endpoint answers labels without scores, and nothing says which labels there are',
    'Name them: --labels negative,positive; or let the server return probabilities (KServe: --return_probabilities).',
  );
