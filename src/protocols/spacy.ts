/**
 * @file Entities as spaCy writes them (`Doc.to_json`, https://spacy.io/api/doc#to_json): a text is posted as `{ text }`, and the answer has
 * `ents` with offsets in code points, without scores. Services name no types: `--labels` does.
 */
import { must } from '../core/errors.js';
import { textOfQuery } from '../core/tags/tagged-query.js';
import { jsonOf, malformed } from './client.js';
import { isObject } from './json.js';
import { protocol } from './protocol.js';
import { spanEndpoint } from './spans.js';

export const spacy = protocol({
  name: 'spacy',
  async connect({ labels, ...endpoint }) {
    const { answers, ...common } = spanEndpoint(endpoint, labels);
    return {
      ...common,
      batch: 1,
      request: ([question]) => ({ url: endpoint.url, body: JSON.stringify({ text: textOfQuery(must(question)[0]) }) }),
      rows(answer, [question]) {
        const read = jsonOf(answer);
        if (!isObject(read)) throw malformed('an object { text, ents }', read);
        answers.read(textOfQuery(must(question)[0]), read.ents, { type: 'label' });
        return [must(answers.row(must(question)[0]))];
      },
    };
  },
});
