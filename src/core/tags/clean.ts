/**
 * @file Precision, recall and F1 of found spans, as seqeval defines them for its strict mode: a found span is correct if a true one has the
 * same type, start and end. Partial: if a true one of the same type overlaps it.
 */
import { z } from 'zod';
import { count, type Declared } from '../declared.js';
import { rateSchema } from '../rate.js';
import { clusteredRate, spuriousIn, type TextShare } from './figures.js';
import { overlaps, type TagSpan } from './span.js';

const share = z.number().min(0).max(1);
const scores = z.object({ precision: rateSchema, recall: rateSchema, f1: share });

export const cleanTagsSchema = z
  .object({
    strict: scores.describe('Same type, start and end, as in seqeval.'),
    partial: scores.describe('Same type and some common characters.'),
    byType: z.array(
      z.object({ label: z.string(), precision: rateSchema, recall: rateSchema, f1: share, support: count }),
    ),
    boundary: rateSchema.describe('Share of the entities that are found with their type and other boundaries.'),
    spurious: z.number().describe('Found spans beyond the true ones, a text.'),
    texts: count,
  })
  .describe('For a model that tags: the spans that it finds. By type, strict. Intervals resample texts.');

export interface CleanTags extends Declared<typeof cleanTagsSchema> {}

interface TextSpans {
  readonly entities: readonly TagSpan[];
  readonly found: readonly TagSpan[];
}

type Correct = (a: TagSpan, b: TagSpan) => boolean;

const strict: Correct = (a, b) => a.type === b.type && a.start === b.start && a.end === b.end;
const partial: Correct = (a, b) => a.type === b.type && overlaps(a, b);

/** Folds texts with their true and found spans. */
export class CleanTagFold {
  readonly #texts: TextSpans[] = [];

  add(entities: readonly TagSpan[], found: readonly TagSpan[]): void {
    const plain = ({ start, end, type }: TagSpan): TagSpan => ({ start, end, type });
    this.#texts.push({ entities: entities.map(plain), found: found.map(plain) });
  }

  /** Undefined without texts. */
  value(types: readonly string[]): CleanTags | undefined {
    const texts = this.#texts;
    if (texts.length === 0) return undefined;
    return {
      strict: scoresOf(texts, strict),
      partial: scoresOf(texts, partial),
      byType: types.flatMap((label) => {
        const of = (spans: readonly TagSpan[]) => spans.filter(({ type }) => type === label);
        const own = texts.map(({ entities, found }) => ({ entities: of(entities), found: of(found) }));
        const support = own.reduce((total, { entities }) => total + entities.length, 0);
        return support + own.reduce((total, { found }) => total + found.length, 0) === 0
          ? []
          : [{ label, ...scoresOf(own, strict), support }];
      }),
      boundary: shareOf(texts, ({ entities, found }) =>
        entities.map(
          (entity) => found.some((span) => partial(span, entity)) && !found.some((span) => strict(span, entity)),
        ),
      ),
      spurious: texts.reduce((total, { entities, found }) => total + spuriousIn(found, entities), 0) / texts.length,
      texts: texts.length,
    };
  }
}

const shareOf = (texts: readonly TextSpans[], of: (text: TextSpans) => boolean[]) =>
  clusteredRate(
    texts.map((text): TextShare => {
      const marks = of(text);
      return { hits: marks.filter(Boolean).length, n: marks.length };
    }),
  );

function scoresOf(texts: readonly TextSpans[], correct: Correct) {
  const precision = shareOf(texts, ({ entities, found }) =>
    found.map((span) => entities.some((entity) => correct(span, entity))),
  );
  const recall = shareOf(texts, ({ entities, found }) =>
    entities.map((entity) => found.some((span) => correct(span, entity))),
  );
  const [p, r] = [precision.value ?? 0, recall.value ?? 0];
  return { precision, recall, f1: p + r === 0 ? 0 : (2 * p * r) / (p + r) };
}
