import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import { english } from '../../src/language/english/index.js';
import { minimise, withArticles } from '../../src/search/minimise.js';

test('an article and the word that it agrees with are one edit', () => {
  const draft = Draft.of('a movie, a bet').replaceAll(
    new Map([
      [0, 'an'],
      [1, 'idea'],
      [3, 'wager'],
    ]),
  );
  expect(withArticles('a movie, a bet', draft.edits, english)).toEqual([
    { start: 0, end: 7, text: 'an idea' },
    { start: 11, end: 14, text: 'wager' },
  ]);
});

describe('taking back edits', () => {
  /** Reached if the text holds all of these signs; every sign counts. */
  const judgeOf = (needed: readonly string[], asked: string[]) => async (texts: readonly string[]) => {
    asked.push(...texts);
    return texts.map((each) => {
      const score = needed.filter((sign) => each.includes(sign)).length;
      return { score, reached: score === needed.length };
    });
  };

  test('only the edits that the success needs are left, whatever their number', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(15), { maxLength: 5 }), async (needed) => {
        const original = Array.from({ length: 16 }, (_, at) => `w${at}.`).join(' ');
        const rewrite = original.replaceAll('w', 'v');
        const { edits } = Draft.of(original).replaceAll(new Map(Array.from({ length: 16 }, (_, at) => [at, `v${at}`])));
        const asked: string[] = [];
        const judge = judgeOf(
          needed.map((at) => `v${at}.`),
          asked,
        );
        const [found] = (await judge([rewrite])) ?? [];
        const least = await minimise(original, edits, found!, judge);
        const left = least.edits.map(({ text }) => Number(text.slice(1)));
        // One edit always stays: the unedited text is no success.
        expect(left.length).toBe(Math.max(1, needed.length));
        for (const at of needed) expect(left).toContain(at);
        expect(least.found.reached).toBe(true);
        expect(asked.length).toBeLessThan(6 * edits.length);
      }),
    );
  });

  test('without queries the success stays as it is', async () => {
    const { edits } = Draft.of('one two').replace(0, 'three').replace(1, 'four');
    const found = { score: 1, reached: true };
    expect(await minimise('one two', edits, found, async () => undefined)).toEqual({ edits, found });
  });
});
