/** @file The labels of a model that tags tokens: BIO, BIOES and BILOU prefixes, or bare types. */
import { NO_ENTITY } from './span.js';

/** Position of a token in its entity: it begins one, is inside, ends one, is one alone, or the label does not say. */
export type TagPosition = 'begins' | 'inside' | 'ends' | 'alone' | 'unknown';

export interface TagColumn {
  /** Index of the type; -1 for no entity. */
  readonly type: number;
  readonly position: TagPosition;
}

export interface TagScheme {
  /** In the order of the model's columns. */
  readonly types: readonly string[];
  /** One for each label of the model. */
  readonly columns: readonly TagColumn[];
}

const POSITIONS: Readonly<Record<string, TagPosition>> = {
  B: 'begins',
  I: 'inside',
  M: 'inside',
  E: 'ends',
  L: 'ends',
  S: 'alone',
  U: 'alone',
};

/** The type and position that a tag names; undefined for no entity. */
export function readTag(tag: string): { readonly type: string; readonly position: TagPosition } | undefined {
  if (/^(O|OUTSIDE|0)$/i.test(tag)) return undefined;
  const [, letter = '', type = ''] = /^([BIMELSU])[-_](.+)$/.exec(tag) ?? [];
  const position = POSITIONS[letter];
  return position === undefined ? { type: tag, position: 'unknown' } : { type, position };
}

/** The scheme of a model's labels. Undefined if none of them says that a token belongs to no entity, or if none names a type. */
export function tagScheme(labels: readonly string[]): TagScheme | undefined {
  const tags = labels.map(readTag);
  const types = [...new Set(tags.flatMap((tag) => tag?.type ?? []))];
  if (types.length === 0 || !tags.includes(undefined) || types.includes(NO_ENTITY)) return undefined;
  const columns = tags.map(
    (tag): TagColumn =>
      tag === undefined ? { type: -1, position: 'unknown' } : { type: types.indexOf(tag.type), position: tag.position },
  );
  return { types, columns };
}

/** Does a token with this tag continue the entity of the token before? Invalid sequences begin a new entity, as in transformers. */
export const continuesEntity = (before: TagColumn, { type, position }: TagColumn): boolean =>
  before.type === type &&
  position !== 'begins' &&
  position !== 'alone' &&
  before.position !== 'ends' &&
  before.position !== 'alone';

/** The labels of a new model for these types: none, then the beginning and the inside of each (IOB2). */
export const iob2Labels = (types: readonly string[]): string[] => [
  NO_ENTITY,
  ...types.flatMap((type) => [`B-${type}`, `I-${type}`]),
];

/** Positions by which a scheme may name a place in an entity, the best first. */
const NAMED_BY: Readonly<Record<Exclude<TagPosition, 'unknown'>, readonly TagPosition[]>> = {
  begins: ['begins', 'unknown', 'inside'],
  inside: ['inside', 'unknown', 'begins'],
  ends: ['ends', 'inside', 'unknown', 'begins'],
  alone: ['alone', 'begins', 'unknown', 'inside', 'ends'],
};

/** The column of a place in an entity of a type, -1 for none. */
export function columnOf({ columns }: TagScheme, type: number, position: Exclude<TagPosition, 'unknown'>): number {
  const at = (named: TagPosition) => columns.findIndex((each) => each.type === type && each.position === named);
  if (type < 0) return columns.findIndex((each) => each.type < 0);
  return at(NAMED_BY[position].find((named) => at(named) >= 0) ?? 'unknown');
}
