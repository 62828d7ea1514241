/** The search over positions: each place of the text is tested by its first rewrite, the best are searched through. */
import { describe, expect, test } from 'vitest';
import { compose, type Draft, maxEdits, type Transformation } from '../../src/plugin.js';
import { byPositions, type PositionOptions } from '../../src/search/positions.js';
import { rankings } from '../../src/search/ranking.js';
import { toyTarget } from './toys.js';

/** Each letter of a word replaced by each of these, in their order. */
const replacing = (letters: string): Transformation => ({
  name: `letters replaced by ${letters}`,
  *edits(draft: Draft, at) {
    for (const slot of at) {
      const word = draft.word(slot);
      for (let i = 0; i < word.length; i++) {
        for (const letter of letters) yield draft.replace(slot, word.slice(0, i) + letter + word.slice(i + 1));
      }
    }
  },
});

const OPTIONS: PositionOptions = { rounds: 3, positions: 2 };

async function searched(text: string, options: Partial<PositionOptions>, classify?: Parameters<typeof toyTarget>[1]) {
  const target = toyTarget(text, classify);
  const search = byPositions({ ...OPTIONS, ...options });
  const attack = compose({ transformation: replacing('xyz'), constraints: [maxEdits(3)], search });
  const attempt = await attack.run({ id: '0', text, label: 1 }, target);
  return { attempt, asked: target.queried.slice(1), name: search.name };
}

/** Positive but where the text holds "z" at place 1; "x" at place 1 is the best test. */
const vulnerable = (text: string): Float32Array => {
  const p = text[1] === 'z' ? 0.2 : text[1] === 'x' ? 0.6 : text[3] === 'x' ? 0.7 : 0.9;
  return Float32Array.of(1 - p, p);
};

describe('one round', () => {
  test('tests every place once, then asks the rest of the best places together', async () => {
    const { attempt, asked } = await searched('abcde', { rounds: 1 }, { classify: vulnerable });
    expect(asked).toEqual([...['xbcde', 'axcde', 'abxde', 'abcxe', 'abcdx'], ...['aycde', 'azcde', 'abcye', 'abcze']]);
    expect(attempt).toMatchObject({ succeeded: true, text: 'azcde', changed: 1 });
  });

  test('halved: a rewrite of each of the best places, then one more of the better half', async () => {
    const { attempt, asked } = await searched('abcde', { rounds: 1, halving: 1 }, { classify: vulnerable });
    expect(asked.slice(5)).toEqual(['aycde', 'abcye', 'azcde']);
    expect(attempt).toMatchObject({ succeeded: true, text: 'azcde' });
  });

  test('halved, a place whose rewrites are used up makes room', async () => {
    const stubborn = () => Float32Array.of(0.1, 0.9);
    const { asked } = await searched('abcde', { rounds: 1, positions: 5, halving: 1 }, { classify: stubborn });
    // Five tests, five rewrites, the last ones of three places.
    expect(asked).toHaveLength(5 + 5 + 3);
  });

  test('within the first words of a ranking', async () => {
    const within = { words: 1, ranking: rankings.unk };
    const { asked, name } = await searched('good plot', { rounds: 1, within });
    // Each word unknown, then places of "good" alone.
    expect(asked.slice(0, 2)).toEqual(['[UNK] plot', 'good [UNK]']);
    expect(asked.slice(2).every((text) => text.endsWith(' plot'))).toBe(true);
    expect(name).toBe('greedy over 2 positions of 1 words by unk importance');
  });
});

test('a round begins where the best rewrite of the one before ended', async () => {
  // Wrong only once three places hold "z"; each helps.
  const classify = (text: string) => {
    const p = 0.95 - 0.16 * [...text].filter((letter) => letter === 'z').length;
    return Float32Array.of(1 - p, p);
  };
  const { attempt, asked } = await searched('abcde', {}, { classify });
  expect(attempt).toMatchObject({ succeeded: true, text: expect.stringMatching(/^(?:[^z]*z){3}[^z]*$/) });
  // Five tests and two places of two further letters a round; at most, because no query repeats at a place that has the letter.
  expect(asked.length).toBeLessThanOrEqual(3 * (5 + 4));
  expect((await searched('abcde', { rounds: 2 }, { classify })).attempt.succeeded).toBe(false);
});

test('no more queries than the budget allows', async () => {
  const { asked, attempt } = await searched('abcde', {}, { classify: vulnerable, budget: 4 });
  expect(asked).toHaveLength(3);
  expect(attempt.succeeded).toBe(false);
});
