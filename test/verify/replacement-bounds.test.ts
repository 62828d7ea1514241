/** The bound on replaced words against brute force: what it proves holds for every combination, and it proves all that brute force proves. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verify } from '../../attacks/verify.js';
import type { WindowVotes } from '../../src/core/certificate.js';
import { random } from '../../src/core/random.js';
import { applyEdits, type TextEdit } from '../../src/core/text-edit.js';
import type { EditPlace } from '../../src/verify/edits.js';
import { exhaustiveCheck } from '../../src/verify/exhaustive.js';
import { withstandsReplacements } from '../../src/verify/replacement-bounds.js';
import { tries } from '../cover.js';
import { toyTarget } from '../search/toys.js';

/** Tokens are words and marks, as a tokenizer of words splits them, or characters. */
const SPLITS = {
  words: (text: string) => text.match(/[a-z]+|[^a-z\s]/g) ?? [],
  characters: (text: string) => [...text],
};

interface Toy extends WindowVotes {
  /** The lead of label 1. */
  lead(text: string): number;
}

/** Three labels; each window's votes are a hash of its tokens and the label 1 leads by `lean`. */
function voting(reads: keyof typeof SPLITS, half: number, seed: number, lean: number, maximum = 200): Toy {
  const names = ['^', '$'];
  const idOf = (token: string): number => {
    if (!names.includes(token)) names.push(token);
    return names.indexOf(token);
  };
  const tokens = (text: string): number[] => ['^', ...SPLITS[reads](text), '$'].map(idOf);
  const votes: Toy['votes'] = (ids) => {
    const values = Array.from(ids, (_, at) => {
      const window = Array.from({ length: 2 * half + 1 }, (_, place) => names[ids[at + place - half] as number] ?? '-');
      const stream = random(seed, window.join(' '));
      const scores = [stream.normal(), stream.normal() + lean, stream.normal()].map(Math.exp);
      const sum = scores.reduce((total, each) => total + each, 0);
      return scores.map((each) => each / sum);
    });
    return { labels: 3, half, values: Float64Array.from(values.flat()), errors: new Float64Array(ids.length) };
  };
  const lead = (text: string): number => {
    const sums = [0, 1, 2].map((label) =>
      votes(tokens(text)).values.reduce((sum, vote, at) => (at % 3 === label ? sum + vote : sum), 0),
    );
    return (sums[1] as number) - Math.max(sums[0] as number, sums[2] as number);
  };
  return { reads, maximum, tokens, votes, lead };
}

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  film: ['movie', 'motion picture'],
  good: ['fine', 'great', 'ok'],
  dull: ['slow', 'tame'],
  cast: ['crew'],
};

/** A place for each word that has other words. */
const placesOf = (text: string): EditPlace[] =>
  Array.from(text.matchAll(/[a-z]+/g), ({ 0: word, index: start }) => ({
    start,
    end: start + word.length,
    edits: () => (OTHERS[word] ?? []).map((other) => ({ start, end: start + word.length, text: other })),
  }));

/** Every text with at most `most` replaced words. */
function allTexts(text: string, places: readonly EditPlace[], most: number): string[] {
  const chosen = (at: number, edits: readonly TextEdit[]): string[] => {
    const place = places[at];
    if (place === undefined) return [applyEdits(text, edits)];
    const kept = chosen(at + 1, edits);
    if (edits.length === most) return kept;
    return [...kept, ...[...place.edits()].flatMap((edit) => chosen(at + 1, [...edits, edit]))];
  };
  return chosen(0, []);
}

const sentences = fc
  .array(fc.constantFrom('film', 'good', 'dull', 'cast', 'a', 'the', 'plot', ','), { minLength: 2, maxLength: 7 })
  .map((words) => words.join(' '));

test('it proves exactly what brute force proves, for one, two and any number of words, and for words and characters', () => {
  let proved = 0;
  fc.assert(
    fc.property(
      sentences,
      fc.nat(),
      fc.constantFrom<0 | 1 | 2>(0, 1, 2),
      fc.constantFrom<'words' | 'characters'>('words', 'characters'),
      fc.integer({ min: 0, max: 3 }),
      (text, seed, edits, reads, half) => {
        const model = voting(reads, half, seed, 0.8);
        const places = placesOf(text);
        const texts = allTexts(text, places, edits === 0 ? places.length : edits);
        const least = Math.min(...texts.map(model.lead));
        fc.pre(Math.abs(least) > 0.05);
        const holds = withstandsReplacements(text, 1, { places, edits }, model);
        if (holds) proved++;
        expect(holds).toBe(least > 0);
      },
    ),
    { numRuns: tries(300), seed: 7 },
  );
  expect(proved).toBeGreaterThan(50);
});

describe('what the proof does not cover is not proved', () => {
  const certain = voting('words', 1, 1, 20);
  const holds = (text: string, places: Iterable<EditPlace>, model: WindowVotes = certain): boolean =>
    withstandsReplacements(text, 1, { places, edits: 0 }, model);
  const text = 'a good film, a good cast';
  const place = (start: number, end: number, other: string): EditPlace => ({
    start,
    end,
    edits: () => [{ start, end, text: other }],
  });

  test('while plain words are, parts of words, and articles with them', () => {
    expect(holds(text, placesOf(text))).toBe(true);
    expect(holds(text, [place(3, 6, 'reat'), place(14, 19, 'n ugly'), place(20, 24, 'crew')])).toBe(true);
  });

  test.each<[string, string, EditPlace[], WindowVotes]>([
    ['places that overlap', text, [place(0, 6, 'an ok'), place(2, 11, 'ok film')], certain],
    ['two places in one word', text, [place(2, 4, 'gr'), place(5, 6, 't')], certain],
    ['a replaced blank, which joins two words', text, [place(6, 7, ''), place(2, 3, 'f')], certain],
    ['a bracket, which may begin a special token', text, [place(2, 6, '[SEP]')], certain],
    ['a letter with two lower cases', text, [place(2, 6, '\u03A3')], certain],
    [
      'replacements that may make the text longer than the model reads',
      text,
      placesOf(text),
      voting('words', 1, 1, 20, 9),
    ],
    [
      'votes that may be rounded to others',
      text,
      placesOf(text),
      {
        ...certain,
        votes: (ids) => ({ ...certain.votes(ids), errors: new Float64Array(ids.length).fill(1.2) }),
      },
    ],
    [
      'votes that are no numbers',
      text,
      placesOf(text),
      {
        ...certain,
        votes: (ids) => ({ ...certain.votes(ids), values: new Float64Array(3 * ids.length).fill(Number.NaN) }),
      },
    ],
  ])('%s', (_, read, places, model) => {
    expect(holds(read, places, model)).toBe(false);
  });
});

describe('the exhaustive check of any number of synonyms', () => {
  const text = 'the smart kid begins a huge trip';
  const check = (edits: 0 | 1 | 2, classify: (read: string) => Float32Array) => {
    const target = toyTarget(text, { classify });
    const attack = exhaustiveCheck({ spaces: ['synonyms'], edits, alphabet: 'letters' });
    return attack.run({ id: '0', text, label: 1 }, target).then((attempt) => ({ attempt, queried: target.queried }));
  };
  const robust = () => Float32Array.of(0.2, 0.8);

  test('sends every combination of one synonym for each word once', async () => {
    const one = (await check(1, robust)).queried.length - 1;
    const two = (await check(2, robust)).queried.slice(1);
    const all = (await check(0, robust)).queried.slice(1);
    expect(new Set(all).size).toBe(all.length);
    expect(new Set(two).size).toBe(two.length);
    expect(all).toEqual(expect.arrayContaining(two));
    expect(two.length).toBeGreaterThan(one);
    expect(all.length).toBeGreaterThanOrEqual(two.length);
  });

  test('finds a text that only several synonyms together break', async () => {
    const words = (read: string): number =>
      read.split(' ').filter((word, at) => word.length > 2 && word !== text.split(' ')[at]).length;
    const classify = (read: string) => (words(read) >= 2 ? Float32Array.of(0.7, 0.3) : robust());
    expect((await check(1, classify)).attempt.succeeded).toBe(false);
    expect((await check(0, classify)).attempt.succeeded).toBe(true);
  });

  test('a space without words takes one or two edits', () => {
    for (const space of [['characters'], ['layout'], ['synonyms', 'typos']])
      expect(verify.options.safeParse({ space, edits: 0 }).error?.issues[0]?.message).toContain('expected 1 or 2');
    expect(verify.options.safeParse({ space: ['typos'], edits: 0 }).success).toBe(true);
  });
});
