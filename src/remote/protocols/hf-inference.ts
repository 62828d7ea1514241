/**
 * @file Text classification as Hugging Face's inference providers and endpoints serve it
 * (https://huggingface.co/docs/inference-providers/tasks/text-classification). Without top_k labels are missing.
 */
import { isObject } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf } from '../protocol.js';
import { LabelNames } from './labelled.js';

const USUAL_BATCH = 16;
/** More than any text classifier has: there are as many answers as labels. */
const ALL_LABELS = 1000;

export async function hfInference(inquiry: Inquiry): Promise<Adapter> {
  const { settings, url } = inquiry;
  const names = new LabelNames(inquiry.labels);
  return {
    get labels() {
      return names.labels;
    },
    scores: settings.scores,
    batch: settings.batch ?? USUAL_BATCH,
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
        names.labels?.length,
      );
    },
  };
}
