/** @file Any JSON API, as an endpoint.yaml describes it: what is sent, and where in the answer the scores stand. */
import { createHash } from 'node:crypto';
import { isObject, valuesAt } from '../json.js';
import { type Adapter, checkedRows, garbled, type Inquiry, jsonOf, type Question, unfit } from '../protocol.js';
import { LabelNames } from './labelled.js';

const USUAL_BATCH = 32;

export async function http(inquiry: Inquiry): Promise<Adapter> {
  const { settings, url } = inquiry;
  const { body, answer, method = 'POST', version } = settings;
  const written = JSON.stringify(body ?? '');
  if (answer === undefined || !/\{\{texts?\}\}/.test(written)) {
    throw unfit(
      `${inquiry.shown(url)}: expected ${answer === undefined ? 'answer, which says where the scores stand' : 'a body with {{texts}} or {{text}} in it'}, got none`,
      'For example: body: { texts: "{{texts}}" } and answer: { rows: /scores }. See docs/remote.md.',
      'MANIFEST_INVALID',
    );
  }
  const many = written.includes('{{texts}}');
  const names = new LabelNames(inquiry.labels);
  if (answer.label !== undefined && names.labels === undefined) {
    throw unfit(
      'answer.label: expected labels, as the answers name one each, got none',
      'Name them: labels: [no, yes]',
    );
  }
  const told = version === undefined ? undefined : JSON.stringify(await inquiry.get(version));
  return {
    get labels() {
      return names.labels;
    },
    scores: settings.scores ?? (answer.label === undefined ? undefined : 'labels'),
    batch: many ? (settings.batch ?? USUAL_BATCH) : 1,
    pairs: /\{\{texts?2\}\}/.test(written),
    facts: {
      ...(settings.model !== undefined && { model: settings.model }),
      ...(told !== undefined && { version: told.slice(0, 200) }),
      request: createHash('sha256')
        .update(JSON.stringify([method, body, answer]))
        .digest('hex')
        .slice(0, 16),
    },
    request: (questions) => ({ method, body: JSON.stringify(filled(body, questions)) }),
    rows(reply, questions) {
      const read = jsonOf(reply);
      const n = questions.length;
      const pointer = (answer.rows ?? answer.labelled ?? answer.map ?? answer.label) as string;
      const found = valuesAt(read, pointer);
      if (found === undefined) throw garbled(`something at ${pointer}`, read);
      const lists = answer.rows !== undefined || answer.labelled !== undefined;
      const rows = (pointer.includes('*') ? found : perText(found, n, lists)).map((each) => {
        if (answer.label !== undefined) return names.ofLabel(each);
        if (answer.map !== undefined && isObject(each)) return names.ofMap(each);
        if (answer.labelled !== undefined && Array.isArray(each)) {
          return names.ofList(each, answer.labelKey, answer.scoreKey);
        }
        if (answer.rows !== undefined) return typeof each === 'number' ? [each] : each;
        throw garbled(`scores at ${pointer}`, each);
      });
      return checkedRows(
        rows,
        n,
        names.labels !== undefined && names.labels.length > 2 ? names.labels.length : undefined,
      );
    },
  };
}

/** A pointer without * names the list of all texts, or the answer to the one there is. */
function perText(found: readonly unknown[], n: number, lists: boolean): readonly unknown[] {
  const [only] = found;
  if (found.length !== 1 || !Array.isArray(only)) return found;
  if (n > 1) return only;
  return lists && only.length === 1 && Array.isArray(only[0]) ? only : lists ? found : only.length === 1 ? only : found;
}

/** The template with the texts in it; a string that is "{{texts}}" alone becomes the list of them. */
function filled(template: unknown, questions: readonly Question[]): unknown {
  if (typeof template === 'string') {
    const [first = ''] = questions[0] ?? [];
    if (template === '{{texts}}') return questions.map(([text]) => text);
    if (template === '{{texts2}}') return questions.map(([, second = '']) => second);
    return template.replace(/\{\{(text2?)\}\}/g, (_, name) => (name === 'text' ? first : (questions[0]?.[1] ?? '')));
  }
  if (Array.isArray(template)) return template.map((each) => filled(each, questions));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, each]) => [key, filled(each, questions)]));
}
