import { expect, test } from 'vitest';
import { decodeTags, spansOfTags } from '../../src/core/tags/decode.js';
import { entityRow, foundType, leakedCharacters } from '../../src/core/tags/entity-row.js';
import { readTag, tagScheme } from '../../src/core/tags/scheme.js';
import { NO_ENTITY, type TagSpan } from '../../src/core/tags/span.js';
import { degeneracy } from '../../src/results/clean/degenerate.js';
import { CleanTagFold } from '../../src/results/tags/clean.js';
import { comparedTags } from '../../src/results/tags/compared.js';
import { clusteredRate, type EntityState } from '../../src/results/tags/figures.js';
import { cleanFold } from '../../src/tasks/clean.js';

const spans = (...found: [number, number, string][]): TagSpan[] =>
  found.map(([start, end, type]) => ({ start, end, type }));

test('tags become spans: IOB1, IOB2, BIOES, BILOU, bare types and invalid sequences', () => {
  const places = [0, 1, 2, 3, 4].map((at) => ({ start: 2 * at, end: 2 * at + 1 }));
  const of = (tags: string) =>
    spansOfTags(places, tags.split(' ').map(readTag)).map(({ start, end, type }) => `${type} ${start}-${end}`);
  expect(of('I-PER I-PER B-PER O O')).toEqual(['PER 0-3', 'PER 4-5']);
  expect(of('B-PER I-PER B-PER O I-LOC')).toEqual(['PER 0-3', 'PER 4-5', 'LOC 8-9']);
  expect(of('B-PER E-PER S-PER S-PER O')).toEqual(['PER 0-3', 'PER 4-5', 'PER 6-7']);
  expect(of('B-PER L-PER U-PER B-LOC L-LOC')).toEqual(['PER 0-3', 'PER 4-5', 'LOC 6-9']);
  expect(of('PER PER LOC O O')).toEqual(['PER 0-3', 'LOC 4-5']);
  expect(of('B-PER I-LOC O I-PER I-PER')).toEqual(['PER 0-1', 'LOC 2-3', 'PER 6-9']);
  expect(tagScheme(['A', 'B'])).toBeUndefined();
});

test('precision, recall and F1 by the definitions of seqeval, computed by hand', () => {
  const fold = new CleanTagFold();
  // Correct; wrong boundary; wrong type; missed; spurious.
  fold.add('Ann Rom(e) x', spans([0, 3, 'PER'], [5, 9, 'LOC']), spans([0, 3, 'PER'], [5, 8, 'LOC']));
  fold.add('Bob UN & Pat', spans([0, 3, 'PER'], [4, 6, 'ORG']), spans([0, 3, 'LOC'], [9, 12, 'PER']));
  const found = fold.value(['PER', 'LOC', 'ORG', 'MISC']);
  expect(found?.strict).toMatchObject({ precision: { value: 0.25, n: 4 }, recall: { value: 0.25, n: 4 } });
  expect(found?.strict.f1).toMatchObject({ value: 0.25, n: 8 });
  expect(found?.partial).toMatchObject({ precision: { value: 0.5 }, recall: { value: 0.5 }, f1: { value: 0.5 } });
  expect(found?.boundary.value).toBe(0.25);
  expect(found?.spurious).toMatchObject({ value: 0.5, n: 2 });
  // The last character of "Rom(e" in the first text, and all of "UN" in the second, are in no span.
  expect(found?.leakRate).toMatchObject({ value: 0.5, n: 4 });
  expect(found?.leakedTexts).toMatchObject({ value: 1, n: 2 });
  // Outside: "R", ")" and "x", then "&" and "Pat", of which only "Pat" is covered.
  expect(found?.covered).toMatchObject({ value: 3 / 7, n: 7 });
  expect(found?.byType.map(({ label, support, f1 }) => [label, support, f1.value])).toEqual([
    ['PER', 2, 0.5],
    ['LOC', 1, 0],
    ['ORG', 1, 0],
  ]);
});

test('a span counts for one entity: one that covers all of a text is no perfect tagger', () => {
  const fold = new CleanTagFold();
  fold.add('Ann and Bob', spans([0, 3, 'PER'], [8, 11, 'PER']), spans([0, 11, 'PER']));
  expect(fold.value(['PER'])?.partial).toMatchObject({ precision: { value: 1 }, recall: { value: 0.5 } });
});

test('a model that tags is degenerate if it finds nothing or covers everything, whatever its labels say', () => {
  const of = (found: TagSpan[]) => {
    const fold = new CleanTagFold();
    for (let text = 0; text < 40; text++) fold.add('Ann saw Rome', spans([0, 3, 'PER'], [8, 12, 'LOC']), found);
    const labels = cleanFold(['PER', 'LOC', NO_ENTITY]);
    for (let text = 0; text < 40; text++) labels.add(0, Float32Array.of(0, 1, 0));
    const { degenerate: _, ...figures } = labels.metrics();
    return degeneracy({ ...figures, tags: fold.value(['PER', 'LOC'])! });
  };
  expect(of([])).toEqual(['it finds no span in 40 texts with 80 entities']);
  expect(of(spans([0, 12, 'PER']))).toEqual(['its spans cover every character of 40 texts, whatever they say']);
  expect(of(spans([0, 3, 'LOC']))).toEqual([]);
});

test('two runs are compared entity by entity, with intervals over texts', () => {
  const state = (text: number, kept: boolean, leaked: number, label = 0): EntityState => ({
    ...{ text: String(text), label, found: true, kept, leakedBefore: false, leaked, characters: 3 },
  });
  // 20 texts with two entities each; the second run loses those of 10 texts.
  const run = (lost: number) =>
    new Map(
      Array.from({ length: 40 }, (_, at) => [at, state(at >> 1, at >= lost, at < lost ? 1 : 0, at % 2)] as const),
    );
  const found = comparedTags(run(0), run(20), ['PER', 'LOC', NO_ENTITY], 7);
  expect(found.map(({ metric }) => metric)).toEqual([
    ...['tags.recall', 'tags.recallUnderAttack', 'tags.leakRateBefore', 'tags.leakRate'],
    ...['tags.recallUnderAttack.PER', 'tags.leakRate.PER', 'tags.recallUnderAttack.LOC', 'tags.leakRate.LOC'],
  ]);
  const [recall, kept, , leaks] = found;
  expect(recall).toMatchObject({ p: 1, difference: { value: 0 } });
  expect(recall!.difference.high).toBeGreaterThan(0);
  expect(kept).toMatchObject({ difference: { value: -0.5, n: 40 }, a: { value: 1 }, b: { value: 0.5 } });
  expect(leaks!.adjustedP).toBeLessThan(0.01);
  // As wide as for 20 texts rather than 40 entities.
  expect(kept!.difference.high! - kept!.difference.low!).toBeGreaterThan(0.38);
  expect(comparedTags(run(0), new Map(), ['PER'], 7)).toEqual([]);
});

test('an interval over texts is wider than one over entities, and never empty', () => {
  const alike = clusteredRate(Array.from({ length: 10 }, (_, at) => ({ hits: at < 5 ? 10 : 0, n: 10 })));
  expect(alike).toMatchObject({ value: 0.5, n: 100 });
  expect(alike.high! - alike.low!).toBeGreaterThan(0.5);
  const none = clusteredRate(Array.from({ length: 20 }, () => ({ hits: 0, n: 5 })));
  expect(none.value).toBe(0);
  // Wilson's bound of 0 of 20 texts, not of 100 entities.
  expect(none.high).toBeCloseTo(0.161, 3);
  expect(clusteredRate([]).value).toBeNull();
});

test('found, cut, leaked', () => {
  const text = 'call Dr Ann Lee today';
  const entity = { start: 8, end: 15, type: 'PER' };
  const found = (...all: [number, number, string][]) => ({
    units: [],
    spans: spans(...all).map((s) => ({ ...s, score: 1 })),
  });
  expect(foundType(text, entity, found([8, 15, 'PER']))).toBe('PER');
  expect(foundType(text, entity, found([5, 15, 'PER']))).toBe('PER');
  expect(foundType(text, entity, found([0, 15, 'PER']))).toBeUndefined();
  expect(foundType(text, entity, found([8, 11, 'PER']))).toBeUndefined();
  expect(foundType(text, entity, found([8, 15, 'LOC']))).toBe('LOC');
  expect(leakedCharacters(text, entity, found([8, 11, 'LOC'], [12, 15, 'PER']))).toEqual({ leaked: 0, of: 6 });
  expect(leakedCharacters(text, entity, found([8, 11, 'LOC']))).toEqual({ leaked: 3, of: 6 });
});

test('the decided label leads the row of an entity, which sums to 1', () => {
  const scheme = tagScheme(['O', 'B-PER', 'I-PER'])!;
  const tagged = decodeTags(
    [
      { start: 0, end: 3, continues: false, row: Float32Array.of(0.1, 0.8, 0.1) },
      { start: 4, end: 7, continues: false, row: Float32Array.of(0.5, 0.1, 0.4) },
    ],
    scheme,
    'simple',
  );
  expect(tagged.spans).toMatchObject([{ start: 0, end: 3, type: 'PER' }]);
  const entity = { start: 0, end: 7, type: 'PER' };
  const row = entityRow(scheme.types, tagged, { text: 'Ann Lee', entities: [entity], entity }, { match: 'whole' });
  expect(row[1]).toBeGreaterThan(row[0]!);
  expect(row[0]! + row[1]!).toBeCloseTo(1, 6);
  const rest = entityRow(
    scheme.types,
    tagged,
    { text: 'Ann Lee', entities: [], entity: undefined },
    { match: 'whole' },
  );
  expect(rest[0]).toBeGreaterThan(rest[1]!);
});
