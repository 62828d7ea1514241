/** @file Plain JSON, for whoever writes a client in one line: texts in, labels and scores out. */
import { argmax } from '../../core/argmax.js';
import { numbers, type ServedProtocol } from '../protocol.js';
import { listAt, pairAt, textAt } from '../texts.js';

export const json: ServedProtocol = {
  name: 'json',
  modelAt: () => undefined,
  error: ({ message }) => ({ error: message }),
  routes: ({ model, kind }) => [
    {
      method: 'GET',
      path: /^\/$/,
      answer: () => ({ model: model.name, sha256: model.sha256, labels: model.labels, scores: kind }),
    },
    {
      method: 'POST',
      path: /^\/$/,
      answer: async (request) => {
        const texts = listAt(request.json().texts, 'texts').map((each, at) =>
          Array.isArray(each) ? pairAt(each[0], each[1], `texts[${at}]`) : textAt(each, `texts[${at}]`),
        );
        const rows = await request.ask(texts, kind);
        return {
          labels: model.labels,
          answers: rows.map((row) => ({ label: model.labels[argmax(row)], scores: numbers(row) })),
        };
      },
    },
  ],
};
