import { expect, test } from 'vitest';
import { entityInWords, type MarkedPiece, markedTexts } from '../../reports/entity-marks.js';
import type { TagSpan } from '../../src/core/tags/span.js';

const TEXT = 'Dr Ann Lee met Bob in York';
const ADVERSARIAL = 'Dr Ann Leee met Bob in York';
const spans = (text: string, words: Readonly<Record<string, string>>): TagSpan[] =>
  Object.entries(words).map(([word, type]) => {
    const start = text.indexOf(word);
    return { start, end: start + word.length, type };
  });
const found = (text: string, words: Readonly<Record<string, string>>) =>
  spans(text, words).map((span) => ({ ...span, score: 1 }));

const outcome = {
  text: TEXT,
  adversarial: ADVERSARIAL,
  entities: spans(TEXT, { 'Ann Lee': 'PER', York: 'LOC' }),
  entity: 0,
  tags: {
    before: found(TEXT, { 'Dr Ann Lee': 'PER', York: 'PER' }),
    after: found(ADVERSARIAL, { Ann: 'PER', Bob: 'PER' }),
    entities: spans(ADVERSARIAL, { 'Ann Leee': 'PER', York: 'LOC' }),
    ...{ characters: 6, leakedBefore: 0, leaked: 0.5 },
  },
};

const shown = (pieces: readonly MarkedPiece[] = []) =>
  pieces.flatMap(({ text, mark, label }) => (mark ? [[text, mark, label ?? '']] : []));

test('pieces say what was found, retyped, missed, cut, and false', () => {
  const { before, after } = markedTexts(outcome)!;
  expect(before.map(({ text }) => text).join('')).toBe(TEXT);
  expect(after?.map(({ text }) => text).join('')).toBe(ADVERSARIAL);
  expect(shown(before)).toEqual([
    ['Dr ', 'beyond', ''],
    ['Ann Lee', 'found', 'PER'],
    ['York', 'retyped', 'LOC as PER'],
  ]);
  expect(shown(after)).toEqual([
    ['Ann', 'found', ''],
    [' Leee', 'leaked', 'PER cut'],
    ['Bob', 'beyond', 'PER false'],
    ['York', 'leaked', 'LOC missed'],
  ]);
});

test('the entity in question in words; other models have no pieces', () => {
  expect(entityInWords(outcome)).toBe('entity: Ann Lee (PER); after: Ann Leee, cut');
  const { tags: _, ...untagged } = outcome;
  expect(entityInWords(untagged)).toBe('entity: Ann Lee (PER)');
  expect(markedTexts(untagged)).toBeUndefined();
  expect(entityInWords({ text: TEXT })).toBeUndefined();
});
