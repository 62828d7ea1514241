/** The search for victims that answer labels only, on filters by lists of words. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { homoglyphs } from '../../attacks/homoglyphs.js';
import { synonym } from '../../attacks/synonym.js';
import { textbugger } from '../../attacks/textbugger.js';
import { maxWords } from '../../src/constraints/edits.js';
import { random } from '../../src/core/random.js';
import type { EvasionPlugin } from '../../src/plugin.js';
import { toyTarget } from './toys.js';

/** 0 or 1: does the text have `least` of the words? */
const filter =
  (list: readonly string[], least = 1) =>
  (text: string): Float32Array => {
    const words = text.toLowerCase().split(/[^\p{L}]+/u);
    const flagged = list.filter((word) => words.includes(word)).length >= least;
    return Float32Array.of(Number(!flagged), Number(flagged));
  };

const run = async (plugin: EvasionPlugin, text: string, classify: (text: string) => Float32Array, seed = 7) => {
  const target = toyTarget(text, {
    classify,
    labelsOnly: true,
    random: random(seed, text),
    constraints: [maxWords(4)],
  });
  const label = Number(classify(text)[1]);
  const attempt = await plugin.create(plugin.options.parse({})).run({ id: '0', text, label }, target);
  return { attempt, queries: target.queried.length };
};

const LONG =
  'yesterday the committee discussed several proposals about parking near the central station and nobody objected';

describe('a list of words', () => {
  test('falls with a handful of queries, by edits of its words alone', async () => {
    const { attempt, queries } = await run(textbugger, `${LONG} except some idiot from accounting`, filter(['idiot']));
    expect(attempt).toMatchObject({ succeeded: true, changed: 1 });
    expect(attempt.text).toContain(LONG);
    expect(queries).toBeLessThan(25);
  });

  test('falls where several of its words stand', async () => {
    const text = `some idiot said ${LONG} and a moron agreed with that scoundrel`;
    const { attempt } = await run(textbugger, text, filter(['idiot', 'moron', 'scoundrel']));
    expect(attempt).toMatchObject({ succeeded: true, changed: 3 });
  });

  test('of words that count together, no more are edited than need be', async () => {
    const text = `some idiot said ${LONG} and a moron agreed with that scoundrel`;
    const { attempt } = await run(homoglyphs, text, filter(['idiot', 'moron', 'scoundrel'], 2));
    expect(attempt).toMatchObject({ succeeded: true, changed: 2 });
  });

  test('without an edit of a word that decides, nothing was tried', async () => {
    const { attempt } = await run(synonym, `${LONG} except some wazzock from accounting`, filter(['wazzock']));
    expect(attempt).toMatchObject({ succeeded: false, reach: 0, reason: expect.any(String) });
    const other = await run(synonym, `${LONG} except that it was a risky bet`, filter(['risky']));
    expect(other.attempt).toMatchObject({ succeeded: true, changed: 1 });
  });
});

test('no success but what the victim misjudges, within the constraints, and the same for the same seed', async () => {
  const words = ['idiot', 'moron', 'kitchen', 'window', 'yesterday', 'brother', 'very', 'parking', 'the', 'a'];
  const word = fc.constantFrom(...words);
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 12 }),
      fc.uniqueArray(word, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(textbugger, homoglyphs, synonym),
      fc.integer({ min: 1, max: 60 }),
      async (drawn, list, least, plugin, seed) => {
        const text = drawn.join(' ');
        const classify = filter(list, least);
        const { attempt, queries } = await run(plugin, text, classify, seed);
        const before = Number(classify(text)[1]);
        expect(attempt.succeeded).toBe(Number(classify(attempt.text ?? text)[1]) !== before);
        expect(attempt.probabilities).toEqual(classify(attempt.text ?? text));
        expect(attempt.changed).toBeLessThanOrEqual(4);
        expect(await run(plugin, text, classify, seed)).toEqual({ attempt, queries });
      },
    ),
    { numRuns: 60 },
  );
});
