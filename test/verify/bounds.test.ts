/** The bound on votes against brute force, on votes chosen to break it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { VotedText, WindowVotes } from '../../src/core/certificate.js';
import { random } from '../../src/core/random.js';
import { applyEdits } from '../../src/core/text-edit.js';
import { english } from '../../src/language/english/index.js';
import { withstands } from '../../src/verify/bounds.js';
import { exhaustiveCheck } from '../../src/verify/exhaustive.js';
import { placesOf } from '../../src/verify/spaces.js';
import { toyTarget } from '../search/toys.js';

const HALF = 1;

/** A vote for each window by its content: the share of label 1. */
function voting(share: (window: string) => number, maximum = 512): WindowVotes & { predicts(text: string): number } {
  const known = new Map<string, number>();
  const ids = (text: string): number[] => ['^', ...text, '$'].map((each) => each.codePointAt(0) as number);
  const votes = (read: ArrayLike<number>): VotedText => {
    const tokens = Array.from(read, (each) => String.fromCodePoint(each));
    const values = tokens.flatMap((_, at) => {
      const window = Array.from({ length: 2 * HALF + 1 }, (_, place) => tokens[at + place - HALF] ?? '-').join('');
      const vote = known.get(window) ?? share(window);
      known.set(window, vote);
      return [1 - vote, vote];
    });
    const errors = new Float64Array(tokens.length);
    return { labels: 2, half: HALF, values: Float64Array.from(values), errors };
  };
  return {
    reads: 'characters',
    maximum,
    tokens: ids,
    votes,
    predicts: (text) => votes(ids(text)).values.reduce((sum, value, at) => sum + (at % 2 === 1 ? value : -value), 0),
  };
}

/** The windows of the text vote for label 1 by the given shares, all others for label 0 with certainty: the worst case of the bound. */
function worstCase(text: string, seed: number) {
  const tokens = `-^${text}$-`;
  const known = new Set(Array.from(tokens, (_, at) => tokens.slice(at, at + 2 * HALF + 1)));
  return voting((window) => (known.has(window) ? 0.8 + 0.2 * random(seed, window).unit() : 0));
}

const hashed = (seed: number, lean: number) => voting((window) => random(seed, window).unit() ** lean);

const ALPHABET = ['a', 'b', ' '];

const singleEdits = (text: string): string[] =>
  [...placesOf(['characters'], text, { language: english, alphabet: ALPHABET, repeats: true })].flatMap((place) =>
    [...place.edits()].map((edit) => applyEdits(text, [edit])),
  );

const smallest = (model: ReturnType<typeof voting>, texts: readonly string[]): number =>
  Math.min(...texts.map((text) => model.predicts(text)));

const textOf = (minLength: number, maxLength: number) =>
  fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', ' ', 'e\u0301', '\u{1f600}'), { minLength, maxLength })
    .map((all) => all.join(''));

describe('a proved text', () => {
  test('has no edited text with another prediction, for one edit of any votes', async () => {
    let proved = 0;
    await fc.assert(
      fc.asyncProperty(textOf(6, 14), fc.nat(), fc.constantFrom(0.02, 0.05, 0.1), async (text, seed, lean) => {
        for (const model of [worstCase(text, seed), hashed(seed, lean)]) {
          const least = smallest(model, singleEdits(text));
          const holds = withstands(text, 1, { edits: 1, alphabet: ALPHABET }, model);
          if (!holds) continue;
          proved++;
          expect(least).toBeGreaterThan(0);
        }
      }),
      { numRuns: 60, seed: 5 },
    );
    expect(proved).toBeGreaterThan(20);
  });

  test('nor for two edits', async () => {
    let proved = 0;
    await fc.assert(
      fc.asyncProperty(textOf(20, 26), fc.nat(), async (text, seed) => {
        for (const model of [worstCase(text, seed), hashed(seed, 0.02)]) {
          if (!withstands(text, 1, { edits: 2, alphabet: ['a'] }, model)) continue;
          proved++;
          // Two insertions or replacements with a character whose windows all vote against the label.
          const letters = [...text];
          for (let first = 0; first <= letters.length; first++)
            for (let second = first; second <= letters.length; second++)
              for (const [one, two] of [
                [0, 0],
                [0, 1],
                [1, 0],
                [1, 1],
              ] as const) {
                if (second < first + one) continue;
                const edited = [
                  ...letters.slice(0, first),
                  'a',
                  ...letters.slice(first + one, second),
                  'a',
                  ...letters.slice(second + two),
                ];
                expect(model.predicts(edited.join(''))).toBeGreaterThan(0);
              }
        }
      }),
      { numRuns: 20, seed: 6 },
    );
    expect(proved).toBeGreaterThan(10);
  });
});

test('the bound is tight: against the worst votes it proves every text that brute force proves with a character of its own', async () => {
  const stranger = ['~'];
  for (let seed = 0; seed < 40; seed++) {
    const text = Array.from({ length: 4 + (seed % 8) }, (_, at) => String.fromCharCode(97 + at)).join('');
    const model = worstCase(text, seed);
    const places = placesOf(['characters'], text, { language: english, alphabet: stranger, repeats: true });
    const edited = [...places].flatMap((place) => [...place.edits()].map((edit) => applyEdits(text, [edit])));
    expect(withstands(text, 1, { edits: 1, alphabet: stranger }, model)).toBe(smallest(model, edited) > 0.002);
  }
});

describe('the exhaustive check', () => {
  const text = 'a film about the sea and all of its ships';
  const classify = () => Float32Array.of(0.2, 0.8);
  const check = async (given: { edits?: 1 | 2; share?: number } = {}) => {
    const { edits = 2, share = 1 } = given;
    const target = toyTarget(text, { classify, budget: 100 });
    const attack = exhaustiveCheck({ spaces: ['characters'], edits, alphabet: 'ab' });
    const bounded = Object.assign(Object.create(target), { votes: async () => voting(() => share) });
    const { verification } = await attack.run({ id: '0', text, label: 1 }, bounded);
    return { verification, texts: target.queried.length - 1 };
  };

  test('a text that the bound proves is not queried, for one edit and for two', async () => {
    for (const edits of [1, 2] as const)
      expect(await check({ edits })).toEqual({
        verification: { texts: 0, finished: true, method: 'bounds' },
        texts: 0,
      });
  });

  test('a text that it does not prove is queried', async () => {
    const { verification, texts } = await check({ share: 0.5 });
    expect(verification).not.toHaveProperty('method');
    expect(texts).toBeGreaterThan(50);
  });
});

describe('what the proof does not cover is not proved', () => {
  const certain = voting(() => 1);
  const long = 'a film about the sea and all of its ships';
  const ball = { edits: 1, alphabet: ['a'] } as const;

  test('while a plain text is', async () => {
    expect(withstands(long, 1, ball, certain)).toBe(true);
    expect(withstands(long, 0, ball, certain)).toBe(false);
  });

  test.each([
    ['a letter whose lower case is two code points', `${long} \u0130`, ball, certain],
    ['a letter with two lower cases', `${long} \u03A3`, ball, certain],
    ['half a surrogate pair', `${long} \ud83d`, ball, certain],
    ['an inserted text of two code points', long, { edits: 1, alphabet: ['ab'] } as const, certain],
    ['a text that an insertion could make longer than the model reads', long, ball, voting(() => 1, long.length + 2)],
  ])('%s', async (_, text, terms, model) => {
    expect(withstands(text, 1, terms, model)).toBe(false);
  });

  test('characters of a model of words, whose tokens an edit may join', () => {
    expect(withstands('!!!!', 1, ball, { ...certain, reads: 'words' })).toBe(false);
  });

  test('votes that single precision may round to others', () => {
    const errors = (error: number): WindowVotes => ({
      ...certain,
      votes: (tokens) => ({ ...certain.votes(tokens), errors: new Float64Array(tokens.length).fill(error) }),
    });
    expect(withstands(long, 1, ball, errors(1e-3))).toBe(true);
    expect(withstands(long, 1, ball, errors(1))).toBe(false);
  });

  test('votes that are no numbers', () => {
    const noNumbers = voting(() => Number.NaN);
    expect(withstands(long, 1, ball, noNumbers)).toBe(false);
  });
});
