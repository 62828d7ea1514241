/**
 * @file The analyzer of Presidio (https://microsoft.github.io/presidio/api-docs/api-docs.html): personal data as spans, with offsets in code
 * points.
 */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { inCodePoints } from '../core/tags/code-points.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { jsonOf, malformed } from './client.js';
import { excerpt } from './json.js';
import { protocol } from './protocol.js';
import { Refusal, textAt } from './server.js';
import { spanEndpoint } from './spans.js';

const KEYS = { type: 'entity_type', score: 'score' };

export const presidio = protocol({
  name: 'presidio',
  client: {
    settings: {
      /** Language of the texts, as the service names it. @default en */
      language: z.string().min(1).optional(),
    },
    async connect({ settings, labels, tryGet, ...endpoint }) {
      const url = endpoint.url.replace(/\/analyze$/, '');
      const { language = 'en' } = settings;
      // Without --task tags, the error comes before a request.
      const types =
        labels ??
        (endpoint.tags && (await tryGet(`${url}/supportedentities?language=${encodeURIComponent(language)}`)));
      const { answers, ...common } = spanEndpoint(endpoint, types, {
        language,
        ...defined({ model: settings.model }),
      });
      return {
        ...common,
        batch: settings.batch ?? 1,
        request(questions) {
          const texts = questions.map(([query]) => textOfQuery(query));
          return {
            url: `${url}/analyze`,
            body: JSON.stringify({ text: texts.length === 1 ? texts[0] : texts, language }),
          };
        },
        rows(answer, questions) {
          const read = jsonOf(answer);
          const lists = questions.length === 1 ? [read] : read;
          if (!Array.isArray(lists) || lists.length !== questions.length)
            throw malformed(`${questions.length} lists for as many texts`, lists);
          return questions.map(([query], at) => {
            answers.read(textOfQuery(query), lists[at], KEYS);
            return answers.row(query)!;
          });
        },
      };
    },
  },
  server: {
    carries: ['spans'],
    announces: 'labels',
    path: () => '',
    routes: ({ model: { spans } }) => [
      { method: 'GET', path: /^\/supportedentities$/, answer: () => [...(spans?.types ?? [])] },
      {
        method: 'POST',
        path: /^\/analyze$/,
        answer: async ({ json, ask }) => {
          const { text, entities, score_threshold: least = 0 } = json();
          if (spans === undefined) throw new Refusal(404, 'expected a model that tags');
          if (typeof least !== 'number')
            throw new Refusal(400, `score_threshold: expected a number, got ${excerpt(least)}`);
          const wanted = entities == null ? undefined : namesAt(entities, spans.types);
          const list = Array.isArray(text);
          const texts = list ? text.map((each, at) => textAt(each, `text[${at}]`)) : [textAt(text, 'text')];
          // The rows are those of the whole texts; their spans are then remembered.
          await ask(texts, 'probabilities');
          const found = await Promise.all(
            texts.map(async (each) =>
              inCodePoints(each, (await spans.tags(each)).spans)
                .filter(({ type, score }) => score >= least && (wanted === undefined || wanted.includes(type)))
                .map(({ type, start, end, score }) => ({ entity_type: type, start, end, score: Math.min(1, score) })),
            ),
          );
          return list ? found : found[0]!;
        },
      },
    ],
  },
});

function namesAt(entities: unknown, types: readonly string[]): readonly unknown[] {
  if (Array.isArray(entities) && entities.every((each) => types.includes(each as string))) return entities;
  throw new Refusal(400, `entities: expected a list of ${types.join(', ')}, got ${excerpt(entities)}`);
}
