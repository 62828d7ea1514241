/**
 * @file Precision, recall and F1 of found spans, as seqeval defines them for its strict mode: a found span is correct if a true one has the
 * same type, start and end. Partial: if a true one of the same type overlaps it. A span is counted once, so precision and recall have the
 * same numerator.
 */
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';
import { estimateSchema, rateSchema } from '../../core/statistics/rate.js';
import { sum, wilson } from '../../core/statistics/stats.js';
import { leakedCharacters, visibleIn } from '../../core/tags/entity-row.js';
import { overlaps, type TagSpan } from '../../core/tags/span.js';
import { clusteredMean, clusteredRate, spuriousIn, type TextShare } from './figures.js';

const scores = z.object({ precision: rateSchema, recall: rateSchema, f1: rateSchema });

export const cleanTagsSchema = z
  .object({
    strict: scores.describe('Same type, start and end, as in seqeval.'),
    partial: scores.describe('Same type and some common characters.'),
    byType: z.array(
      z.object({
        label: z.string(),
        precision: rateSchema,
        recall: rateSchema,
        f1: rateSchema,
        leakRate: rateSchema,
        support: count.describe('True entities.'),
      }),
    ),
    boundary: rateSchema.describe('Share of the entities that are found with their type and other boundaries.'),
    leakRate: rateSchema.describe('Share of the entities of which a character is covered by no span.'),
    leakedTexts: rateSchema.describe('Share of the texts with entities in which one leaks.'),
    spurious: estimateSchema.describe('Found spans beyond the true ones, a text.'),
    covered: rateSchema.describe('Share of the characters outside of the true entities that some span covers.'),
    texts: count,
  })
  .describe('For a model that tags: the spans that it finds. By type, strict. Intervals resample texts.');

export interface CleanTags extends Declared<typeof cleanTagsSchema> {}

interface TextSpans {
  readonly entities: readonly TagSpan[];
  readonly found: readonly TagSpan[];
  /** One for each entity. */
  readonly leaks: readonly boolean[];
  readonly spurious: number;
  /** Visible characters outside of the entities. */
  readonly outside: TextShare;
}

type Correct = (a: TagSpan, b: TagSpan) => boolean;

const strict: Correct = (a, b) => a.type === b.type && a.start === b.start && a.end === b.end;
const partial: Correct = (a, b) => a.type === b.type && overlaps(a, b);

/** Folds texts with their true and found spans. */
export class CleanTagFold {
  readonly #texts: TextSpans[] = [];

  /** `untyped`: what overlaps an entity is of its type. */
  add(text: string, entities: readonly TagSpan[], found: readonly TagSpan[], untyped = false): void {
    const plain = ({ start, end, type }: TagSpan): TagSpan => ({ start, end, type });
    const typed = (span: TagSpan): TagSpan => {
      const entity = untyped ? entities.find((each) => overlaps(each, span)) : undefined;
      return { ...plain(span), ...(entity && { type: entity.type }) };
    };
    this.#texts.push({
      entities: entities.map(plain),
      found: found.map(typed),
      leaks: entities.map((entity) => leakedCharacters(text, entity, { spans: found }).leaked > 0),
      spurious: spuriousIn(found, entities),
      outside: coveredOutside(text, entities, found),
    });
  }

  /** Undefined without texts. */
  value(types: readonly string[]): CleanTags | undefined {
    const texts = this.#texts;
    if (texts.length === 0) return undefined;
    const leaked = texts.filter(({ leaks }) => leaks.length > 0).map(({ leaks }) => leaks.includes(true));
    return {
      strict: scoresOf(texts, strict),
      partial: scoresOf(texts, partial),
      byType: types.flatMap((label) => {
        const own = texts
          .map((text) => ofType(text, label))
          .filter((text) => text.entities.length + text.found.length > 0);
        const support = sum(own.map(({ entities }) => entities.length));
        return own.length === 0 ? [] : [{ label, ...scoresOf(own, strict), leakRate: leakRateOf(own), support }];
      }),
      boundary: shareOf(texts, ({ entities, found }) =>
        entities.map(
          (entity) => found.some((span) => partial(span, entity)) && !found.some((span) => strict(span, entity)),
        ),
      ),
      leakRate: leakRateOf(texts),
      leakedTexts: wilson(leaked.filter(Boolean).length, leaked.length),
      spurious: clusteredMean(texts.map(({ spurious }) => spurious)),
      covered: clusteredRate(texts.map(({ outside }) => outside)),
      texts: texts.length,
    };
  }
}

const ofType = (text: TextSpans, label: string): TextSpans => ({
  ...text,
  entities: text.entities.filter(({ type }) => type === label),
  leaks: text.leaks.filter((_, at) => text.entities[at]!.type === label),
  found: text.found.filter(({ type }) => type === label),
});

function coveredOutside(text: string, entities: readonly TagSpan[], found: readonly TagSpan[]): TextShare {
  const within = (at: number) => (span: TagSpan) => span.start <= at && at < span.end;
  const places = visibleIn(text, { start: 0, end: text.length }).filter((at) => !entities.some(within(at)));
  return { hits: places.filter((at) => found.some(within(at))).length, n: places.length };
}

const shareOf = (texts: readonly TextSpans[], of: (text: TextSpans) => readonly boolean[]) =>
  clusteredRate(
    texts.map((text): TextShare => {
      const marks = of(text);
      return { hits: marks.filter(Boolean).length, n: marks.length };
    }),
  );

const leakRateOf = (texts: readonly TextSpans[]) => shareOf(texts, ({ leaks }) => leaks);

/** F1 is 2 * hits / (found + true): a share of all spans. */
function scoresOf(texts: readonly TextSpans[], correct: Correct) {
  const counts = texts.map(({ entities, found }) => ({
    hits: matches(entities, found, correct),
    entities: entities.length,
    found: found.length,
  }));
  return {
    precision: clusteredRate(counts.map(({ hits, found: n }) => ({ hits, n }))),
    recall: clusteredRate(counts.map(({ hits, entities: n }) => ({ hits, n }))),
    f1: clusteredRate(counts.map(({ hits, entities, found }) => ({ hits: 2 * hits, n: entities + found }))),
  };
}

/** Pairs of a true and a found span, each in one pair. Both lists are in the order of the text and without overlaps. */
function matches(entities: readonly TagSpan[], found: readonly TagSpan[], correct: Correct): number {
  let [hits, at] = [0, 0];
  for (const entity of entities) {
    const next = found.findIndex((span, index) => index >= at && correct(span, entity));
    if (next < 0) continue;
    hits++;
    at = next + 1;
  }
  return hits;
}
