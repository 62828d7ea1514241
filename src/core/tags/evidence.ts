/** @file Evidence of a model that tags: the spans that it finds in an example and in its strongest rewrite. */
import { z } from 'zod';
import { count, type Declared, share } from '../declared.js';
import type { ExampleTexts } from '../pair.js';
import { entityFound, leakedCharacters, type RowReading } from './entity-row.js';
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
  each: z
    .array(
      z.object({
        label: count.describe("Index of the entity's type among the labels."),
        found: z.boolean(),
        kept: z.boolean().describe('Found in the strongest rewrite too.'),
        characters: count,
        leakedBefore: count,
        leaked: share,
      }),
    )
    .describe('The true entities of a text that is in question as a whole.')
    .exactOptional(),
});

/** Found spans before and after an attack. */
export interface TagEvidence extends Declared<typeof tagEvidenceSchema> {}

/** Asks a model for all tags of a text, however it answers queries. */
export interface TagObserver {
  /** Types in the order of the victim's labels. */
  readonly types: readonly string[];
  /** It redacts: its spans have no types of their own. */
  readonly untyped?: boolean;
  tags(text: string): Promise<TaggedUnits>;
}

const written = ({ spans }: TaggedUnits): TagEvidence['before'] =>
  spans.map(({ start, end, type, score }) => ({ start, end, type, score: Math.round(Math.min(1, score) * 1e4) / 1e4 }));

/** The evidence on an example; `strongest`: its strongest rewrite, with the places of the entities there. */
export async function tagEvidence(
  { tags, types }: TagObserver,
  reading: Partial<RowReading>,
  example: ExampleTexts,
  strongest: ExampleTexts = example,
): Promise<TagEvidence> {
  const [before, after] = [await tags(example.text), await tags(strongest.text)];
  const leaks = ({ text, entities = [] }: ExampleTexts, tagged: TaggedUnits, at: number) =>
    entities[at] === undefined ? { leaked: 0, of: 0 } : leakedCharacters(text, entities[at], tagged);
  const leaksOf = (at: number) => {
    const [first, last] = [leaks(example, before, at), leaks(strongest, after, at)];
    return { characters: first.of, leakedBefore: first.leaked, leaked: shareOf(last.leaked, last.of) };
  };
  const edited = strongest.text !== example.text;
  return {
    before: written(before),
    ...(edited && { after: written(after), entities: [...(strongest.entities ?? [])] }),
    ...leaksOf(example.entity ?? -1),
    ...(reading.share !== undefined && {
      each: (example.entities ?? []).map(({ type }, at) => {
        const isFound = ({ text, entities = [] }: ExampleTexts, tagged: TaggedUnits): boolean =>
          entityFound(text, entities[at]!, tagged, reading.match ?? 'whole');
        const found = isFound(example, before);
        return { label: types.indexOf(type), found, kept: found && isFound(strongest, after), ...leaksOf(at) };
      }),
    }),
  };
}

const shareOf = (some: number, of: number): number => (of === 0 ? 0 : Math.round((some / of) * 1e4) / 1e4);
