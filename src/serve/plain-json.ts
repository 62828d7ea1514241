/** @file Plain JSON, for clients of one line: texts in, labels and scores out. */
import { mostProbable } from '../core/decision.js';
import { defined } from '../core/defined.js';
import { decisionAsJson } from '../tasks/words.js';
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
        answers: rows.map((row, _at) => ({ ...decide(model, row), scores: numbers(row) })),
      };
    },
  },
];

/** The model's decision by a row of probabilities. */
function decide({ labels, decision }: ServedModel, row: Float32Array): object {
  return decisionAsJson(decision ?? mostProbable, labels, row);
}
