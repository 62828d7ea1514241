import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { areOpposed } from '../../src/language/english/antonyms.js';
import { cases } from './cases.js';

describe('opposites', () => {
  test.each(cases<[string, string]>('antonyms', 'opposites'))('%s, %s', (a, b) => {
    expect(areOpposed(a, b)).toBe(true);
    expect(areOpposed(b, a)).toBe(true);
  });

  test.each(cases<[string, string]>('antonyms', 'no opposites'))('not %s, %s', (a, b) =>
    expect(areOpposed(a, b)).toBe(false),
  );
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
