/**
 * @file text-embeddings-inference of Hugging Face (docs/openapi.json, router/src/http/server.rs). Its answers are sorted by score, and without
 * raw_scores they are a softmax even of models with several labels; `["a", "b"]` is one pair, so that each text is a list of its own.
 */
import { isObject } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, unfit } from '../protocol.js';
import { LabelNames } from './labelled.js';

/** What a server allows where it does not say. */
const USUAL_BATCH = 32;

export async function tei(inquiry: Inquiry): Promise<Adapter> {
  const { settings } = inquiry;
  const url = inquiry.url.replace(/\/predict$/, '');
  const info = await inquiry.get(`${url}/info`);
  const type = isObject(info) ? info.model_type : undefined;
  const classifier = isObject(type) ? (type.classifier ?? type.Classifier) : undefined;
  if (!isObject(info) || !isObject(classifier)) {
    const kind = isObject(type) ? Object.keys(type).join(', ') : String(type);
    throw unfit(
      `${inquiry.shown(url)}: expected a classifier, got ${kind}`,
      'Serve a model for text classification.',
      'ENDPOINT_NOT_A_CLASSIFIER',
    );
  }
  const names = new LabelNames(inquiry.labels ?? byId(classifier.id2label));
  const { max_client_batch_size: most, max_input_length: longest, model_id: model, model_sha: sha } = info;
  return {
    get labels() {
      return names.labels;
    },
    scores: 'logits',
    batch: Math.min(settings.batch ?? USUAL_BATCH, typeof most === 'number' && most > 0 ? most : USUAL_BATCH),
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
        ...(settings.truncate !== undefined && { truncate: settings.truncate }),
      }),
    }),
    rows(answer, questions) {
      const read = jsonOf(answer);
      if (!Array.isArray(read)) throw garbled('a list of answers', read);
      const lists: unknown[] = questions.length === 1 && isObject(read[0]) ? [read] : read;
      return checkedRows(
        lists.map((each) => {
          if (Array.isArray(each)) return names.ofList(each);
          throw garbled('a list of labels with scores', each);
        }),
        questions.length,
      );
    },
  };
}

function byId(id2label: unknown): string[] | undefined {
  if (!isObject(id2label)) return undefined;
  return Object.entries(id2label)
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([, label]) => String(label));
}
