import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../src/core/text-edit.js';
import { english } from '../../src/language/english/index.js';
import { editsBetween, minimise } from '../../src/search/minimise.js';

const words = fc.array(fc.constantFrom('good', 'a', 'an', 'film', ' ', ', ', '’s', '🙂', 'x\u200b', '\n'), {
  maxLength: 12,
});
const text = words.map((parts) => parts.join(''));

describe('the edits between two texts', () => {
  test('all of them make the rewrite, none of them the original', () => {
    fc.assert(
      fc.property(text, text, (original, rewrite) => {
        const edits = editsBetween(original, rewrite, english);
        expect(applyEdits(original, edits)).toBe(rewrite);
        expect(applyEdits(original, [])).toBe(original);
      }),
    );
  });

  test('an article and the word that it agrees with are one edit', () => {
    expect(editsBetween('a movie, a bet', 'an idea, a wager', english)).toEqual([
      { start: 0, end: 7, text: 'an idea' },
      { start: 11, end: 14, text: 'wager' },
    ]);
  });
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
        const edits = editsBetween(original, rewrite, english);
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
    const edits = editsBetween('one two', 'three four', english);
    const found = { score: 1, reached: true };
    expect(await minimise('one two', edits, found, async () => undefined)).toEqual({ edits, found });
  });
});
