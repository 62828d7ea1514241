/**
 * @file The analyzer of Presidio (https://microsoft.github.io/presidio/api-docs/api-docs.html): personal data as spans, with offsets in code
 * points. It is a victim that tags; `robust serve` does not answer it.
 */
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { tagLabels } from '../core/tags/entity-row.js';
import { NO_ENTITY } from '../core/tags/span.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { jsonOf, malformed, unsuitable } from './client.js';
import { protocol } from './protocol.js';
import { SpanAnswers } from './spans.js';

const KEYS = { type: 'entity_type', score: 'score' };

export const presidio = protocol({
  name: 'presidio',
  client: {
    settings: {
      /** Language of the texts, as the service names it. @default en */
      language: z.string().min(1).optional(),
    },
    async connect({ settings, labels, tags, redact, tryGet, ...endpoint }) {
      const url = endpoint.url.replace(/\/analyze$/, '');
      const { language = 'en' } = settings;
      if (tags === undefined)
        throw unsuitable(
          `${redact(url)}: expected --task tags for a service that answers spans, got labels`,
          'Add --task tags, and data with spans (docs/data.md).',
          'TAGS_NEEDED',
        );
      if (tags.aggregation !== 'simple')
        throw unsuitable(
          `${redact(url)}: expected spans to be read as they are, got --task tags with aggregation=${tags.aggregation}`,
          'Leave aggregation out: the service makes spans of its tokens.',
        );
      const types = labels ?? (await tryGet(`${url}/supportedentities?language=${encodeURIComponent(language)}`));
      if (!isNames(types))
        throw unsuitable(
          `${redact(url)}: expected the types of its entities from /supportedentities, got no list of names`,
          'Name them: --labels PERSON,EMAIL_ADDRESS',
        );
      // The service lists them in any order.
      const answers = new SpanAnswers([...new Set(types)].filter((type) => type !== NO_ENTITY).sort(), tags);
      return {
        labels: () => tagLabels(answers.types),
        scores: () => 'probabilities',
        tags: answers,
        batch: settings.batch ?? 1,
        // Answers that are kept on disk were read with them.
        facts: { language, match: tags.match, least: String(tags.least), ...defined({ model: settings.model }) },
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
});

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '');
