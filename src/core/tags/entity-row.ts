/**
 * @file A model's answer for one entity: a score for each type and for none of them. The scores mix the model's probabilities with its
 * decision, so that the highest is always that of the decision, and searches still see how close an entity is to being lost.
 */
import { wordsOf } from '../draft.js';
import { must } from '../errors.js';
import { NO_ENTITY, overlaps, type TaggedUnits, type TagSpan } from './span.js';
import type { TaggedQuery } from './tagged-query.js';

/**
 * When an entity counts as found. `whole`: one span of a type contains it and at most one neighbouring word on each side. `cover`: spans of
 * any types cover all of its characters, which is what a redactor needs.
 */
export const TAG_MATCHES = ['whole', 'cover'] as const;
export type TagMatch = (typeof TAG_MATCHES)[number];

/** Share of the decision in a score. More than half, so that the decided label leads. */
const DECIDED = 0.55;

/** Characters that a reader sees: all but spaces, controls and formats such as zero-width ones. */
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}\p{M}]/u;

/** Visible characters of a text between two offsets, as offsets of their first code units. None lie beyond the text. */
export function visibleIn(text: string, { start, end }: Pick<TagSpan, 'start' | 'end'>): number[] {
  const found: number[] = [];
  for (let at = start; at < Math.min(end, text.length); ) {
    const character = String.fromCodePoint(must(text.codePointAt(at)));
    if (VISIBLE.test(character)) found.push(at);
    at += character.length;
  }
  return found;
}

/** How many visible characters of a span no found span covers, and how many it has. */
export function leakedCharacters(
  text: string,
  span: Pick<TagSpan, 'start' | 'end'>,
  { spans }: { readonly spans: readonly TagSpan[] },
): { readonly leaked: number; readonly of: number } {
  const places = visibleIn(text, span);
  const leaked = places.filter((at) => !spans.some(({ start, end }) => start <= at && at < end));
  return { leaked: leaked.length, of: places.length };
}

/** The type of the found span that counts as this entity; undefined if it is missed or cut. */
export function foundType(
  text: string,
  span: Pick<TagSpan, 'start' | 'end'>,
  { spans }: Pick<TaggedUnits, 'spans'>,
): string | undefined {
  const places = visibleIn(text, span);
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const whole = spans.find(({ start, end }) => start <= first && last < end);
  if (whole === undefined) return undefined;
  const before = wordsOf(text.slice(whole.start, first)).length;
  const after = wordsOf(text.slice(Math.min(span.end, whole.end), whole.end)).length;
  return before <= 1 && after <= 1 ? whole.type : undefined;
}

/** Whether an entity counts as found. */
export function entityFound(
  text: string,
  entity: TagSpan,
  { spans }: Pick<TaggedUnits, 'spans'>,
  match: TagMatch,
): boolean {
  if (match === 'whole') return foundType(text, entity, { spans }) === entity.type;
  const { leaked, of } = leakedCharacters(text, entity, { spans });
  return leaked === 0 && of > 0;
}

/** The question of a query besides the place of an entity. */
export interface RowReading {
  readonly match: TagMatch;
  /** Without an entity the text is in question, which is lost with this share of its entities; without a share its rest is. */
  readonly share?: number | undefined;
}

/** Scores for the entity of a query, for all entities of its text, or for the rest of it: one for each type, then for none. They sum to 1. */
export function entityRow(
  types: readonly string[],
  tagged: TaggedUnits,
  query: TaggedQuery,
  { match, share }: RowReading,
): Float32Array {
  const { entity, entities } = query;
  if (entity !== undefined) return mixed(entityScores(types, tagged, entity, query, match));
  return mixed(
    share === undefined || entities.length === 0
      ? restScores(types, tagged, query)
      : textScores(types, tagged, query, { match, share }),
  );
}

function mixed({ scores, decided }: Scores): Float32Array {
  const row = scores.map((score) => (1 - DECIDED) * score);
  row[decided] = must(row[decided]) + DECIDED;
  return row;
}

/**
 * The type of the first entity stands for a text that is not lost. Its score is the mean of those entities that are closest to being lost,
 * as many as must be.
 */
function textScores(
  types: readonly string[],
  tagged: TaggedUnits,
  query: TaggedQuery,
  { match, share }: { readonly match: TagMatch; readonly share: number },
): Scores {
  const [none, own] = [types.length, types.indexOf(must(query.entities[0]).type)];
  const each = query.entities.map((entity) => {
    const found = entityScores(types, tagged, entity, query, match);
    const type = types.indexOf(entity.type);
    return { kept: mixed(found)[type] ?? 0, lost: found.decided !== type };
  });
  const needed = Math.ceil(share * each.length - 1e-9);
  const closest = each.map(({ kept }) => kept).sort((a, b) => a - b);
  const scores = new Float32Array(none + 1);
  scores[own] = closest.slice(0, needed).reduce((total, kept) => total + kept, 0) / needed;
  const lost = each.filter((entity) => entity.lost).length;
  return { scores: restAs(none, scores), decided: lost >= needed ? none : own };
}

interface Scores {
  readonly scores: Float32Array;
  readonly decided: number;
}

function entityScores(
  types: readonly string[],
  tagged: TaggedUnits,
  entity: TagSpan,
  { text }: TaggedQuery,
  match: TagMatch,
): Scores {
  const none = types.length;
  const units = tagged.units.filter((unit) => overlaps(unit, entity));
  const scores = new Float32Array(none + 1);
  const own = types.indexOf(entity.type);
  if (match === 'cover') {
    const kept = units.length === 0 ? 0 : Math.min(...units.map((unit) => 1 - must(unit.types[none])));
    scores[own] = Math.max(0, kept);
    return { scores: restAs(none, scores), decided: entityFound(text, entity, tagged, match) ? own : none };
  }
  // The weakest word decides whether an entity is found whole.
  for (let type = 0; type < none; type++)
    scores[type] = units.length === 0 ? 0 : Math.min(...units.map((unit) => must(unit.types[type])));
  const found = foundType(text, entity, tagged);
  return { scores: restAs(none, scores), decided: found === undefined ? none : types.indexOf(found) };
}

/** Whether a model finds entities beyond the true ones. */
function restScores(types: readonly string[], tagged: TaggedUnits, { entities }: TaggedQuery): Scores {
  const none = types.length;
  const beyond = <T extends { start: number; end: number }>(each: T): boolean =>
    entities.every((entity) => !overlaps(entity, each));
  const units = tagged.units.filter(beyond);
  const scores = new Float32Array(none + 1);
  for (let type = 0; type < none; type++) scores[type] = Math.max(0, ...units.map((unit) => must(unit.types[type])));
  scores[none] = Math.min(1, ...units.map((unit) => must(unit.types[none])));
  const total = scores.reduce((sum, score) => sum + score, 0);
  const spurious = tagged.spans.filter(beyond);
  const [surest] = [...spurious].sort((a, b) => b.score - a.score || a.start - b.start);
  return {
    scores: scores.map((score) => score / total),
    decided: surest === undefined ? none : types.indexOf(surest.type),
  };
}

/** The score of none is 1 minus the scores of the types. */
function restAs(none: number, scores: Float32Array): Float32Array {
  const sum = scores.reduce((total, score) => total + score, 0);
  scores[none] = Math.max(0, 1 - sum);
  return sum > 1 ? scores.map((score) => score / sum) : scores;
}

/** Labels of a victim that tags, in the order of its scores. */
export const tagLabels = (types: readonly string[]): string[] => [...types, NO_ENTITY];
