/**
 * @file One entity of a text as a query. A victim that tags is a classifier of entities: it receives a text with the place of one entity and
 * answers the type that it gives to this place. So searches, caches, journals and reports handle entities as they handle texts. The place
 * follows the text behind a separator that no text contains.
 */
import type { TagSpan } from './span.js';

/** The entities of a text, and the one in question; without one, the rest of the text is in question. */
export interface TaggedExample {
  readonly entities?: readonly TagSpan[];
  readonly entity?: number | undefined;
}

/** U+FDD1, one of Unicode's noncharacters: for use inside a program, never in a text. */
const ENTITY_SEPARATOR = '\uFDD1';

/** The text with the entities, as a victim that tags receives it. */
export const withEntities = (text: string, { entities, entity }: TaggedExample): string =>
  entities === undefined ? text : `${text}${ENTITY_SEPARATOR}${JSON.stringify([entities, entity ?? null])}`;

export interface TaggedQuery {
  readonly text: string;
  readonly entities: readonly TagSpan[];
  /** Undefined if the rest of the text is in question. */
  readonly entity: TagSpan | undefined;
}

/** The text of a query, without its entities. */
export function textOfQuery(query: string): string {
  const at = query.lastIndexOf(ENTITY_SEPARATOR);
  return at < 0 ? query : query.slice(0, at);
}

/** Undefined for a text without entities. */
export function readTaggedQuery(query: string): TaggedQuery | undefined {
  const at = query.lastIndexOf(ENTITY_SEPARATOR);
  if (at < 0) return undefined;
  const [entities, entity] = JSON.parse(query.slice(at + 1)) as [TagSpan[], number | null];
  return { text: query.slice(0, at), entities, entity: entity === null ? undefined : entities[entity] };
}
