/**
 * @file Where the entities of an example lie in its drafts, and what edits may do to them. A draft has a slot for each original word, so
 * nothing is guessed.
 */
import type { Draft } from '../draft.js';
import { must, RobustError } from '../errors.js';
import { type ExampleTexts, queryText } from '../pair.js';
import type { Constraint } from '../search.js';
import { overlaps, type TagSpan } from './span.js';
import { isAddress, keepsAddress, keepsDigits, keepsRuns, readDay, readValue } from './value.js';

/** The places of spans of the original text in a draft. */
export const carriedSpans = (draft: Draft, spans: readonly TagSpan[]): TagSpan[] =>
  spans.map(({ start, end, type }) => ({ start: draft.carry(start, 'start'), end: draft.carry(end, 'end'), type }));

/** The queries of one search. */
export interface SearchQueries {
  /** The query for a text that the search rewrote. */
  queryOf(text: string): string;
  /** The fields of the example with the entities in their places in this text. */
  examplesOf(text: string): Pick<ExampleTexts, 'entities' | 'entity'>;
  /** Notes the places of the entities in drafts. Absent without entities. */
  readonly carry?: (drafts: readonly Draft[]) => void;
}

export function searchQueries(example: ExampleTexts): SearchQueries {
  const { entities, entity } = example;
  if (entities === undefined) return { queryOf: (text) => queryText(text, example), examplesOf: () => ({}) };
  const places = new Map<string, readonly TagSpan[]>([[example.text, entities]]);
  const examplesOf = (text: string) => {
    const carried = places.get(text);
    if (carried === undefined) throw unaligned();
    return { entities: carried, ...(entity !== undefined && { entity }) };
  };
  return {
    queryOf: (text) => queryText(text, examplesOf(text)),
    examplesOf,
    carry(drafts) {
      for (const draft of drafts) if (!places.has(draft.text)) places.set(draft.text, carriedSpans(draft, entities));
    },
  };
}

const unaligned = (): RobustError =>
  new RobustError('expected edits of words, got a text in which the places of the entities are unknown', {
    code: 'ATTACK_UNSUPPORTED',
    hint: 'Attack models that tag by attacks that edit words one by one: -s typos, -s chars, -s synonyms.',
  });

/** Which words an attack may edit. */
export const TOUCHES = ['inside', 'context', 'both'] as const;
export type Touch = (typeof TOUCHES)[number];

const CONTENT = /[\p{L}\p{N}]/u;

/** A span with digits or of an address, and the slots of its words. */
interface ValueSpan {
  readonly span: TagSpan;
  readonly before: string;
  readonly slots: readonly number[];
}

const valuesIn = (original: Draft, spans: readonly TagSpan[]): ValueSpan[] =>
  spans.flatMap((span) => {
    const before = original.text.slice(span.start, span.end);
    const hasValue = /\p{N}/u.test(before) || isAddress(before);
    return hasValue ? [{ span, before, slots: [...slotsOf(original, [span])] }] : [];
  });

/** Does it keep its value, or each of its words its digits? An address keeps every sign. With `anyForm` digits may be grouped in any way. */
function keepsValue(draft: Draft, { span, before, slots }: ValueSpan, anyForm: boolean): boolean {
  const { original } = draft;
  const [{ start, end }] = carriedSpans(draft, [span]) as [TagSpan];
  const after = draft.text.slice(start, end);
  if (isAddress(before)) return keepsAddress(before, after);
  if (slots.every((slot) => keepsDigits(original.word(slot), draft.word(slot)))) return true;
  if (readValue(before) !== readValue(after)) return false;
  return anyForm || readDay(before) !== undefined || (!/\p{Ll}/u.test(before) && keepsRuns(before, after));
}

/** Whether a reader recognises a word in what replaces it. */
export type WordRecognition = (word: string, now: string) => boolean;

/**
 * Keeps the entities true: edits touch only the words of the choice, every word of an entity keeps a letter or digit and is recognised, no word
 * is put between its words, and numbers and addresses keep their value. The rewrite must have the slots of the original. Without `recognises`
 * words and numbers may have any form.
 */
export function keepEntities(
  { entities = [], entity }: Omit<ExampleTexts, 'text'>,
  touch: Touch,
  recognises?: WordRecognition,
): Constraint {
  const spans = entity === undefined ? entities : entities.slice(entity, entity + 1);
  let known: Draft | undefined;
  let [inside, context]: [Set<number>, Set<number>] = [new Set(), new Set()];
  let values: readonly ValueSpan[] = [];
  const locate = (draft: Draft): void => {
    const { original } = draft;
    if (known === original) return;
    known = original;
    [inside, context] = [slotsOf(original, spans), new Set()];
    values = valuesIn(original, spans);
    const tagged = slotsOf(original, entities);
    for (let slot = 0; slot < original.size; slot++) if (!tagged.has(slot)) context.add(slot);
  };
  const keepsWords = (draft: Draft): boolean => {
    for (const slot of inside) {
      const [word, now] = [draft.original.word(slot), draft.word(slot)];
      if (!CONTENT.test(now) || (now !== word && recognises?.(word, now) === false)) return false;
      if (
        inside.has(slot + 1) &&
        CONTENT.test(draft.gapAfter(slot)) &&
        draft.gapAfter(slot) !== draft.original.gapAfter(slot)
      )
        return false;
    }
    return true;
  };
  return {
    name: 'entities kept',
    editable(draft, at) {
      locate(draft);
      if (touch === 'inside') return inside.has(at);
      return touch === 'both' ? inside.has(at) || context.has(at) : context.has(at);
    },
    accepts(candidates, original) {
      locate(original);
      return candidates.map(
        (draft) =>
          draft.sharesOriginalWith(original) &&
          keepsWords(draft) &&
          values.every((value) => keepsValue(draft, value, recognises === undefined)),
      );
    },
  };
}

/** The slots of an unedited draft whose words overlap a span. */
function slotsOf(draft: Draft, spans: readonly TagSpan[]): Set<number> {
  const { spans: words } = draft;
  const found = new Set<number>();
  for (let slot = 0; slot < draft.size; slot++) {
    const word = { start: must(words[2 * slot]), end: must(words[2 * slot + 1]) };
    if (spans.some((span) => overlaps(span, word))) found.add(slot);
  }
  return found;
}
