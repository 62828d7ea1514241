/** The exhaustive check against brute force on toy classifiers, and against attacks whose edits are in its space. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attacks } from '../../attacks/index.js';
import { protect } from '../../src/constraints/words.js';
import { Draft } from '../../src/core/draft.js';
import { random } from '../../src/core/random.js';
import { applyEdits } from '../../src/core/text-edit.js';
import { english } from '../../src/language/english/index.js';
import { untargeted } from '../../src/search/goals.js';
import { draftOf } from '../../src/verify/allowed.js';
import { exhaustiveCheck } from '../../src/verify/exhaustive.js';
import { placesOf, type SpaceName } from '../../src/verify/spaces.js';
import { tries } from '../cover.js';
import { labelOf, toy, toyTarget } from '../search/toys.js';

const ALPHABET = 'ab ';

interface Verification {
  readonly texts: number;
  readonly finished: boolean;
}

const shortText = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 1, maxLength: 6 })
  .map((letters) => letters.join(''));

/** Scores by a hash of the text: some texts change the prediction, some tie it. */
function hashed(seed: number, rare: number) {
  return (text: string): Float32Array => {
    let hash = seed;
    for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
    const value = hash % rare;
    return value === 0
      ? Float32Array.of(0.9, 0.1)
      : value === 1
        ? Float32Array.of(0.5, 0.5)
        : Float32Array.of(0.2, 0.8);
  };
}

const allTexts = (text: string, edits: 1 | 2): string[] => {
  const terms = { language: english, alphabet: [...ALPHABET], repeats: true };
  const next = (of: string): string[] =>
    [...placesOf(['characters'], of, terms)].flatMap((place) =>
      [...place.edits()].map((edit) => applyEdits(of, [edit])),
    );
  const once = next(text);
  return [...new Set(edits === 1 ? once : [...once, ...once.flatMap(next)])].filter((each) => each !== text);
};

const check = async (
  text: string,
  classify: (text: string) => Float32Array,
  given: { edits?: 1 | 2; budget?: number; spaces?: readonly SpaceName[] } = {},
) => {
  const { edits = 1, budget, spaces = ['characters'] } = given;
  const target = toyTarget(text, { classify, ...(budget !== undefined && { budget }) });
  const attack = exhaustiveCheck({ spaces, edits, alphabet: ALPHABET });
  const attempt = await attack.run({ id: '0', text, label: 1 }, target);
  return { attempt, found: attempt.verification as Verification, asked: target.queried.slice(1) };
};

describe('one edit', () => {
  test('it is broken if and only if brute force finds a text that another label leads in; a tie breaks nothing', async () => {
    await fc.assert(
      fc.asyncProperty(shortText, fc.nat(), fc.integer({ min: 5, max: 200 }), async (text, seed, rare) => {
        const classify = (each: string) => (each === text ? Float32Array.of(0.2, 0.8) : hashed(seed, rare)(each));
        const rows = allTexts(text, 1).map((each) => ({ each, row: classify(each) }));
        const breaking = rows.filter(({ row }) => untargeted.reached(row, 1)).map(({ each }) => each);
        const { attempt, found, asked } = await check(text, classify);
        expect(attempt.succeeded).toBe(breaking.length > 0);
        if (attempt.succeeded) expect(breaking).toContain(attempt.text);
        else {
          expect(new Set(asked)).toEqual(new Set(rows.map(({ each }) => each)));
          expect(found).toEqual({ texts: asked.length, finished: true });
          // The run then records a tie: the text that it ends with is one where there is one.
          const ties = rows.filter(({ row }) => untargeted.tied?.(row, 1)).length;
          expect(untargeted.tied?.(attempt.probabilities, 1)).toBe(ties > 0);
        }
      }),
      { numRuns: tries(150) },
    );
  });
});

test('two edits: what pairs of edits that do not overlap can break is found, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(shortText, fc.nat(), fc.integer({ min: 60, max: 3000 }), async (text, seed, rare) => {
      const classify = (each: string) => (each === text ? Float32Array.of(0.2, 0.8) : hashed(seed, rare)(each));
      const { attempt, found, asked } = await check(text, classify, { edits: 2 });
      const twice = new Set(allTexts(text, 2));
      for (const each of asked) expect(twice.has(each) || each === text).toBe(true);
      if (attempt.succeeded) expect(untargeted.reached(classify(attempt.text as string), 1)).toBe(true);
      else expect(found.finished).toBe(true);
      const broken = asked.some((each) => untargeted.reached(classify(each), 1));
      expect(attempt.succeeded).toBe(broken);
    }),
    { numRuns: tries(25) },
  );
});

test.each([1, 2, 60, 90])('a budget of %i texts leaves the check unfinished, never proved', async (budget) => {
  const { attempt, found, asked } = await check('abababababababab', () => Float32Array.of(0.2, 0.8), { budget });
  expect(attempt).toMatchObject({ succeeded: false, reason: 'the query budget ended the check' });
  expect(found.finished).toBe(false);
  expect(asked.length).toBe(budget - 1);
});

test('a text whose space holds no text is marked as untried', async () => {
  const { attempt, found } = await check('Riga 1972', () => Float32Array.of(0.2, 0.8), { spaces: ['synonyms'] });
  expect(attempt).toMatchObject({ succeeded: false, reason: 'the space holds no text' });
  expect(found).toEqual({ texts: 0, finished: true });
});

test('a budget of exactly the space finishes it', async () => {
  const size = allTexts('ab', 1).length;
  const { found } = await check('ab', () => Float32Array.of(0.2, 0.8), { budget: size + 1 });
  expect(found).toEqual({ texts: size, finished: true });
});

const SENTENCES = [
  'a good film with a dull plot and a fine cast',
  'the lovely songs are great but the film is awful and tedious',
  'a charming story',
  'awful , poor and dull',
];

test.each([
  ['charmer:max-edits=1', { maxEdits: 1, alphabet: `${'abcdefghijklmnopqrstuvwxyz'} ` }, 'characters'],
  ['human-typos', {}, 'typos'],
  ['homoglyphs', { maxWords: 1 }, 'look-alikes'],
  ['punctuation', { maxFraction: 0.01 }, 'layout'],
  ['merge-words', { maxFraction: 0.01 }, 'layout'],
  ['synonym', { maxFraction: 0.01 }, 'synonyms'],
] as const)('a text that %s changes by one edit of the space is broken', async (spec, given, space) => {
  const plugin = attacks.find(({ name }) => name === spec.split(':')[0]);
  const attack = plugin?.create(plugin.options.parse(given));
  let successes = 0;
  for (const text of SENTENCES) {
    const example = { id: '0', text, label: labelOf(text) };
    const attempt = await attack?.run(example, toyTarget(text, { random: random(1, text) }));
    if (attempt?.succeeded !== true || attempt.changed > 1) continue;
    successes++;
    const exhaustive = exhaustiveCheck({ spaces: [space], edits: 1, alphabet: 'letters' });
    expect((await exhaustive.run(example, toyTarget(text))).succeeded, text).toBe(true);
  }
  if (space !== 'synonyms' && spec !== 'merge-words') expect(successes).toBeGreaterThan(0);
});

test('no text is sent in which a protected word or its borders changed', async () => {
  const text = 'a good film';
  const target = toyTarget(text, { constraints: [protect(['good'])], classify: () => toy(text) });
  const attack = exhaustiveCheck({ spaces: ['characters', 'layout'], edits: 1, alphabet: 'letters' });
  await attack.run({ id: '0', text, label: labelOf(text) }, target);
  expect(target.queried.length).toBeGreaterThan(100);
  for (const asked of target.queried) expect(asked).toMatch(/(?<!\S)good(?!\S)/);
});

test('the draft of edited texts is the text, with the edits in the slots that they touch', () => {
  const original = Draft.of('a good film .');
  fc.assert(
    fc.property(fc.nat(13), fc.nat(3), fc.constantFrom('', 'x', ' ', 'yz '), (start, length, put) => {
      const edit = { start, end: Math.min(13, start + length), text: put };
      expect(draftOf(original, [edit]).text).toBe(applyEdits(original.text, [edit]));
    }),
  );
  expect([...draftOf(original, [{ start: 2, end: 2, text: 'x' }]).editedSince(original)]).toEqual([1]);
  expect([...draftOf(original, [{ start: 6, end: 6, text: 's' }]).editedSince(original)]).toEqual([1]);
});
