/** @file Any JSON API, as an endpoint.yaml describes it: what is sent, and where the answer holds the scores. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defined } from '../core/defined.js';
import { checkRows, jsonOf, malformed, type Question, unsuitable } from './client.js';
import { isObject, valuesAt } from './json.js';
import { LabelNames } from './labelled.js';
import { protocol } from './protocol.js';

const BATCH = 32;

const key = z.string().min(1);
/** A path in a JSON document (RFC 6901) in which `*` matches each element of a list, in its order. */
const pointer = z
  .string()
  .regex(/^(\/[^/]*)*$/, 'expected a JSON Pointer, such as /outputs/*/scores, in which * stands for each element');

const selector = z
  .strictObject({
    /** Each text's scores, in the order of the labels: "/outputs/x/probs" is a list of lists, one a text. */
    rows: pointer.optional(),
    /** Each text's list of { label, score }, in any order. */
    labelled: pointer.optional(),
    /** Each text's object of scores by label. */
    map: pointer.optional(),
    /** Each text's label alone, by name or by column. */
    label: pointer.optional(),
    /** Names of the keys of `labelled`. */
    labelKey: key.default('label'),
    scoreKey: key.default('score'),
  })
  .refine(
    (each) => [each.rows, each.labelled, each.map, each.label].filter((one) => one !== undefined).length === 1,
    'expected one of rows, labelled, map, label',
  );

export const http = protocol({
  name: 'http',
  fileOnly: true,
  settings: {
    /** The body sent; "{{texts}}" or "{{text}}" (and "{{text2}}") are replaced by the texts. */
    body: z.unknown().optional(),
    method: z.enum(['POST', 'PUT']).optional(),
    /** Where the answer holds the scores. */
    answer: selector.optional(),
    /** An address whose whole answer names this version of the model; it is requested once. */
    version: key.optional(),
  },
  async connect({ settings, url, labels, redact, get }) {
    const { body, answer, method = 'POST', version } = settings;
    const template = JSON.stringify(body ?? '');
    checkDescribed(template, answer, redact(url));
    const names = new LabelNames(labels);
    if (answer.label !== undefined && labels === undefined)
      throw unsuitable(
        'answer.label: expected labels, as the answers name one each, got none',
        'Name them: labels: [no, yes]',
      );
    const found = version === undefined ? undefined : JSON.stringify(await get(version));
    return {
      labels: () => names.labels,
      scores: () => settings.scores ?? (answer.label === undefined ? undefined : 'labels'),
      batch: template.includes('{{texts}}') ? (settings.batch ?? BATCH) : 1,
      pairs: /\{\{texts?2\}\}/.test(template),
      facts: {
        ...defined({ model: settings.model }),
        ...(found !== undefined && { version: found.slice(0, 200) }),
        request: createHash('sha256')
          .update(JSON.stringify([method, body, answer]))
          .digest('hex')
          .slice(0, 16),
      },
      request: (questions) => ({ method, body: JSON.stringify(fill(body, questions)) }),
      rows: (reply, questions) =>
        checkRows(rowsIn(jsonOf(reply), answer, questions.length, names), questions.length, names.width),
    };
  },
});

type Selector = z.infer<typeof selector>;

/** Throws ModelError MANIFEST_INVALID for a file that does not say what is sent, or where the answer holds what is wanted. */
function checkDescribed(template: string, answer: Selector | undefined, where: string): asserts answer is Selector {
  if (answer === undefined || !/\{\{texts?\}\}/.test(template))
    throw unsuitable(
      `${where}: expected ${answer === undefined ? 'answer, which says where the scores are' : 'a body with {{texts}} or {{text}} in it'}, got none`,
      'For example: body: { texts: "{{texts}}" } and answer: { rows: /scores }. See docs/remote.md.',
      'MANIFEST_INVALID',
    );
}

/** The entry of the answer for each text. Throws PassingFault. */
function rowsIn(answer: unknown, selected: Selector, count: number, names: LabelNames): unknown[] {
  const { rows, labelled, map, label, labelKey, scoreKey } = selected;
  const at = (rows ?? labelled ?? map ?? label) as string;
  const found = valuesAt(answer, at);
  if (found === undefined) throw malformed(`something at ${at}`, answer);
  const lists = rows !== undefined || labelled !== undefined;
  return (at.includes('*') ? found : perText(found, count, lists)).map((each) => {
    if (label !== undefined) return names.ofLabel(each);
    if (map !== undefined && isObject(each)) return names.ofMap(each);
    if (labelled !== undefined && Array.isArray(each)) return names.ofList(each, labelKey, scoreKey);
    if (rows !== undefined) return typeof each === 'number' ? [each] : each;
    throw malformed(`scores at ${at}`, each);
  });
}

/** A pointer without * names the list of all texts, or the answer to a single text. */
function perText(found: readonly unknown[], count: number, lists: boolean): readonly unknown[] {
  const [only] = found;
  if (found.length !== 1 || !Array.isArray(only)) return found;
  if (count > 1) return only;
  return lists && only.length === 1 && Array.isArray(only[0]) ? only : lists ? found : only.length === 1 ? only : found;
}

/** The template with the texts in it; a string that is only "{{texts}}" becomes the list of them. */
function fill(template: unknown, questions: readonly Question[]): unknown {
  if (typeof template === 'string') {
    const [first = ''] = questions[0] ?? [];
    if (template === '{{texts}}') return questions.map(([text]) => text);
    if (template === '{{texts2}}') return questions.map(([, second = '']) => second);
    return template.replace(/\{\{(text2?)\}\}/g, (_, name) => (name === 'text' ? first : (questions[0]?.[1] ?? '')));
  }
  if (Array.isArray(template)) return template.map((each) => fill(each, questions));
  if (!isObject(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([name, each]) => [name, fill(each, questions)]));
}
