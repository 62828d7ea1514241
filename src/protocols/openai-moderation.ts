/**
 * @file OpenAI's moderation (https://platform.openai.com/docs/api-reference/moderations): each label is a category with a score of its own, and
 * `flagged` is the service's decision by its own thresholds.
 */
import { checkRows, jsonOf, malformed } from './client.js';
import { isObject } from './json.js';
import { LabelNames } from './labelled.js';
import { OPENAI_SERVICE } from './openai.js';
import { protocol } from './protocol.js';

const BATCH = 32;
const MODEL = 'omni-moderation-latest';
const FLAGS = ['passed', 'flagged'];

function flagRow(each: unknown): number[] {
  if (!isObject(each) || typeof each.flagged !== 'boolean') throw malformed('flagged', each);
  return each.flagged ? [0, 1] : [1, 0];
}

export const openaiModeration = protocol({
  name: 'openai-moderation',
  service: OPENAI_SERVICE,
  async connect({ settings, url, labels }) {
    const flags = settings.scores === 'labels';
    const names = new LabelNames(labels ?? (flags ? FLAGS : undefined));
    const model = settings.model ?? MODEL;
    const scoreRow = (each: unknown) => {
      if (!isObject(each) || !isObject(each.category_scores)) throw malformed('category_scores', each);
      return names.ofMap(each.category_scores);
    };
    return {
      labels: () => names.labels,
      scores: () => settings.scores ?? 'probabilities',
      batch: settings.batch ?? BATCH,
      facts: { model },
      request: (questions) => ({
        url: url.endsWith('/moderations') ? url : `${url}/moderations`,
        body: JSON.stringify({ model, input: questions.map(([text]) => text) }),
      }),
      rows(answer, questions) {
        const read = jsonOf(answer);
        const results = isObject(read) ? read.results : undefined;
        if (!Array.isArray(results)) throw malformed('results', read);
        return checkRows(results.map(flags ? flagRow : scoreRow), questions.length);
      },
    };
  },
});
