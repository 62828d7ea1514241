import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { areOpposed } from '../../src/language/english/antonyms.js';

describe('opposites', () => {
  test.each([
    ['good', 'bad'],
    ['unthinkable', 'imaginable'],
    ['unthinkable', 'thinkable'],
    ['unintentional', 'intentional'],
    ['charming', 'displeasing'],
    ['loved', 'hates'],
    ['changed', 'unchanged'],
    ['beautifully', 'hideously'],
    ['hopeful', 'hopeless'],
    ['harmless', 'harm'],
    ['flawless', 'flawed'],
    ['dislike', 'like'],
    ['won', 'lost'],
    ['success', 'failure'],
    ['better', 'worse'],
    ['best', 'worst'],
    ['interesting', 'dull'],
    ['boring', 'fascinating'],
    ['happily', 'unhappily'],
    ['dishonest', 'honest'],
    ['immature', 'mature'],
    ['irrelevant', 'relevant'],
    ['adore', 'hate'],
    ['Hot', 'cold'],
    ['superb', 'inferior'],
    ['amazing', 'awful'], // in one meaning in WordNet
  ])('%s, %s', (a, b) => {
    expect(areOpposed(a, b)).toBe(true);
    expect(areOpposed(b, a)).toBe(true);
  });

  test.each([
    ['good', 'fine'],
    ['film', 'movie'],
    ['charming', 'delightful'],
    ['flammable', 'inflammable'],
    ['sad', 'sorrowful'],
    ['funny', 'amusing'],
    ['great', 'great'],
    ['awful', 'terrible'],
    ['constructor', '__proto__'],
    ['', ''],
    ['', 'good'],
    ['映画', 'film'],
    ['unravel', 'ravel'],
    ['fail', 'miscarry'],
  ])('not %s, %s', (a, b) => expect(areOpposed(a, b)).toBe(false));
});

const lexicon = '../shared/data/lexicon';
describe.skipIf(!existsSync(lexicon))('on published word pairs (../shared/data/lexicon)', () => {
  const share = (file: string): number => {
    const pairs = readFileSync(`${lexicon}/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    const found = pairs.filter((pair) => areOpposed(...(pair.trim().split(/\s+/) as [string, string])));
    return found.length / pairs.length;
  };
  test('knows 98 % of 12,574 antonyms', () => expect(share('wordnet_antonyms.txt')).toBeGreaterThan(0.98));
  test('takes at most 0.2 % of 53,809 paraphrases for opposites', () =>
    expect(share('ppdb_synonyms.txt')).toBeLessThan(0.002));
});
