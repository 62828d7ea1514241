/** @file OpenAI's moderation: each label is a category with a score of its own. https://platform.openai.com/docs/api-reference/moderations */
import { isDetector, isLabeller } from '../../core/decision.js';
import { numbers, Refusal, type ServedModel, type ServedProtocol } from '../protocol.js';
import { listAt, objectAt, textAt } from '../texts.js';
import { modelList, openaiError } from './openai.js';

/** A category holds from this score on, unless the model has thresholds of its own. */
const HOLDS = 0.5;

/** Whether each label's category holds; of a detector's labels only those that it detects can. */
function heldBy({ labels, decision }: ServedModel, row: Float32Array): boolean[] {
  return labels.map((_, label) => {
    const score = row[label] as number;
    if (decision && isLabeller(decision)) return decision.holds(row, label);
    if (decision && isDetector(decision)) return decision.isPositive(label) && score >= Math.fround(decision.rule.at);
    return score >= HOLDS;
  });
}

export const openaiModeration: ServedProtocol = {
  name: 'openai-moderation',
  carries: ['label-sets'],
  modelAt: (url, { name }) => `openai-moderation+${url}/v1#${encodeURIComponent(name)}`,
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
          const scores = numbers(row);
          const holds = heldBy(model, row);
          const flagged =
            model.decision && isDetector(model.decision) ? model.decision.detects(row) : holds.includes(true);
          return { flagged, categories: byLabel(holds), category_scores: byLabel(scores) };
        });
        return { id: `modr-${model.sha256.slice(0, 12)}`, model: model.name, results };
      },
    },
  ],
};

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
