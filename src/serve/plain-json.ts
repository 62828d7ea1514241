/** @file Plain JSON, for clients of one line: texts in, labels and scores out. */
import { isDetector, isLabeller, isRegressor } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { predictedLabel } from '../core/prediction.js';
import { listAt, numbers, pairAt, type ServedModel, type ServedRoute, textAt } from './request.js';

export const plainJson = (model: ServedModel): ServedRoute[] => [
  {
    protocol: 'json',
    method: 'GET',
    path: /^\/$/,
    answer: () => ({
      model: model.name,
      sha256: model.sha256,
      labels: model.labels,
      ...defined({ pairs: model.pairs }),
      ...model.announced,
    }),
  },
  {
    protocol: 'json',
    method: 'POST',
    path: /^\/$/,
    answer: async (request) => {
      const texts = listAt(request.json().texts, 'texts').map((each, at) =>
        Array.isArray(each) ? pairAt(each[0], each[1], `texts[${at}]`) : textAt(each, `texts[${at}]`),
      );
      const rows = await request.ask(texts);
      return {
        labels: model.labels,
        answers: rows.map((row, at) => ({
          ...decide(model, row),
          scores: numbers(row),
        })),
      };
    },
  },
];

/** The model's decision by a row of probabilities. */
function decide({ labels, decision }: ServedModel, row: Float32Array): object {
  // No label if several share the highest score.
  if (decision === undefined) return { label: labels[predictedLabel(row)] ?? null };
  if (isRegressor(decision)) return { value: decision.value(row) };
  if (isLabeller(decision)) return { labels: decision.labels(row).map((label) => labels[label]) };
  const label = labels[decision.label(row)];
  return isDetector(decision) ? { label, flagged: decision.detects(row), score: decision.score(row) } : { label };
}
