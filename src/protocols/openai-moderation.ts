/**
 * @file OpenAI's moderation (https://platform.openai.com/docs/api-reference/moderations): each label is a category with a score of its own, and
 * `flagged` is the service's decision by its own thresholds.
 */
import { isDetector, isLabeller } from '../core/decision.js';
import { checkRows, jsonOf, malformed } from './client.js';
import { isObject } from './json.js';
import { LabelNames } from './labelled.js';
import { modelList, OPENAI_SERVICE, openaiError, openaiPath } from './openai.js';
import { protocol } from './protocol.js';
import { listAt, numbers, objectAt, Refusal, type ServedModel, textAt } from './server.js';

const BATCH = 32;
const MODEL = 'omni-moderation-latest';
const FLAGS = ['passed', 'flagged'];
/** A category holds from this score on, unless the model has thresholds of its own. */
const HOLDS = 0.5;

function flagRow(each: unknown): number[] {
  if (!isObject(each) || typeof each.flagged !== 'boolean') throw malformed('flagged', each);
  return each.flagged ? [0, 1] : [1, 0];
}

export const openaiModeration = protocol({
  name: 'openai-moderation',
  client: {
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
  },
  server: {
    carries: ['label-sets'],
    announces: 'labels',
    path: openaiPath,
    error: openaiError,
    routes: ({ model }) => [
      modelList(model),
      {
        method: 'POST',
        path: /^\/v1\/moderations$/,
        answer: async ({ json, ask }) => {
          const rows = await ask(inputsAt(json().input), 'probabilities');
          const byLabel = <T>(values: readonly T[]) =>
            Object.fromEntries(model.labels.map((label, index) => [label, values[index] as T]));
          const results = rows.map((row) => {
            const holds = categoriesOf(model, row);
            const { decision } = model;
            const flagged = decision && isDetector(decision) ? decision.detects(row) : holds.includes(true);
            return { flagged, categories: byLabel(holds), category_scores: byLabel(numbers(row)) };
          });
          return { id: `modr-${model.sha256.slice(0, 12)}`, model: model.name, results };
        },
      },
    ],
  },
});

/** Whether each label's category holds; only labels that a detector detects can. */
function categoriesOf({ labels, decision }: ServedModel, row: Float32Array): boolean[] {
  return labels.map((_, label) => {
    const score = row[label]!;
    if (decision && isLabeller(decision)) return decision.holds(row, label);
    if (decision && isDetector(decision)) return decision.isPositive(label) && score >= Math.fround(decision.rule.at);
    return score >= HOLDS;
  });
}

/** A text, texts, or the parts of one input. */
function inputsAt(input: unknown): string[] {
  if (typeof input === 'string') return [textAt(input, 'input')];
  const list = listAt(input, 'input');
  if (list.every((each) => typeof each === 'string')) return list.map((each, at) => textAt(each, `input[${at}]`));
  const parts = list.map((each, at) => {
    const { type, text } = objectAt(each, `input[${at}]`);
    if (type !== 'text') throw new Refusal(400, `input[${at}].type: expected "text", the only kind that is read here`);
    return textAt(text, `input[${at}].text`);
  });
  return [parts.join('\n')];
}
