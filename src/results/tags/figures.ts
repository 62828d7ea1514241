/**
 * @file Figures of a model that tags. Found entities and leaks are counted for each entity; precision and F1 also need the spans beyond the
 * true ones. Intervals resample texts, not entities, because the entities of one text share its context.
 */
import { z } from 'zod';
import { count, type Declared } from '../../core/declared.js';
import { defined } from '../../core/defined.js';
import { getOrCompute } from '../../core/get-or-compute.js';
import { besideGoal, type Outcome } from '../../core/outcome.js';
import { type Random, random } from '../../core/random.js';
import { type PercentileBounds, percentileBounds } from '../../core/statistics/bootstrap.js';
import { type CountedEstimate, type Rate, rateSchema } from '../../core/statistics/rate.js';
import { wilson, wilsonBounds } from '../../core/statistics/stats.js';
import { overlaps, type TagSpan } from '../../core/tags/span.js';

const RESAMPLES = 1000;

/** `hits` of the `n` entities of a text have a property. */
export interface TextShare {
  readonly hits: number;
  readonly n: number;
}

/**
 * The share over texts. Its interval is the wider of two: resampled texts (percentiles), and Wilson's with the number of entities reduced by
 * the design effect. If all entities agree, resampling shows no variance, and the number of texts takes the place of that of entities.
 */
export function clusteredRate(texts: readonly TextShare[]): Rate {
  const of = texts.filter(({ n }) => n > 0);
  const [hits, n] = [sum(of.map((text) => text.hits)), sum(of.map((text) => text.n))];
  if (n === 0) return wilson(0, 0);
  const value = hits / n;
  const bounds = resampled(of, random(0, 'tags', String(n), String(of.length))) ?? { low: value, high: value };
  const effective = hits === 0 || hits === n ? of.length : n / designEffect(of, value, n);
  const { low, high } = wilsonBounds(value, effective);
  return { value, low: Math.min(low, bounds.low), high: Math.max(high, bounds.high), n };
}

/** The mean of a count over texts, of which there is at least one. Where all counts are 0, the bound is the rule of three. */
export function clusteredMean(counts: readonly number[]): CountedEstimate {
  const n = counts.length;
  const value = sum(counts) / n;
  const texts = counts.map((hits) => ({ hits, n: 1 }));
  const { low, high } = resampled(texts, random(0, 'tags', String(n))) ?? { low: value, high: value };
  return { value: round(value), low: round(low), high: value === 0 ? Math.min(1, 3 / n) : round(high), n };
}

/** The 95 % percentile interval of the share over resampled texts. */
function resampled(texts: readonly TextShare[], stream: Random): PercentileBounds | undefined {
  const draws = Array.from({ length: RESAMPLES }, () => {
    let [hits, n] = [0, 0];
    for (let draw = 0; draw < texts.length; draw++) {
      const text = texts[stream.int(texts.length)]!;
      hits += text.hits;
      n += text.n;
    }
    return hits / n;
  });
  return percentileBounds(draws);
}

/** How much larger the variance over texts is than that of independent entities; at least 1. */
function designEffect(texts: readonly TextShare[], value: number, n: number): number {
  const residuals = sum(texts.map(({ hits, n: size }) => (hits - value * size) ** 2));
  const clustered = (residuals * texts.length) / Math.max(1, texts.length - 1) / n ** 2;
  return Math.max(1, clustered / ((value * (1 - value)) / n));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const byType = z.array(
  z.object({ label: z.string(), recall: rateSchema, recallUnderAttack: rateSchema, leakRate: rateSchema }),
);

export const tagFiguresSchema = z
  .object({
    recall: rateSchema.describe('Share of the entities that the model finds before the attack.'),
    recallUnderAttack: rateSchema.describe('Share of the entities that it finds whatever the attacks tried.'),
    leakRate: rateSchema.describe(
      'Share of the entities of which a character is covered by no span, before the attack or in the strongest rewrite.',
    ),
    leakRateBefore: rateSchema.describe('The same before the attack.'),
    leakedCharacters: rateSchema.describe('Share of the visible characters of entities that no span covers.'),
    leakedTexts: rateSchema.describe('Share of the texts with entities in which one leaks.'),
    byType,
    spurious: z
      .object({ before: z.number(), after: z.number(), texts: count })
      .describe('Spans beyond the true entities, a text: before the attack and in the strongest rewrites.')
      .exactOptional(),
  })
  .describe('For a model that tags. Intervals resample texts.');

export interface TagFigures extends Declared<typeof tagFiguresSchema> {}

/** One entity under all attacks. */
export interface EntityState {
  /** Id of its text. */
  readonly text: string;
  readonly label: number;
  readonly found: boolean;
  kept: boolean;
  readonly leakedBefore: boolean;
  leaked: number;
  readonly characters: number;
}

/** More than a text has: entities are numbered through over the examples. */
const MOST_ENTITIES = 2 ** 20;

/** The text of an example. */
const textIdOf = (id: string): string => id.slice(0, id.lastIndexOf('#'));

/** Spans of a text that overlap no true entity. */
export const spuriousIn = (found: readonly TagSpan[], entities: readonly TagSpan[]): number =>
  found.filter((span) => entities.every((entity) => !overlaps(entity, span))).length;

/** Folds the outcomes of one or several attacks: an entity is lost, or leaks, if it does under any of them. */
export class TagFold {
  /** In the order of the examples and of the entities in them. */
  readonly entities = new Map<number, EntityState>();
  readonly #spurious = new Map<number, { readonly before: number; after: number }>();

  /** `index`: the example's position in the run. */
  add(outcome: Outcome, index: number): void {
    const { tags, entities = [], label, status } = outcome;
    if (tags === undefined || besideGoal(outcome) || status === 'errored') return;
    const after = spuriousIn(tags.after ?? tags.before, tags.entities ?? entities);
    const spans = getOrCompute(this.#spurious, index, () => ({ before: spuriousIn(tags.before, entities), after }));
    spans.after = Math.max(spans.after, after);
    const found = status !== 'skipped';
    const one = { label, found, kept: found && status !== 'succeeded', ...tags };
    const each = outcome.entity === undefined ? (tags.each ?? []) : [one];
    for (const [place, { characters, leakedBefore, leaked, ...now }] of each.entries()) {
      const entity = getOrCompute(this.entities, index * MOST_ENTITIES + place, () => ({
        text: textIdOf(outcome.id),
        label: now.label,
        found: now.found,
        kept: now.found,
        leakedBefore: leakedBefore > 0,
        leaked: leakedBefore / Math.max(1, characters),
        characters,
      }));
      entity.kept &&= now.kept;
      entity.leaked = Math.max(entity.leaked, leaked);
    }
  }

  /** Undefined without entities. */
  value(labels: readonly string[]): TagFigures | undefined {
    const all = [...this.entities.entries()].sort(([a], [b]) => a - b).map(([, entity]) => entity);
    if (all.length === 0 && this.#spurious.size === 0) return undefined;
    const types = labels.flatMap((name, label) => (all.some((each) => each.label === label) ? [{ name, label }] : []));
    const texts = [...this.#spurious.values()];
    const mean = (of: 'before' | 'after') => round(sum(texts.map((each) => each[of])) / texts.length);
    const leaks = rateOf(all, ({ leaked }) => leaked > 0);
    return {
      recall: rateOf(all, ({ found }) => found),
      recallUnderAttack: rateOf(all, ({ kept }) => kept),
      leakRate: leaks,
      leakRateBefore: rateOf(all, ({ leakedBefore }) => leakedBefore),
      leakedCharacters: characterRate(all),
      leakedTexts: textRate(all),
      byType: types.map(({ name, label }) => {
        const of = all.filter((each) => each.label === label);
        return {
          label: name,
          recall: rateOf(of, ({ found }) => found),
          recallUnderAttack: rateOf(of, ({ kept }) => kept),
          leakRate: rateOf(of, ({ leaked }) => leaked > 0),
        };
      }),
      ...defined({
        spurious:
          texts.length === 0 ? undefined : { before: mean('before'), after: mean('after'), texts: texts.length },
      }),
    };
  }
}

const round = (value: number): number => Math.round(value * 1e6) / 1e6;

function sharesBy(entities: readonly EntityState[], of: (entity: EntityState) => TextShare): TextShare[] {
  const texts = new Map<string, { hits: number; n: number }>();
  for (const entity of entities) {
    const text = getOrCompute(texts, entity.text, () => ({ hits: 0, n: 0 }));
    const { hits, n } = of(entity);
    text.hits += hits;
    text.n += n;
  }
  return [...texts.values()];
}

const rateOf = (entities: readonly EntityState[], holds: (entity: EntityState) => boolean): Rate =>
  clusteredRate(sharesBy(entities, (entity) => ({ hits: Number(holds(entity)), n: 1 })));

const characterRate = (entities: readonly EntityState[]): Rate =>
  clusteredRate(
    sharesBy(entities, ({ leaked, characters }) => ({ hits: Math.round(leaked * characters), n: characters })),
  );

/** Texts in which some entity leaks. */
function textRate(entities: readonly EntityState[]): Rate {
  const texts = sharesBy(entities, ({ leaked }) => ({ hits: Number(leaked > 0), n: 1 }));
  return wilson(texts.filter(({ hits }) => hits > 0).length, texts.length);
}
