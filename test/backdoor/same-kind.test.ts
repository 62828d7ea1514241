/** Clean texts that are no measure for the suspects: whatever a filter finds with them is inconclusive. */
import { expect, test } from 'vitest';
import { filterTexts } from '../../src/backdoor/filter/filter.js';
import { otherKind } from '../../src/backdoor/filter/same-kind.js';
import { random } from '../../src/core/random.js';
import { english } from '../../src/language/english/index.js';
import { LABELS, opinions, type Told } from './toys.js';

const clean = opinions(300, 0, 7);
const suspects = opinions(400, 0.05, 3);
const filtered = (texts: readonly Told[], known: readonly Told[]) =>
  filterTexts({ suspects: texts, clean: known, labels: LABELS, language: english, frr: 0.02, seed: 1 });
const GERMAN = ['der', 'trübe', 'schöne', 'saal', 'klang', 'leise', 'und', 'bunte', 'abend', 'stuhl', 'ohne', 'glanz'];
const german = clean.map((each) => {
  const draw = random(4, each.id);
  return { ...each, text: Array.from({ length: 9 }, () => draw.pick(GERMAN)).join(' ') };
});
const numbers = (texts: readonly Told[]) => texts.map((each, at) => ({ ...each, text: `${at} ${7 * at}` }));
const swapped = (texts: readonly Told[]) => texts.map((each) => ({ ...each, label: 1 - each.label }));
const shuffled = (texts: readonly Told[]) => texts.map((each) => ({ ...each, label: random(5, each.id).int(2) }));
const two = (texts: readonly Told[]) =>
  texts.map((each, at) => ({ ...each, text: at % 2 === 0 ? 'a dull film' : 'a lovely song' }));

test.each([
  ['suspects of two sentences', two(suspects), clean, /are 2 different texts/],
  ['clean texts of two sentences', suspects, two(clean), /clean texts: .* are 2 different texts/],
  ['suspects of numbers', numbers(suspects), clean, /contain no letters/],
  ['clean texts of numbers', suspects, numbers(clean), /clean texts: .* contain no letters/],
  ['clean texts of another language', suspects, german, /of another kind or language/],
  ['clean texts with swapped labels', suspects, swapped(clean), /labels do not mean the same/],
  ['suspects with random labels', shuffled(suspects), clean, /labels do not mean the same/],
])('inconclusive: %s', async (_, texts, known, reason) => {
  const { verdict, reasons } = await filtered(texts, known);
  expect(reasons.join()).toMatch(reason);
  expect(verdict).toBe('inconclusive');
});

test('clean texts of the same kind raise no doubt, with poison in the suspects or without', () => {
  for (const texts of [suspects, opinions(400, 0, 4), opinions(400, 0.2, 5)]) {
    expect(otherKind(texts, clean, LABELS, english)).toEqual([]);
  }
});
