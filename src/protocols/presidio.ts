/**
 * @file The analyzer of Presidio (https://microsoft.github.io/presidio/api-docs/api-docs.html): personal data as spans, with offsets in code
 * points.
 */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { jsonOf, malformed } from './client.js';
import { protocol } from './protocol.js';
import { spanEndpoint } from './spans.js';

const KEYS = { type: 'entity_type', score: 'score' };

export const presidio = protocol({
  name: 'presidio',
  settings: {
    /** Language of the texts, as the service names it. @default en */
    language: z.string().min(1).optional(),
  },
  async connect({ settings, labels, tryGet, ...endpoint }) {
    const url = endpoint.url.replace(/\/analyze$/, '');
    const { language = 'en' } = settings;
    // Without --task tags, the error comes before a request.
    const types =
      labels ?? (endpoint.tags && (await tryGet(`${url}/supportedentities?language=${encodeURIComponent(language)}`)));
    const { answers, ...common } = spanEndpoint(endpoint, types, { language, ...defined({ model: settings.model }) });
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
});
