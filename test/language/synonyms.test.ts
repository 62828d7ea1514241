import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Draft, wordsOf } from '../../src/core/draft.js';
import { areOpposed } from '../../src/language/english/antonyms.js';
import { english } from '../../src/language/english/index.js';
import { inExpression, senseShares, synonymsAt } from '../../src/language/english/synonyms.js';
import { wordnetLemmas } from '../../src/language/english/wordnet-lemmas.js';
import { NgramModel } from '../../src/language/ngram-model.js';
import { rankByFit } from '../../src/language/synonym-fit.js';
import { cases } from './cases.js';

/** Synonyms of the word between asterisks. */
const at = (text: string): string[] => {
  const start = text.indexOf('*');
  const plain = text.replaceAll('*', '');
  return synonymsAt(Draft.of(plain), wordsOf(plain.slice(0, start)).length).map((synonym) => synonym.text);
};

describe('synonyms in context', () => {
  test.each(cases<[string, string]>('synonyms', 'offered'))('%s -> %s', (text, expected) =>
    expect(at(text)).toContain(expected),
  );

  test.each(cases<[string, string]>('synonyms', 'refused'))('%s: never %s', (text, unwanted) =>
    expect(at(text)).not.toContain(unwanted),
  );

  test.each(cases<[string, string]>('synonyms', 'stays'))('%s has none: %s', (text, reason) => {
    if (reason !== 'unlike its neighbours') expect(at(text)).toEqual([]);
    else
      expect(at(text.replace('*__proto__*', '__proto__'))).toEqual(
        expect.not.arrayContaining([expect.stringContaining('proto')]),
      );
  });

  test('every candidate differs, is no opposite, and has a weight in (0, 1], best first', () => {
    const words = 'good bad film films loved moving boring funnier the very quickly acting well made old'.split(' ');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }), (text) => {
        const draft = Draft.of(text.join(' '));
        draft.words.forEach((word, slot) => {
          const found = synonymsAt(draft, slot);
          for (const { text: candidate, lemma, weight } of found) {
            expect(candidate).not.toBe(word);
            expect(areOpposed(word, lemma)).toBe(false);
            expect(weight).toBeGreaterThan(0);
            expect(weight).toBeLessThanOrEqual(1);
          }
          expect(found.map((s) => s.weight)).toEqual(found.map((s) => s.weight).sort((a, b) => b - a));
        });
      }),
      { numRuns: 60 },
    );
  });

  test('shares of meanings sum to one', () => {
    for (const word of ['good', 'charming', 'dog', 'film']) {
      const shares = [...senseShares(word, 'adjective').values(), ...senseShares(word, 'noun').values()];
      expect(shares.length).toBeGreaterThan(0);
    }
    const sum = [...senseShares('good', 'adjective').values()].reduce((a, b) => a + b, 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  test('expressions are found on both sides', () => {
    const draft = Draft.of('the special effects give up');
    expect(draft.words.map((_, i) => inExpression(draft, i))).toEqual([false, true, true, true, true]);
  });
});

describe("PWWS's candidates: all lemmas of all meanings", () => {
  test('whatever the part of speech, without the word and without expressions', () => {
    expect(wordnetLemmas('charming')).toEqual(expect.arrayContaining(['sorcerous', 'charm', 'enchant', 'magic']));
    expect(wordnetLemmas('charming')).not.toContain('charming');
    expect(wordnetLemmas('movie').some((lemma) => /[ _]/.test(lemma))).toBe(false);
    for (const none of ['', '__proto__', 'größe']) expect(wordnetLemmas(none)).toEqual([]);
  });

  const golden = '../shared/goldens/textattack-pwws.jsonl';
  test.skipIf(!existsSync(golden))('hold 98 % of the words TextAttack put in (../shared/goldens, WordNet 3.0)', () => {
    let [all, held] = [0, 0];
    for (const line of readFileSync(golden, 'utf8').trim().split('\n')) {
      const { original, perturbed } = JSON.parse(line) as { original: string; perturbed: string };
      const after = wordsOf(perturbed);
      wordsOf(original).forEach(({ text }, i) => {
        const put = after[i]?.text ?? '';
        if (put === text) return;
        all++;
        if (wordnetLemmas(text).includes(put)) held++;
      });
    }
    expect(all).toBeGreaterThan(250);
    expect(held / all).toBeGreaterThan(0.98);
  });
});

describe('rank by fit', () => {
  const model = new NgramModel(
    ['this film is a movie .', 'it is a bad movie .', 'the movie is good .', 'a good movie .', 'the film is bad .'],
    english,
  );
  const draft = Draft.of('it is a bad film .');
  const found = synonymsAt(draft, 4);

  test('what the texts of the data set hold there comes first, and its fit is the change in log probability', () => {
    const ranked = rankByFit(found, draft, 4, model);
    expect(ranked.map((s) => s.text).sort()).toEqual(found.map((s) => s.text).sort());
    const [first] = ranked;
    expect(first?.text).toBe('movie');
    const nats = (text: string): number => -Math.LN2 * model.surprisals(text).bits.reduce((sum, bits) => sum + bits, 0);
    expect(first?.fit).toBeCloseTo(nats('it is a bad movie .') - nats('it is a bad film .'), 9);
  });

  test('those below a bound go, and what lies far away changes no fit', () => {
    expect(rankByFit(found, draft, 4, model, Number.POSITIVE_INFINITY)).toEqual([]);
    const long = Draft.of(`${'so long '.repeat(20)}it is a bad film . ${'the end '.repeat(20)}`);
    const fits = rankByFit(synonymsAt(long, 44), long, 44, model).map((s) => s.text);
    expect(fits).toEqual(rankByFit(found, draft, 4, model).map((s) => s.text));
  });
});
