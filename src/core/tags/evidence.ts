/** @file Evidence of a model that tags: the spans that it finds in an example and in its strongest rewrite. */
import { z } from 'zod';
import { count, type Declared, share } from '../declared.js';
import type { ExampleTexts } from '../pair.js';
import { leakedCharacters } from './entity-row.js';
import { type TaggedUnits, tagSpanSchema } from './span.js';

const found = z.array(tagSpanSchema.extend({ score: share }));

export const tagEvidenceSchema = z.object({
  before: found.describe('Spans that the model finds in the text.'),
  after: found.describe('Spans that it finds in the strongest rewrite. Absent if nothing was edited.').exactOptional(),
  entities: z
    .array(tagSpanSchema)
    .describe('The true entities in the strongest rewrite. Absent if nothing was edited.')
    .exactOptional(),
  characters: count.describe('Visible characters of the entity in question; 0 without one.'),
  leakedBefore: count.describe('Visible characters of the entity outside of all found spans, in the text.'),
  leaked: share.describe('Share of its visible characters outside of all found spans, in the strongest rewrite.'),
});

/** Found spans before and after an attack. */
export interface TagEvidence extends Declared<typeof tagEvidenceSchema> {}

/** Did a character of the entity leak before the attack? */
export const leakedBeforeAttack = ({ leakedBefore }: Pick<TagEvidence, 'leakedBefore'>): boolean => leakedBefore > 0;

/** Asks a model for all tags of a text, however it answers queries. */
export interface TagObserver {
  /** Types in the order of the victim's labels. */
  readonly types: readonly string[];
  tags(text: string): Promise<TaggedUnits>;
}

const written = ({ spans }: TaggedUnits): TagEvidence['before'] =>
  spans.map(({ start, end, type, score }) => ({ start, end, type, score: Math.round(Math.min(1, score) * 1e4) / 1e4 }));

/** The evidence on an example; `strongest`: its strongest rewrite, with the places of the entities there. */
export async function tagEvidence(
  { tags }: Pick<TagObserver, 'tags'>,
  example: ExampleTexts,
  strongest: ExampleTexts = example,
): Promise<TagEvidence> {
  const [before, after] = [await tags(example.text), await tags(strongest.text)];
  const leaks = ({ text, entities = [], entity = -1 }: ExampleTexts, tagged: TaggedUnits) =>
    entities[entity] === undefined ? { leaked: 0, of: 0 } : leakedCharacters(text, entities[entity], tagged);
  const [first, last] = [leaks(example, before), leaks(strongest, after)];
  const edited = strongest.text !== example.text;
  return {
    before: written(before),
    ...(edited && { after: written(after), entities: [...(strongest.entities ?? [])] }),
    characters: first.of,
    leakedBefore: first.leaked,
    leaked: last.of === 0 ? 0 : Math.round((last.leaked / last.of) * 1e4) / 1e4,
  };
}
