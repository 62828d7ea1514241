/** Copies, unreadable texts and unsteady answers are no evidence; ordinary measurements are. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wilson } from '../../src/core/statistics/stats.js';
import { distinctBy, TextCensus, textKey } from '../../src/results/clean/text-census.js';
import type { AttackMetrics } from '../../src/results/measures/attack-metrics.js';
import { attackRates } from '../../src/results/measures/attack-rates.js';
import { type EvidenceFacts, notEvidence } from '../../src/results/report/evidence.js';
import { matrix } from '../matrix.js';
import { scene } from '../scenes.js';

describe('different texts', () => {
  test.each([
    ['letter case', 'A good FILM.', 'a Good film.'],
    ['spacing', 'a good film', '  a\tgood\u00a0\n film '],
    ['punctuation', 'a good film', 'a good film!!! ...'],
    ['a trailing number', 'a good film 1', 'a good film 274'],
    ['digits of other scripts', 'room 12', 'room ١٢'],
    ['invisible characters', 'a good film', 'a go\u200bod fi\u00adlm\ufeff'],
    ['variation selectors', 'good ❤', 'good ❤\ufe0f'],
    ['compatibility forms', 'a good film', 'ａ ｇｏｏｄ ﬁlm'],
  ])('%s makes no difference', (_, one, other) => {
    expect(textKey(one)).toBe(textKey(other));
    expect(TextCensus.of([one, other])).toEqual({ examples: 2, distinct: 1, wordless: 0 });
  });

  test.each([
    ['another word', 'a good film', 'a bad film'],
    ['an accent', 'resume', 'résumé'],
    ['another order', 'dog bites man', 'man bites dog'],
    ['another emoji', 'so 😀', 'so 😡'],
  ])('%s does', (_, one, other) => expect(textKey(one)).not.toBe(textKey(other)));

  test('the first of each key is kept, in order', () => {
    expect(distinctBy(['b', 'A', 'a!', 'B'], (text) => text)).toEqual(['b', 'A']);
  });

  test('texts without letters are counted, and those that the model cannot read', () => {
    const lacks = (text: string): boolean => text.includes('日');
    expect(TextCensus.of(['12', '!?', 'word', '日本'], lacks)).toEqual({
      ...{ examples: 4, distinct: 4, wordless: 2, unknown: 1 },
    });
  });

  test('is exact for up to 4,096 texts and close beyond, whatever their order', () => {
    const word = (at: number): string => Array.from(String(at), (digit) => 'abcdefghij'[Number(digit)]).join('');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 4 }), (texts, copies) => {
        const all = Array.from({ length: texts * copies }, (_, at) => word(at % texts));
        expect(TextCensus.of(all).distinct).toBe(texts);
      }),
      { numRuns: 20 },
    );
    const { distinct } = TextCensus.of(Array.from({ length: 30_000 }, (_, at) => word(at % 15_000)));
    expect(Math.abs(distinct - 15_000)).toBeLessThan(1500);
  });
});

describe('is this evidence', () => {
  const clean = {
    accuracy: wilson(90, 100),
    perClass: [{ label: 'no' }, { label: 'yes' }],
    confusion: matrix('45 5; 5 45'),
  };
  const attack = (figures: Partial<AttackMetrics>): AttackMetrics => ({
    ...{ name: 'a', suite: null, constraints: [], options: {}, seconds: 0, perClass: [], perturbedWords: null },
    ...{ succeeded: 30, failed: 60, tied: 0, skipped: 10, errored: 0, queries: { asked: 1, computed: 1 } },
    ...attackRates({ flipped: 30, kept: 60, wrong: 10 }),
    ...figures,
  });
  const texts = TextCensus.of(Array.from({ length: 100 }, (_, at) => scene(at)));
  const honest: EvidenceFacts = { clean, texts, minTexts: 30, attacks: [attack({})], maxErrorRate: 0.02 };
  const counts = { examples: 100, distinct: 100, wordless: 0 };
  const none = { succeeded: 0, failed: 0, attackSuccessRate: wilson(0, 0) };
  const repeatability = { asked: 16, changed: 2, difference: 0.3 };
  const oneClass = {
    accuracy: wilson(100, 100),
    confusion: matrix('0 0; 0 100'),
  };

  test('an ordinary measurement is', () => {
    expect(notEvidence(honest)).toEqual([]);
    expect(notEvidence({})).toEqual([]);
  });

  test.each<readonly [string, EvidenceFacts]>([
    ['half of the texts are copies', { texts: { ...counts, distinct: 50 } }],
    ['too few different texts', { texts: { ...counts, distinct: 60 }, minTexts: 61 }],
    ['texts without letters', { texts: { ...counts, wordless: 51 } }],
    ['unknown words', { texts: { ...counts, unknown: 51 } }],
    ['unsteady answers', { clean: { ...clean, repeatability } }],
    ['one decision reversed outright', { clean: { ...clean, repeatability: { ...repeatability, changed: 1 } } }],
    ['a constant victim', { constant: true }],
    [
      'a victim of one answer',
      {
        clean: {
          ...clean,
          confusion: matrix('50 0; 50 0'),
        },
      },
    ],
    ['one class alone', { clean: { ...clean, ...oneClass }, attacks: [attack({ succeeded: 0 })] }],
    ['something missing', { gaps: ['shard 2 of 2 is missing'] }],
    ['no attack carried out', { attacks: [attack(none)] }],
    ['no attack applicable', { attacks: [attack({ applicable: false })] }],
    ['attacks that tried nothing', { attacks: [attack({ succeeded: 0, untried: [{ reason: 'no edit', n: 60 }] })] }],
    ['too many errors', { attacks: [attack({ errored: 3 })] }],
  ])('%s: not', (_, facts) => {
    const reasons = notEvidence({ ...honest, ...facts });
    expect(reasons).toHaveLength(1);
    expect(reasons).toMatchSnapshot();
  });

  test('a degenerate victim may be accepted, copies never', () => {
    const facts = { ...honest, constant: true, allowDegenerate: true };
    expect(notEvidence(facts)).toEqual([]);
    expect(notEvidence({ ...facts, texts: { ...counts, distinct: 2 } })).toHaveLength(1);
  });

  test('a single borderline text, and an error within the limit, are accepted', () => {
    const steady = { ...clean, repeatability: { ...repeatability, changed: 1, difference: 0.05 } };
    expect(notEvidence({ ...honest, clean: steady, attacks: [attack({ errored: 1 })] })).toEqual([]);
  });
});
