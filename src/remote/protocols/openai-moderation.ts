/**
 * @file OpenAI's moderation (https://platform.openai.com/docs/api-reference/moderations): a score for each category, each by itself, and
 * `flagged`, which the service decides by thresholds of its own.
 */
import { isObject } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf } from '../protocol.js';
import { LabelNames } from './labelled.js';

const USUAL_BATCH = 32;
const MODEL = 'omni-moderation-latest';
const PASSED_FLAGGED = ['passed', 'flagged'];

export async function openaiModeration(inquiry: Inquiry): Promise<Adapter> {
  const { settings, url } = inquiry;
  const flags = settings.scores === 'labels';
  const names = new LabelNames(inquiry.labels ?? (flags ? PASSED_FLAGGED : undefined));
  const model = settings.model ?? MODEL;
  return {
    get labels() {
      return names.labels;
    },
    scores: settings.scores ?? 'probabilities',
    batch: settings.batch ?? USUAL_BATCH,
    facts: { model },
    request: (questions) => ({
      url: url.endsWith('/moderations') ? url : `${url}/moderations`,
      body: JSON.stringify({ model, input: questions.map(([text]) => text) }),
    }),
    rows(answer, questions) {
      const read = jsonOf(answer);
      const results = isObject(read) ? read.results : undefined;
      if (!Array.isArray(results)) throw garbled('results', read);
      const rows = results.map((each) => {
        if (isObject(each) && flags && typeof each.flagged === 'boolean') return each.flagged ? [0, 1] : [1, 0];
        if (isObject(each) && !flags && isObject(each.category_scores)) return names.ofMap(each.category_scores);
        throw garbled(flags ? 'flagged' : 'category_scores', each);
      });
      return checkedRows(rows, questions.length);
    },
  };
}
